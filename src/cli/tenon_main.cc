// The `tenon` binary: reads the command line and calls one file per subcommand.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>

#include "base/instant.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/plan_command.h"
#include "cli/scenario/scenario.h"
#include "cli/scheduler_config_option.h"
#include "cli/why_command.h"

namespace {

using tenon::Duration;

// Adds an option with Go's duration syntax.
CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& target, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, name](const std::string& text) {
            const auto parsed = tenon::parse_go_duration(text);
            if (!parsed) throw CLI::ValidationError(name, "\"" + text + "\" is not a duration such as 10s or 1m30s");
            target = *parsed;
          },
          help)
      ->default_str(tenon::format_go_duration(target));
}

// Accepts an option without effect, so that the command line of Karpenter works unchanged.
CLI::Option* ignore_option(CLI::App& app, const std::string& name, std::function<void()> given) {
  return app.add_option_function<std::string>(name, [given = std::move(given)](const std::string&) { given(); })
      ->group("");
}

// The same for a flag and its variable: MEMORY_LIMIT is that of --memory-limit.
CLI::Option* ignore_option(CLI::App& app, const std::string& flag, tenon::cli::ControllerOptions& options) {
  std::string variable = flag.substr(2);
  for (char& c : variable) c = c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return ignore_option(app, flag,
                       [&options, name = flag + " (" + variable + ")"] { options.without_effect.push_back(name); })
      ->envname(variable);
}

constexpr const char* kPriceFileHelp =
    "discounts on the list prices, Savings Plans and Reserved Instances (YAML; docs/aws.md)";
constexpr const char* kGatesHelp =
    "comma list key=bool: ReservedCapacity (true), SpotToSpotConsolidation, NodeOverlay, CapacityBuffer, NodeRepair, "
    "StaticCapacity (false)";

// Adds the options that the controller, the demo, `plan` and `why` have in common, each as a flag and a variable.
void add_decisions(CLI::App& app, tenon::cli::DecisionSettings& settings) {
  app.add_option("--node-price", settings.node_price,
                 "USD per hour of one more node beside its instance: volume, addresses, licences for each host")
      ->envname("NODE_PRICE")
      ->capture_default_str();
  app.add_option("--max-nodes", settings.max_nodes,
                 "nodes that the cluster may have: no node is launched beyond them; 0: no limit")
      ->envname("MAX_NODES")
      ->capture_default_str();
}

void add_demo(CLI::App& app, tenon::cli::DemoOptions& options, std::string& advance) {
  app.add_option("--scenario", options.scenario,
                 "play a walkthrough in virtual time: " + tenon::join(tenon::cli::scenario_names(), ", "));
  app.add_flag("--check", options.check, "with --scenario: exit 1 if a step differs from what is expected");
  app.add_option("--seed", options.seed, "seed of everything that chance decides")->capture_default_str();
  app.add_option("--port", options.port, "port of the API server; 0: a free one")->capture_default_str();
  app.add_option("--kubeconfig-out", options.kubeconfig, "where to write the kubeconfig")->capture_default_str();
  app.add_option("--metrics-out", options.metrics_out, "write the controllers' metrics there at the end")
      ->type_name("FILE");
  app.add_option("--cloud", options.cloud, "the cloud behind it")->check(CLI::IsMember({"aws"}))->capture_default_str();
  app.add_flag("--no-controller", options.no_controller, "the cluster alone; prints how `tenon controller` finds it");
  app.add_option("--speed", options.speed, "how much faster than the wall clock time passes")
      ->check(CLI::Range(0.1, 1000.0))
      ->capture_default_str();
  add_decisions(app, options);
  app.add_option("--feature-gates", options.feature_gates, kGatesHelp);
  app.add_option("--scheduler-config", options.scheduler_config, tenon::cli::kSchedulerConfigHelp)->type_name("FILE");
  app.add_option("--plant-fault", options.planted_fault)->group("");
  auto* sub = app.add_subcommand("advance", "move the clock of a running demo: tenon demo advance 720h");
  sub->add_option("SPAN", advance, "such as 720h")->required();
}

