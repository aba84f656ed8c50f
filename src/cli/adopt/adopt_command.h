// `tenon adopt`: inspects a cluster that Karpenter v1 runs, and removes what would make Tenon's writes fail. adopt/
// judges; this file reads, prints and performs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <stop_token>

#include "adopt/cloud.h"
#include "adopt/inspect.h"
#include "cli/options/options.h"
#include "kube/client.h"

namespace tenon::cli {

using AskCloud = std::function<adopt::CloudAnswers(const adopt::CloudNames& names, const std::stop_token& stop)>;

// The options of `tenon controller`, and the actions of its IAM policy.
adopt::KnownSettings known_settings();

// Prints the findings on `out`, errors on `err`. Returns the exit code: kExitError if anything blocks, or a write
// failed: then the same command is run again and continues.
int adopt_cluster(const AdoptOptions& options, kube::Client& client, const AskCloud& ask_cloud, Instant now,
                  std::ostream& out, std::ostream& err, const std::stop_token& stop = {});

// The same for the cluster of --kubeconfig.
int run_adopt(const AdoptOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tenon::cli
