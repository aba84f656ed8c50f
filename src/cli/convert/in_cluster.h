// `tenon convert --in-cluster`: converts the objects and the nodes of a cluster; migrate/ decides and performs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <stop_token>
#include <string>

#include "aws/environment.h"
#include "cli/options/options.h"
#include "http/transport.h"
#include "kube/client.h"
#include "runtime/runtime.h"

namespace tenon::cli {

// What the command reaches the servers through; borrowed.
struct ConvertTransports {
  runtime::Runtime& runtime;
  http::Transport& kube;
  http::Transport& aws;
  http::Transport& local;  // to AWS's services on this host
  kube::ClientOptions client;
  aws::Environment environment;  // of AWS: region, keys, endpoints
};

// One of options.dry_run and options.apply is set. Prints the writes on `out`, findings and errors on `err`. Returns
// the exit code: 1 if anything forbids the conversion, or if it stopped in the middle; then the command is run again.
int convert_cluster(const ConvertOptions& options, const ConvertTransports& through, std::ostream& out,
                    std::ostream& err, const std::stop_token& stop = {});

// The same for the cluster of --kubeconfig and the AWS of the environment.
int run_convert_cluster(const ConvertOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tenon::cli