void add_controller(CLI::App& app, tenon::cli::ControllerOptions& options) {
  app.add_option("--kubeconfig", options.kubeconfig, "the cluster; default: KUBECONFIG, else the pod's own");
  app.add_option("--cloud", options.cloud, "the cloud provider")->check(CLI::IsMember({"aws"}))->capture_default_str();
  app.add_option("--cluster-name", options.cluster_name, "name of the EKS cluster")->envname("CLUSTER_NAME");
  app.add_option("--cluster-endpoint", options.cluster_endpoint, "its endpoint; default: asked from EKS")
      ->envname("CLUSTER_ENDPOINT");
  app.add_option("--cluster-ca-bundle", options.cluster_ca_bundle,
                 "its CA, PEM in base64; default: that of our own connection, else asked from EKS")
      ->envname("CLUSTER_CA_BUNDLE");
  app.add_option("--log-level", options.log_level, "debug, info, warn or error")
      ->envname("LOG_LEVEL")
      ->capture_default_str();
  app.add_option("--log-format", options.log_format, "json or text")
      ->check(CLI::IsMember({"json", "text"}))
      ->capture_default_str();
  add_duration(app, "--batch-idle-duration", options.batch_idle, "a batch of pods closes after this silence")
      ->envname("BATCH_IDLE_DURATION");
  add_duration(app, "--batch-max-duration", options.batch_max, "or after this time")->envname("BATCH_MAX_DURATION");
  add_decisions(app, options);
  app.add_option("--preference-policy", options.preference_policy, "Respect or Ignore preferences")
      ->envname("PREFERENCE_POLICY")
      ->check(CLI::IsMember({"Respect", "Ignore"}))
      ->capture_default_str();
  app.add_option("--min-values-policy", options.min_values_policy, "Strict or BestEffort")
      ->envname("MIN_VALUES_POLICY")
      ->check(CLI::IsMember({"Strict", "BestEffort"}))
      ->capture_default_str();
  app.add_option("--feature-gates", options.feature_gates, kGatesHelp)->envname("FEATURE_GATES");
  app.add_option("--vm-memory-overhead-percent", options.vm_memory_overhead_percent, "memory that the hypervisor keeps")
      ->envname("VM_MEMORY_OVERHEAD_PERCENT")
      ->capture_default_str();
  app.add_option("--metrics-port", options.metrics_port, "port of /metrics; 0: none")
      ->envname("METRICS_PORT")
      ->capture_default_str();
  app.add_option("--health-probe-port", options.health_probe_port, "port of /healthz and /readyz; 0: none")
      ->envname("HEALTH_PROBE_PORT")
      ->capture_default_str();
  app.add_flag("--disable-leader-election", options.disable_leader_election, "work at once, without a lease")
      ->envname("DISABLE_LEADER_ELECTION");
  app.add_option("--leader-election-namespace", options.leader_namespace,
                 "where the lease is; default: SYSTEM_NAMESPACE, else the pod's own, else kube-system")
      ->envname("LEADER_ELECTION_NAMESPACE");
  app.add_option("--leader-election-name", options.leader_name, "its name")
      ->envname("LEADER_ELECTION_NAME")
      ->capture_default_str();
  app.add_option("--interruption-queue", options.interruption_queue,
                 "name of the SQS queue with EC2's notices; default: none, interruptions come unannounced")
      ->envname("INTERRUPTION_QUEUE");
  app.add_option("--price-file", options.price_file, kPriceFileHelp)->envname("PRICE_FILE")->type_name("FILE");
  app.add_option("--scheduler-config", options.scheduler_config, tenon::cli::kSchedulerConfigHelp)
      ->envname("SCHEDULER_CONFIG")
      ->type_name("FILE");
  add_duration(app, "--ami-refresh-interval", options.ami_refresh, "how long the AMIs of a selector count; from 1m on")
      ->envname("AMI_REFRESH_INTERVAL");
  add_duration(app, "--subnet-refresh-interval", options.subnet_refresh, "the same of subnets")
      ->envname("SUBNET_REFRESH_INTERVAL");
  app.add_flag(
         "--isolated-vpc", options.isolated_vpc,
         "the VPC has no way to the endpoints of Pricing and IAM: prices are the built-in ones, instance profiles "
         "are not removed")
      ->envname("ISOLATED_VPC");
  app.add_flag("--disable-dry-run", options.disable_dry_run, "EC2NodeClasses are not validated by dry runs")
      ->envname("DISABLE_DRY_RUN");
  app.add_flag("--eks-control-plane", options.eks_control_plane,
               "the version of Kubernetes is that of the EKS cluster; default: what the API server says")
      ->envname("EKS_CONTROL_PLANE");
  app.add_flag("--enable-zonal-shift", options.enable_zonal_shift,
               "launch nothing in zones that ARC shifts traffic away from; the cluster must be enrolled")
      ->envname("ENABLE_ZONAL_SHIFT");
  app.add_option("--reserved-enis", options.reserved_enis, "network interfaces not used for pods")
      ->envname("RESERVED_ENIS")
      ->capture_default_str();
  app.add_flag("--ignore-dra-requests", options.ignore_dra_requests,
               "pods with resource claims wait; false is accepted, but allocating devices is not supported")
      ->envname("IGNORE_DRA_REQUESTS");
  // Karpenter's options about its own internals.
  for (const char* name : {"--karpenter-service", "--kube-client-qps", "--kube-client-burst", "--memory-limit",
                           "--cpu-requests", "--log-output-paths", "--log-error-output-paths", "--aws-feature-gates"}) {
    ignore_option(app, name, options);
  }
  for (const char* name :
       {"--enable-profiling", "--disable-controller-warmup", "--disable-cluster-state-observability"})
    ignore_option(app, name, options)->expected(0, 1);
}

