// Plays a file of life-cycle/, aws/ or faults/: the life of nodes, and of what AWS knows, in a small cluster
// (life_world.h) under virtual time. A file is one document:
//
//   kind: Life
//   gates: NodeRepair=true           # feature gates
//   seed: 1
//   rule: pool.spec.limits           # the field that carries the rule, or noRule: text (rule.h)
//   interruptionQueue: demo          # that the controllers read; "demo" is there; default: none
//   options: {isolatedVPC: true, disableDryRun: true, enableZonalShift: true, eksControlPlane: true}   # of the
//                                                                                              # controllers
//   nodePrice: "0.01", maxNodes: 5   # as --node-price and --max-nodes have them; without them 0
//   priceFile: {…}                   # as --price-file has it
//   schedulerConfig: {…}             # as --scheduler-config has it
//   pool: {spec: {…}}                # merged into the NodePool `default`, which buys m5.large on demand; null: none
//   nodeClass: {…}                   # the same for the EC2NodeClass `default`
//   given: [{kind: Deployment, …}]   # further objects, with their status
//   steps:
//   - pods: [a, {metadata: {name: b}, spec: {…}}]   # pods of 1.5 cpu; one fits a node
//     until: 5m
//     expect: {NodeClaim: {conditions: {Ready: True Ready}}}
//
// Ten seconds pass before the first step. The actions of a step, in the order in which they stand:
//
//   create: [object, …]         patch: {of: NodePool/default, merge: {…}, status: true}
//   pods: [name or pod, …]      condition: {of: Node#0, type: Ready, is: False KubeletNotReady}
//   delete: Node#0              terminate: NodeClaim#0           # its instance, by somebody in the cloud
//   crash: true, start: true    # of the controllers, and all that they remember
//   warn: {of: NodeClaim, notice: spot}   # EC2 does, and two minutes later takes the instance; also reservation;
//                                           rebalance and change, after which it does nothing
//   impair: {of: NodeClaim, check: instance}   # a status check fails from now on; or system
//   messages: [text or object, …]              # into the interruption queue
//   reserve: {name: a, type: m5.large, zone: us-east-1a, instances: 2, block: true, lasts: 2h}   # capacity, tagged
//   name=a cancel: a                                                                                   # that
//   reservation
//   placementGroup: {name: racks, strategy: partition, partitions: 3}
//   fail: [{call: CreateFleet/*, with: InsufficientInstanceCapacity, times: 1}]   # of AWS; [] heals
//   machines: {join: false, ready: false, dies: Node#0}   # machines that boot later do not join, or do not get Ready;
//                                                           a kubelet that does nothing any more;
//             memoryLessMiB: 100                          # they report so much less memory than the formulas say
//   shift: use1-az1             # traffic away from the zone; "": the shift is cancelled
//   call: [{iam: CreateInstanceProfile, with: {…}}]   # to AWS, by somebody else; or ec2: …
//   deleteTemplates: true       # every launch template, by somebody else
//   advance: 5m                 # time
//   at: 6m                      # time, until the first step began so long ago
//   until: 5m                   # time, until what is expected is there
//   hold: 5m                    # time, in all of which what is expected is there
//
// An object is named by its kind where there is only one, by its place in the order of age (Node#0 is the oldest), or
// by name (Pod/a). In every text $(Node#0) stands for a name, $(Node#0.spec.providerID) for another text and
// $(NodeClaim.instance) for the id of an instance. Expected are
//
//   NodeClaim: {metadata: {…}}  # an object that holds at least this (expectation.h); with `conditions` by type
//                                 ("Unknown NodeNotFound: Node not registered with cluster"; * is any text) and
//                                 `taints` by key:effect; null: there is no such object, condition, …
//   count: {NodeClaim: 1}       # a number, or ">=1", "<=1"
//   events: [{of: NodeClaim, reason: …, message: …, type: Warning, times: 1}]   # times: 0 is none; else at least one
//   metrics: {'karpenter_nodes_created_total{nodepool="default"}': 1}           # the sum of the series; null: none
//   instances: {running: 1, ended: 0, reserved: 0, enclaves: 0}   # of the running ones, in a capacity reservation,
//                                                                   with enclaves enabled
//   tags: {NodeClaim#0: {Name: "$(Node#0)"}}         # of its instance; null: it has no such tag
//   calls: {TerminateInstances: 1, "*": "<=9"}       # of AWS since the start; *: whatever kind
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/result.h"

namespace tenon::scenarios {

// Errors: kNotFound, kInvalid: there is no such file, or it is not one document of kind Life in which a step expects
// something.
Result<boost::json::value> read_life(const std::string& file);

// From start to end. Errors: kTimeout: what a step expects did not come; others: a step could not be performed.
Status play(const boost::json::value& life);

}  // namespace tenon::scenarios
