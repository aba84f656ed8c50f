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
//   maxLaunchesPerMinute: 2, maxHourlyPrice: "0.2"   # likewise; without them no cap
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
// Ten seconds pass before the first step. The actions of a step run in this order:
//
//   create: [object, …]         patch: {of: NodePool/default, merge: {…}, status: true}
//   pods: [name or pod, …]      condition: {of: Node#0, type: Ready, is: False KubeletNotReady}
//   delete: Node#0              terminate: NodeClaim#0           # its instance, by someone else in the cloud
//   crash: true, start: true    # the controllers, with their memory
//   warn: {of: NodeClaim, notice: spot}   # EC2 warns, and reclaims the instance two minutes later; also reservation;
//                                           rebalance and change, which have no further effect
//   impair: {of: NodeClaim, check: instance}   # a status check fails from now on; or system
//   messages: [text or object, …]              # into the interruption queue
//   reserve: {name: a, type: m5.large, zone: us-east-1a, instances: 2, block: true, lasts: 2h}   # capacity, with the
//                                                                                                 # tag name=a
//   cancel: a                                  # that reservation
//   placementGroup: {name: racks, strategy: partition, partitions: 3}
//   fail: [{call: CreateFleet/*, with: InsufficientInstanceCapacity, times: 1}]   # of AWS; [] heals
//   machines: {join: false, ready: false, dies: Node#0}   # machines that boot later do not join, or do not get Ready;
//                                                           a kubelet that stops working;
//             memoryLessMiB: 100                          # they report this much less memory than the formulas
//   shift: use1-az1             # traffic away from the zone; "": the shift is cancelled
//   call: [{iam: CreateInstanceProfile, with: {…}}]   # to AWS, by someone else; or ec2: …
//   deleteTemplates: true       # every launch template, by someone else
//   advance: 5m                 # time
//   at: 6m                      # time, counted from the start of the first step
//   until: 5m                   # time, at most, until the expectation holds
//   hold: 5m                    # time, in which the expectation holds throughout
//
// An object is named by its kind if there is only one, by its index in the order of age (Node#0 is the oldest), or by
// name (Pod/a). In every text $(Node#0) is replaced by a name, $(Node#0.spec.providerID) by another text and
// $(NodeClaim.instance) by the id of an instance. Expectations are
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
//   calls: {TerminateInstances: 1, "*": "<=9"}       # of AWS since the start; *: of any kind
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/transport.h"

namespace tenon::scenarios {

// Errors: kNotFound, kInvalid: the file does not exist, or it is not one document of kind Life in which a step expects
// something.
Result<boost::json::value> read_life(const std::string& file);

using AwsWire = std::function<std::unique_ptr<http::Transport>(std::unique_ptr<http::Transport>)>;

// Runs all steps. Errors: kTimeout: the expectation of a step did not hold in time; others: a step could not be
// performed.
// `aws_wire` wraps the transport of the controllers to AWS; empty: no wrapper.
Status play(const boost::json::value& life, const AwsWire& aws_wire = {});

}  // namespace tenon::scenarios