// Adds the input options of `plan` and `why`.
void add_plan_input(CLI::App& app, tenon::cli::PlanOptions& options) {
  app.add_option("-f,--filename", options.files,
                 "manifests: YAML or JSON, .gz allowed; a folder of them; - for standard input")
      ->required()
      ->type_name("FILE");
  app.add_option("--catalog", options.catalog, "instance types as JSON; default: the demo's");
  app.add_option("--now", options.now, "the time of the decision, RFC 3339");
  add_decisions(app, options);
  app.add_option("--preference-policy", options.preference_policy, "Respect or Ignore preferences")
      ->check(CLI::IsMember({"Respect", "Ignore"}))
      ->capture_default_str();
  app.add_option("--min-values-policy", options.min_values_policy, "Strict or BestEffort")
      ->check(CLI::IsMember({"Strict", "BestEffort"}))
      ->capture_default_str();
  app.add_option("--reserved-capacity-mode", options.reserved_capacity_mode,
                 "Fallback to other capacity, or Strict: pods wait for reservations that others of the plan use up")
      ->check(CLI::IsMember({"Fallback", "Strict"}))
      ->capture_default_str();
  app.add_option("--feature-gates", options.feature_gates, kGatesHelp);
  app.add_option("--max-instance-types", options.max_instance_types, "that one NodeClaim may list")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--scheduler-config", options.scheduler_config, tenon::cli::kSchedulerConfigHelp)->type_name("FILE");
  app.add_option("--price-file", options.price_file, kPriceFileHelp)->type_name("FILE");
  app.add_option("--ignore-dra-requests", options.ignore_dra_requests, "as the controller's flag")
      ->capture_default_str();
  // Their effect is in the catalog, or does not matter offline.
  for (const std::string name : {"--vm-memory-overhead-percent", "--reserved-enis"})
    ignore_option(app, name, [name] { std::cerr << "tenon: " << name << " has no effect here\n"; });
}

void add_plan(CLI::App& app, tenon::cli::PlanOptions& options) {
  add_plan_input(app, options);
  app.add_option("--mode", options.mode, "provision or disrupt")
      ->check(CLI::IsMember({"provision", "disrupt"}))
      ->capture_default_str();
  app.add_option("-o,--output", options.output, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->capture_default_str();
  app.add_option("--after-edit", options.after_edit, "manifests as they will be: which nodes drift")->type_name("FILE");
  app.add_flag("--stats", options.stats, "times and steps on standard error");
}

void add_why(CLI::App& app, tenon::cli::WhyOptions& options) {
  app.add_option("SUBJECT", options.subject, "pod/NAMESPACE/NAME, or node/ID of a node that the plan would buy")
      ->required();
  add_plan_input(app, options.plan);
  options.plan.output = "text";
  app.add_option("-o,--output", options.plan.output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = tenon::cli;
  CLI::App app{"Tenon: a node autoscaler for Kubernetes, compatible with Karpenter's APIs; not affiliated."};
  app.require_subcommand(1);
  cli::DemoOptions demo;
  cli::ControllerOptions controller;
  cli::FakeAwsCommandOptions fake_aws;
  cli::PlanOptions plan;
  cli::WhyOptions why;
  std::string advance;

  auto* demo_app = app.add_subcommand("demo", "an embedded cluster that Tenon scales, for kubectl");
  add_demo(*demo_app, demo, advance);
  auto* controller_app = app.add_subcommand("controller", "run the controllers against a cluster");
  add_controller(*controller_app, controller);
  auto* plan_app = app.add_subcommand("plan", "what would be bought, placed or given up for manifests on disk");
  add_plan(*plan_app, plan);
  auto* why_app = app.add_subcommand("why", "why a pod is placed where it is or not at all; why a node is what it is");
  add_why(*why_app, why);
  auto* aws_app = app.add_subcommand("fake-aws", "the wire-level AWS stand-in alone");
  aws_app->add_option("--port", fake_aws.port, "0: a free one")->capture_default_str();
  aws_app->add_option("--cluster-name", fake_aws.cluster_name, "name of its EKS cluster")->capture_default_str();
  auto* version_app = app.add_subcommand("version", "print the version");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kExitDone : cli::kExitUsage;
  }
  if (demo_app->parsed()) {
    if (advance.empty()) return cli::run_demo(demo);
    const auto span = tenon::parse_go_duration(advance);
    if (span) return cli::run_demo_advance(demo.kubeconfig, *span);
    std::cerr << "tenon demo advance: \"" << advance << "\" is not a duration such as 720h\n";
    return cli::kExitUsage;
  }
  if (controller_app->parsed()) return cli::run_controller(controller);
  if (plan_app->parsed()) return cli::run_plan(plan, std::cout, std::cerr);
  if (why_app->parsed()) return cli::run_why(why, std::cout, std::cerr);
  if (aws_app->parsed()) return cli::run_fake_aws(fake_aws);
  if (version_app->parsed()) std::cout << "tenon " << TENON_VERSION << "\n";
  return cli::kExitDone;
}
