// The workloads for measurements of the solver: the same pods and instance types for Tenon and the peers, from fixed
// seeds.
//
//   Snapshot s = bench::workload("diverse", 5'000);
//   std::string input = bench::as_json(s);       // for bench/peers
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scheduling/input/snapshot.h"

namespace tenon::bench {

// One NodePool; no nodes unless stated. Over 400 generated types of 1 to 400 CPUs, as in Karpenter's own benchmark:
//   diverse     a fifth each of plain pods, zone spread, hostname spread, zone affinity and hostname anti-affinity
//   preference  equal pods that prefer a zone, a host of their own, and, which is impossible, a zone of their own
//   apart       deployments of ten with required anti-affinity by hostname and a zone spread
// Over the types and list prices of AWS:
//   realplain   as plain, beside six DaemonSets; types c, m and r of generation 3 and later
//   realdiverse as diverse, beside the same DaemonSets and over the same types
//   plain       pods of 30 sizes, without rules; types c, m and r
//   mixN        twenty deployments of sizes drawn with seed N; types c, m and r
//   fleet       twenty deployments and two DaemonSets; all amd64 types without accelerators
//   large       two hundred deployments; every type
//   huge        two thousand deployments; every type
//   existing    a hundred deployments, onto 5,000 nodes that run 100,000 pods; types c, m and r
//   one-more    pods of one deployment with a zone spread, beside a cluster of 10,000 nodes, six DaemonSets and 300,000
//               pods of a thousand deployments; they fit on no node; types c, m and r
// parity: karpenter pkg/controllers/provisioning/scheduling/scheduling_benchmark_test.go
scheduling::Snapshot workload(const std::string& name, size_t pods);

enum class Types { kMadeUp, kGeneral, kCurrent, kPlainAmd64, kAll };
std::vector<model::InstanceType> types_of(Types kind);

// The types, daemons, pods and, if there are nodes, NodePools and nodes with their pods, as bench/peers read them: CPU
// in millicores, memory in bytes, prices in USD per hour.
std::string as_json(const scheduling::Snapshot& snapshot);

}  // namespace tenon::bench
