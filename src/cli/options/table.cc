// SPDX-License-Identifier: Apache-2.0
#include "cli/options/table.h"

#include "base/text.h"
#include "cli/options/bind.h"
#include "cli/options/feature_gates.h"
#include "cli/scenario/scenario.h"

namespace tenon::cli {
namespace {

using enum Command;

constexpr Commands kDeciding = {kDemo, kController, kPlan, kWhy};

void append(std::vector<Row>& rows, std::vector<Row> more) {
  for (Row& row : more) rows.push_back(std::move(row));
}

// The input of `tenon plan` and `tenon why`.
std::vector<Row> input_rows() {
  return {
      {.flag = "SUBJECT",
       .in = {kWhy},
       .group = Group::kInput,
       .field = at<&WhyOptions::subject>,
       .help = "Pod or node to explain: pod/NAMESPACE/NAME, pod/NAME or node/NAME"},
      {.flag = "-f,--filename",
       .in = {kPlan, kWhy, kConvert, kValidate},
       .group = Group::kInput,
       .field = at<&PlanOptions::files, &ConvertOptions::files, &ValidateOptions::files>,
       .help = "Manifests in YAML or JSON: a file (also .gz), a folder, or - for standard input",
       .file = true,
       .required = true},
      {.flag = "--snapshot",
       .in = {kValidate},
       .group = Group::kInput,
       .field = at<&ValidateOptions::snapshot>,
       .help = "Objects of the cluster into which the manifests go, as kubectl get -o yaml prints them",
       .file = true},
      {.flag = "--catalog",
       .in = {kPlan, kWhy},
       .group = Group::kInput,
       .field = at<&PlanOptions::catalog>,
       .help = "Instance types as JSON; default: the catalog of the demo",
       .file = true},
      {.flag = "--now",
       .in = {kPlan, kWhy},
       .group = Group::kInput,
       .field = at<&PlanOptions::now>,
       .help = "Time of the decision (RFC 3339); default: the time that the manifests contain, then the current time"},
      {.flag = "--after-edit",
       .in = {kPlan},
       .group = Group::kInput,
       .field = at<&PlanOptions::after_edit>,
       .help = "Manifests that replace those of the same name, to show which nodes drift",
       .file = true},
  };
}

std::vector<Row> output_rows() {
  return {
      {.flag = "--mode",
       .in = {kPlan},
       .group = Group::kDecisions,
       .field = at<&PlanOptions::mode>,
       .help = "Decision to make: launch nodes for pending pods, or disrupt existing nodes",
       .allowed = {"provision", "disrupt"}},
      {.flag = "-o,--output",
       .in = {kPlan},
       .group = Group::kOutput,
       .field = at<&PlanOptions::output>,
       .help = "Output format",
       .allowed = {"table", "json", "yaml"}},
      {.flag = "-o,--output",
       .in = {kWhy},
       .group = Group::kOutput,
       .field = at<&PlanOptions::output>,
       .help = "Output format",
       .allowed = {"text", "json"}},
      {.flag = "-o,--output",
       .in = {kConvert},
       .group = Group::kOutput,
       .field = at<&ConvertOptions::output>,
       .help = "Output format",
       .allowed = {"yaml", "json"}},
      {.flag = "--to",
       .in = {kConvert},
       .group = Group::kOutput,
       .field = at<&ConvertOptions::to>,
       .help = "API version of the converted objects",
       .allowed = {"v1"}},
      {.flag = "--stats",
       .in = {kPlan},
       .group = Group::kOutput,
       .field = at<&PlanOptions::stats>,
       .help = "Print times and steps to standard error",
       .takes_value = false},
  };
}

std::vector<Row> demo_rows() {
  return {
      {.flag = "SPAN",
       .in = {kAdvance},
       .group = Group::kDemo,
       .field = at<&AdvanceOptions::span>,
       .help = "Time by which the clock advances, such as 720h"},
      {.flag = "--scenario",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::scenario>,
       .help = "Walkthrough to play in virtual time",
       .names = join(scenario_names(), ", ")},
      {.flag = "--check",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::check>,
       .help = "Exit with code 1 if a step of --scenario has another result than expected",
       .takes_value = false},
      {.flag = "--seed",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::seed>,
       .help = "Seed of all random choices"},
      {.flag = "--port",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::port>,
       .help = "Port of the API server; 0 selects a free port"},
      {.flag = "--port",
       .in = {kFakeAws},
       .group = Group::kAws,
       .field = at<&FakeAwsCommandOptions::port>,
       .help = "Port of the endpoint; 0 selects a free port"},
      {.flag = "--kubeconfig-out",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::kubeconfig>,
       .help = "File that the kubeconfig is written to",
       .file = true},
      {.flag = "--metrics-out",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::metrics_out>,
       .help = "File that the controllers' metrics are written to at the end",
       .file = true},
      {.flag = "--cloud",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::cloud>,
       .help = "Cloud provider that is emulated",
       .allowed = {"aws"}},
      {.flag = "--no-controller",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::no_controller>,
       .help = "Run the cluster without controllers, and print the environment for `tenon controller`",
       .takes_value = false},
      {.flag = "--speed",
       .in = {kDemo},
       .group = Group::kDemo,
       .field = at<&DemoOptions::speed>,
       .help = "Speed of the clock relative to the wall clock",
       .range = Range{0.1, 1000}},
  };
}

std::vector<Row> cluster_rows() {
  return {
      {.flag = "--kubeconfig",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::kubeconfig>,
       .help = "Kubeconfig of the cluster; default: KUBECONFIG, then the pod's service account",
       .file = true},
      {.flag = "--cloud",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::cloud>,
       .help = "Cloud provider",
       .allowed = {"aws"}},
      {.flag = "--cluster-name",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::cluster_name>,
       .help = "Name of the EKS cluster",
       .from_environment = {kController}},
      {.flag = "--cluster-name",
       .in = {kFakeAws},
       .group = Group::kAws,
       .field = at<&FakeAwsCommandOptions::cluster_name>,
       .help = "Name of the EKS cluster that is emulated"},
      {.flag = "--cluster-endpoint",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::cluster_endpoint>,
       .help = "URL of the API server that nodes join; default: read from EKS",
       .from_environment = {kController}},
      {.flag = "--cluster-ca-bundle",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::cluster_ca_bundle>,
       .help = "CA that nodes trust (PEM in base64); default: the CA of the controller's connection, then EKS",
       .from_environment = {kController}},
      {.flag = "--eks-control-plane",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::eks_control_plane>,
       .help = "Read the Kubernetes version from EKS instead of the API server",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--karpenter-service",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::karpenter_service>,
       .help = "Service through which the API server calls the webhooks",
       .from_environment = {kController}},
      {.flag = "--webhook-port",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::webhook_port>,
       .help = "Port of the webhooks; 0 disables them",
       .from_environment = {kController}},
      {.flag = "--disable-webhook",
       .in = {kController},
       .group = Group::kCluster,
       .field = at<&ControllerOptions::disable_webhook>,
       .help = "Serve no webhooks: neither the conversion of v1beta1 nor the admission of v0.27",
       .from_environment = {kController},
       .takes_value = false},
  };
}

std::vector<Row> decision_rows() {
  return {
      {.flag = "--batch-idle-duration",
       .in = {kController},
       .group = Group::kDecisions,
       .field = at<&ControllerOptions::batch_idle>,
       .help = "Time without a new pod after which a batch closes",
       .from_environment = {kController}},
      {.flag = "--batch-max-duration",
       .in = {kController},
       .group = Group::kDecisions,
       .field = at<&ControllerOptions::batch_max>,
       .help = "Maximum time for which a batch stays open",
       .from_environment = {kController}},
      {.flag = "--node-price",
       .in = kDeciding,
       .group = Group::kDecisions,
       .field = at<&DecisionSettings::node_price>,
       .help = "USD per hour that a node costs beside its instance: volumes, addresses, licences for each host",
       .from_environment = kDeciding},
      {.flag = "--max-nodes",
       .in = kDeciding,
       .group = Group::kDecisions,
       .field = at<&DecisionSettings::max_nodes>,
       .help = "Maximum number of nodes in the cluster; 0 means no limit",
       .from_environment = kDeciding},
      {.flag = "--preference-policy",
       .in = {kController, kPlan, kWhy},
       .group = Group::kDecisions,
       .field = at<&DecisionSettings::preference_policy>,
       .help = "Treatment of the preferences in pods' scheduling constraints",
       .from_environment = {kController},
       .allowed = {"Respect", "Ignore"}},
      {.flag = "--min-values-policy",
       .in = {kController, kPlan, kWhy},
       .group = Group::kDecisions,
       .field = at<&DecisionSettings::min_values_policy>,
       .help = "Treatment of minValues that the instance types cannot satisfy",
       .from_environment = {kController},
       .allowed = {"Strict", "BestEffort"}},
      {.flag = "--reserved-capacity-mode",
       .in = {kPlan, kWhy},
       .group = Group::kDecisions,
       .field = at<&DecisionSettings::reserved_capacity_mode>,
       .help = "Treatment of pods whose reservation the plan uses up: other capacity (Fallback) or none (Strict)",
       .allowed = {"Fallback", "Strict"}},
      {.flag = "--feature-gates",
       .in = kDeciding,
       .group = Group::kDecisions,
       .field = at<&DecisionSettings::feature_gates>,
       .help = "Feature gates as NAME=true or NAME=false, separated by commas",
       .names = gate_names(),
       .from_environment = {kController}},
      {.flag = "--max-instance-types",
       .in = {kPlan, kWhy},
       .group = Group::kDecisions,
       .field = at<&DecisionSettings::max_instance_types>,
       .help = "Maximum number of instance types listed in one NodeClaim",
       .range = Range{1, 10000}},
      {.flag = "--scheduler-config",
       .in = kDeciding,
       .group = Group::kDecisions,
       .field =
           at<&DemoOptions::scheduler_config, &ControllerOptions::scheduler_config, &PlanOptions::scheduler_config>,
       .help = "Topology spread of pods without constraints: YAML, podTopologySpread: {defaultConstraints: [...]}",
       .from_environment = {kController},
       .file = true},
      {.flag = "--price-file",
       .in = {kController, kPlan, kWhy},
       .group = Group::kDecisions,
       .field = at<&ControllerOptions::price_file, &PlanOptions::price_file>,
       .help = "Discounts on the list prices, Savings Plans and Reserved Instances (YAML; docs/aws.md)",
       .from_environment = {kController},
       .file = true},
      {.flag = "--ignore-dra-requests",
       .in = {kController},
       .group = Group::kDecisions,
       .field = at<&ControllerOptions::ignore_dra_requests>,
       .help = "Leave pods with resource claims pending (default); false is accepted without effect",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--ignore-dra-requests",
       .in = {kPlan, kWhy},
       .group = Group::kDecisions,
       .field = at<&PlanOptions::ignore_dra_requests>,
       .help = "Leave pods with resource claims pending; false reports that they cannot be planned"},
  };
}

std::vector<Row> aws_rows() {
  return {
      {.flag = "--vm-memory-overhead-percent",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::vm_memory_overhead_percent>,
       .help = "Fraction of an instance type's memory that the hypervisor uses",
       .from_environment = {kController}},
      {.flag = "--reserved-enis",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::reserved_enis>,
       .help = "Number of network interfaces of each node that pods do not use",
       .from_environment = {kController}},
      {.flag = "--interruption-queue",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::interruption_queue>,
       .help = "Name of the SQS queue with EC2's notices; without it, interruptions are not announced",
       .from_environment = {kController}},
      {.flag = "--ami-refresh-interval",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::ami_refresh>,
       .help = "Time for which the AMIs of a selector are cached, at least 1m",
       .from_environment = {kController}},
      {.flag = "--subnet-refresh-interval",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::subnet_refresh>,
       .help = "Time for which the subnets of a selector are cached, at least 1m",
       .from_environment = {kController}},
      {.flag = "--isolated-vpc",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::isolated_vpc>,
       .help = "Send no requests to Pricing and IAM: prices are built in, instance profiles are not removed",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--disable-dry-run",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::disable_dry_run>,
       .help = "Skip the dry runs that validate EC2NodeClasses",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--enable-zonal-shift",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::enable_zonal_shift>,
       .help = "Launch no nodes in zones that ARC shifts traffic away from; the cluster must be enrolled",
       .from_environment = {kController},
       .takes_value = false},
  };
}

std::vector<Row> operation_rows() {
  return {
      {.flag = "--disable-leader-election",
       .in = {kController},
       .group = Group::kLeadership,
       .field = at<&ControllerOptions::disable_leader_election>,
       .help = "Start the controllers without a lease",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--leader-election-namespace",
       .in = {kController},
       .group = Group::kLeadership,
       .field = at<&ControllerOptions::leader_namespace>,
       .help = "Namespace of the lease; default: SYSTEM_NAMESPACE, then the pod's namespace, then kube-system",
       .from_environment = {kController}},
      {.flag = "--leader-election-name",
       .in = {kController},
       .group = Group::kLeadership,
       .field = at<&ControllerOptions::leader_name>,
       .help = "Name of the lease",
       .from_environment = {kController}},
      {.flag = "--log-level",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::log_level>,
       .help = "Lowest level that is logged: debug, info, warn or error",
       .from_environment = {kController}},
      {.flag = "--log-format",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::log_format>,
       .help = "Format of log lines",
       .allowed = {"json", "text"}},
      {.flag = "--metrics-port",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::metrics_port>,
       .help = "Port of /metrics; 0 disables the endpoint",
       .from_environment = {kController}},
      {.flag = "--health-probe-port",
       .in = {kController},
       .group = Group::kMonitoring,
       .field = at<&ControllerOptions::health_probe_port>,
       .help = "Port of /healthz and /readyz; 0 disables the endpoint",
       .from_environment = {kController}},
  };
}

// Options about Karpenter's internals, and options whose effect `tenon plan` finds in its catalog: without effect here.
std::vector<Row> ignored_rows() {
  std::vector<Row> rows;
  for (const char* flag : {"--kube-client-qps", "--kube-client-burst", "--memory-limit", "--cpu-requests",
                           "--log-output-paths", "--log-error-output-paths", "--aws-feature-gates"}) {
    rows.push_back({.flag = flag, .in = {kController}, .group = {}, .from_environment = {kController}});
  }
  for (const char* flag :
       {"--enable-profiling", "--disable-controller-warmup", "--disable-cluster-state-observability"}) {
    rows.push_back(
        {.flag = flag, .in = {kController}, .group = {}, .from_environment = {kController}, .takes_value = false});
  }
  for (const char* flag : {"--vm-memory-overhead-percent", "--reserved-enis"}) {
    rows.push_back({.flag = flag, .in = {kPlan, kWhy}, .group = {}});
  }
  return rows;
}

}  // namespace

std::string CommandRow::full_name() const {
  std::string full = "tenon";
  for (const CommandRow& other : command_rows()) {
    if (parent == other.command) full = other.full_name();
  }
  return full + " " + std::string(name);
}

const std::vector<CommandRow>& command_rows() {
  static const std::vector<CommandRow> rows = {
      {kDemo, "demo", "Run an embedded cluster that Tenon scales, for use with kubectl"},
      {kAdvance, "advance", "Advance the clock of a running demo: tenon demo advance 720h", kDemo},
      {kController, "controller", "Run the controllers against a cluster"},
      {kPlan, "plan", "Decide from manifests on disk which nodes to launch or remove and which pods fit"},
      {kWhy, "why", "Explain why a pod is placed or unschedulable, or why a node is launched, kept or removed"},
      {kConvert, "convert", "Convert Provisioners, AWSNodeTemplates and v1beta1 objects to the v1 API"},
      {kValidate, "validate",
       "Check manifests as an API server, the webhooks and the controller would, before applying them"},
      {kFakeAws, "fake-aws", "Run the emulated AWS endpoints alone"},
      {kVersion, "version", "Print the version"},
  };
  return rows;
}

const std::vector<Row>& option_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (auto* part :
         {input_rows, cluster_rows, demo_rows, decision_rows, output_rows, aws_rows, operation_rows, ignored_rows}) {
      append(all, part());
    }
    return all;
  }();
  return rows;
}

}  // namespace tenon::cli
