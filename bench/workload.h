// What the solver is measured on: the same pods and instance types for us and for the peers, from fixed seeds.
//
//   Snapshot s = bench::workload("diverse", 5'000);
//   std::string input = bench::as_json(s);       // for bench/peers
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/snapshot.h"

namespace tenon::bench {

// "diverse": Karpenter's own benchmark: a fifth each of plain pods, zone spread, hostname spread, zone affinity and
// hostname anti-affinity, over 400 made-up types of 1 to 400 CPUs. "fleet": twenty deployments of plain pods with two
// DaemonSets, over the types and list prices of AWS. No nodes, one NodePool.
// parity: karpenter pkg/controllers/provisioning/scheduling/scheduling_benchmark_test.go
scheduling::Snapshot workload(const std::string& name, size_t pods);

// Types, daemons and pods, as bench/peers read them: CPU in millicores, memory in bytes, prices in USD per hour.
std::string as_json(const scheduling::Snapshot& snapshot);

}  // namespace tenon::bench
