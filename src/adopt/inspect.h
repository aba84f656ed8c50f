// Judges a cluster that Karpenter v1 runs, before Tenon takes it over: what forbids it, which nodes would be replaced,
// what changes, and what stays unknown. Pure.
//
//   const Report report = inspect(observed, "karpenter-leader-election", known, schemas);
//   if (!report.blocked()) performer.perform(report.writes, …);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "adopt/observed.h"
#include "migrate/write.h"
#include "schema/known_schemas.h"

namespace tenon::adopt {

enum class Level {
  kBlocks,   // Tenon must not take over before this is solved
  kDrifts,   // nodes would be replaced
  kChanges,  // differs from Karpenter, or --apply changes it
  kUnknown,  // could not be judged
  kOk,
};

struct Finding {
  Level level = Level::kOk;
  std::string object;  // "NodePool/default"
  std::string text;
};

// The settings that Tenon accepts and the AWS actions that it calls. inspect() compares the settings and the role of
// Karpenter's Deployment with them.
struct KnownSettings {
  std::set<std::string> variables, flags;  // with effect: "CLUSTER_NAME", "--cluster-name"
  std::set<std::string> without_effect;    // of both kinds
  std::set<std::string> feature_gates;     // names
  std::set<std::string> actions;           // of AWS that the controller calls: "ec2:CreateFleet"
};

struct Report {
  std::vector<Finding> findings;
  std::vector<migrate::Write> writes;  // of --apply: webhooks whose Service is gone
  Documents originals;                 // the objects that `writes` change, for the roll-back file
  bool blocked() const;
};

Report inspect(const Observed& observed, const std::string& lease_name, const KnownSettings& known,
               const schema::KnownSchemas& schemas);

// "blocks", "drifts", "changes", "unknown", "ok"
std::string_view to_string(Level level);
// "NodePool/default"; with the namespace if there is one.
std::string reference(const boost::json::value& document);

// The parts of inspect().
void inspect_objects(const Observed& observed, const schema::KnownSchemas& schemas, Report& report);  // objects.cc
void inspect_webhooks(const Observed& observed, Report& report);                                      // webhooks.cc
void inspect_settings(const Observed& observed, const KnownSettings& known, Report& report);          // settings.cc
void inspect_cloud(const Observed& observed, const KnownSettings& known, Report& report);             // cloud.cc

}  // namespace tenon::adopt
