// The options of each subcommand, as main() parsed them. The defaults are those of --help. demo_command.cc,
// controller_command.cc and fake_aws_command.cc define the run_ functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/instant.h"
#include "cli/decisions.h"

namespace tenon::cli {

// Exit codes: fixed interface.
inline constexpr int kExitDone = 0;
inline constexpr int kExitError = 1;
inline constexpr int kExitUsage = 2;

struct DemoOptions : DecisionSettings {
  std::string scenario;  // empty: interactive
  bool check = false;
  uint64_t seed = 1;
  uint16_t port = 0;  // of the API server; 0: a free one
  std::string kubeconfig = "tenon-demo.kubeconfig";
  std::string metrics_out;
  std::string cloud = "aws";
  bool no_controller = false;
  double speed = 1.0;
  std::string scheduler_config;  // its path; empty: no default topology spread
  std::string planted_fault;     // test-only
};

struct ControllerOptions : DecisionSettings {
  std::string kubeconfig;  // empty: KUBECONFIG, else in-cluster
  std::string cloud = "aws";
  std::string cluster_name, cluster_endpoint, cluster_ca_bundle;
  std::string log_level = "info";
  std::string log_format = "json";
  Duration batch_idle = 1s, batch_max = 10s;
  uint16_t metrics_port = 8080, health_probe_port = 8081;  // on every address; 0: not served
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
  Duration ami_refresh = 1min, subnet_refresh = 1min;
  bool ignore_dra_requests = true;
  std::vector<std::string> without_effect;  // ignored options of Karpenter that were given, as flag or variable
};

struct FakeAwsCommandOptions {
  uint16_t port = 0;
  std::string cluster_name = "demo";
};

int run_demo(const DemoOptions& options);
int run_demo_advance(const std::string& kubeconfig, Duration span);
int run_controller(const ControllerOptions& options);
int run_fake_aws(const FakeAwsCommandOptions& options);

}  // namespace tenon::cli
