// The options of each subcommand. The defaults here are those of --help; the flags, environment variables and help
// texts are rows of cli/options/table.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/instant.h"

namespace tenon::cli {

// Exit codes: fixed interface.
inline constexpr int kExitDone = 0;
inline constexpr int kExitError = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitUnplaced = 3;  // of `tenon plan`: pods are unschedulable

// USD per hour that a node costs in addition to its instance: docs/decisions/0020-one-node-price.md.
inline constexpr const char* kDefaultNodePrice = "0.01";

// The options that the controller, the demo, `tenon plan` and `tenon why` share; make_decisions() reads them.
struct DecisionSettings {
  std::string node_price = kDefaultNodePrice;
  int64_t max_nodes = 0;  // limit of the cluster's size; 0: no limit
  // Time after the adoption of a node for which consolidation leaves it alone.
  Duration adoption_wait = 1h;
  std::string preference_policy = "Respect", min_values_policy = "Strict";
  std::string feature_gates;
  // Only `tenon plan` and `tenon why` have options for these two.
  std::string reserved_capacity_mode = "Fallback";  // or Strict
  int max_instance_types = 600;                     // in a NodeClaim
};

struct DemoOptions : DecisionSettings {
  std::string scenario;  // empty: interactive
  bool check = false;
  uint64_t seed = 1;
  uint16_t port = 0;  // of the API server; 0: a free one
  std::string kubeconfig = "tenon-demo.kubeconfig";
  std::string metrics_out;
  std::string metrics_detail = "standard";  // or full
  std::string cloud = "aws";                // or kwok
  bool no_controller = false;
  double speed = 1.0;
  std::string scheduler_config;  // its path; empty: no default topology spread
};

struct AdvanceOptions {
  Duration span{};  // by which the clock of a running demo advances
};

struct ControllerOptions : DecisionSettings {
  std::string config;                                  // file with options; empty: none
  std::string kubeconfig;                              // empty: KUBECONFIG, else in-cluster
  std::string context;                                 // of the kubeconfig; empty: its current-context
  int kube_client_qps = 200, kube_client_burst = 300;  // requests to the API server; 0 QPS: no limit
  std::string cloud = "aws";                           // or kwok
  std::string kwok_instance_types;                     // path of the types of --cloud kwok; empty: the default ones
  std::string cluster_name, cluster_endpoint, cluster_ca_bundle;
  std::string log_level = "info";
  std::string log_format = "json";
  std::string log_output_paths = "stdout", log_error_output_paths = "stderr";  // lists, divided by commas
  std::string log_sampling = "100:100";                                        // or off
  Duration batch_idle = 1s, batch_max = 10s;
  // Caps on launches; 0: none.
  int64_t max_launches_per_minute = 0;
  std::string max_hourly_price = "0";                      // USD per hour
  uint16_t metrics_port = 8080, health_probe_port = 8081;  // on every address; 0: not served
  std::string metrics_detail = "standard";                 // or full
  bool enable_profiling = false;                           // /debug/pprof/ on the metrics port
  bool disable_cluster_state_observability = false;        // no metrics of nodes, pods, NodePools and conditions
  uint16_t webhook_port = 8443;                            // likewise, once a webhook is registered
  bool disable_webhook = false;
  std::string karpenter_service = "karpenter";  // through which the API server calls the webhooks
  bool disable_leader_election = false;
  std::string leader_namespace;  // empty: the pod's own, else kube-system
  std::string leader_name = "karpenter-leader-election";
  double vm_memory_overhead_percent = 0.075;
  int reserved_enis = 0;
  std::string interruption_queue;  // its name; empty: none
  std::string price_file;          // its path; empty: none
  std::string scheduler_config;    // its path; empty: no default topology spread
  bool isolated_vpc = false;       // no access to Pricing and IAM
  bool disable_dry_run = false;    // of the calls that node classes require
  bool eks_control_plane = false;  // EKS returns the version of Kubernetes
  bool enable_zonal_shift = false;
  bool observe = false;  // decisions are reported, not performed
  Duration ami_refresh = 1min, subnet_refresh = 1min;
  bool ignore_dra_requests = true;
};

struct PlanOptions : DecisionSettings {
  std::vector<std::string> files;   // "-": standard input
  std::string catalog;              // empty: the built-in one
  std::string kwok_instance_types;  // path of the types of KWOKNodeClasses; empty: the default ones
  std::string mode = "provision";   // or disrupt
  std::string now;                  // RFC 3339; empty: the file's, else the wall clock
  std::string output = "table";     // json, yaml
  std::string after_edit;           // manifests that replace those of the same name; empty: no edit
  std::string scheduler_config;     // default topology spread; empty: none
  std::string price_file;           // discounts and commitments; empty: none
  bool ignore_dra_requests = true;  // false: pods with resource claims cannot be planned
  bool stats = false;               // times and steps on standard error
};

struct WhyOptions {
  std::string subject;  // pod/NAMESPACE/NAME, pod/NAME (namespace default), node/NAME (or ID)
  PlanOptions plan = [] {
    PlanOptions options;
    options.output = "text";  // or json
    return options;
  }();
};

struct ConvertOptions {
  std::vector<std::string> files;  // "-": standard input
  std::string to = "v1";
  std::string output = "yaml";  // or json
  // Of a cluster instead of files.
  bool in_cluster = false, dry_run = false, apply = false;
  std::string kubeconfig;                                     // empty: KUBECONFIG, else in-cluster
  std::string context;                                        // of the kubeconfig; empty: its current-context
  std::string cluster_name;                                   // empty: aws.clusterName of karpenter-global-settings
  std::string rollback_file = "tenon-convert-rollback.yaml";  // written before the first write
  std::string rollback;                                       // a file to restore from; empty: convert
  std::string leader_namespace;                               // empty: where the controllers' lease is
  std::string leader_name = "karpenter-leader-election";
};

struct AdoptOptions {
  bool dry_run = false, apply = false;
  std::string output = "table";                             // or json
  std::string kubeconfig;                                   // empty: KUBECONFIG, else in-cluster
  std::string context;                                      // of the kubeconfig; empty: its current-context
  std::string rollback_file = "tenon-adopt-rollback.yaml";  // written before the first write
  std::string rollback;                                     // a file to restore from; empty: adopt
  std::string leader_name = "karpenter-leader-election";
};

struct ValidateOptions {
  std::vector<std::string> files;  // "-": standard input
  std::string snapshot;            // objects of the cluster; empty: none
};

struct InstallOptions {
  std::string what;                   // a row of cli/install/parts.h
  std::vector<std::string> settings;  // KEY=VALUE; a later one replaces an earlier one
  std::string only;                   // one document of several; empty: all
};

struct FakeAwsCommandOptions {
  uint16_t port = 0;
  std::string cluster_name = "demo";
};

struct VersionOptions {
  std::string output = "text";  // or json
};

struct CompletionOptions {
  std::string shell = "bash";  // zsh, fish; the command line always names one
};

struct ManOptions {
  std::string folder;  // where the pages are written to
};

}  // namespace tenon::cli
