// `tenon fake-aws`: the wire-level AWS emulation alone, on a loopback port.
// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/fake_aws_command.h"

#include <iostream>

#include "cli/demo/world.h"
#include "cli/options/options.h"
#include "cli/process/signals.h"

namespace tenon::cli {

int run_fake_aws(const FakeAwsCommandOptions& options) {
  const Signals signals;
  const auto runtime = runtime::make_live_runtime();
  awssim::FakeAwsOptions wanted;
  wanted.cluster_name = options.cluster_name;
  const auto aws = awssim::make_fake_aws(*runtime, wanted);
  http::ServerOptions where;
  where.port = options.port;
  where.threw = [](const http::ServerRequest& request, std::string_view what) {
    std::cerr << "tenon fake-aws: " << request.raw_path << ": the handler threw: " << what << "\n";
  };
  const auto server = http::start_server(*aws, std::move(where));
  if (!server) {
    std::cerr << "tenon fake-aws: " << server.error().message << "\n";
    return kExitError;
  }
  std::cout << "export AWS_ENDPOINT_URL=http://127.0.0.1:" << (*server)->port()
            << "\nexport AWS_ACCESS_KEY_ID=" << wanted.access_key_id
            << "\nexport AWS_SECRET_ACCESS_KEY=" << wanted.secret_access_key << "\nexport AWS_REGION=" << wanted.region
            << std::endl;
  while (!signals.wait(1min)) {
  }
  return kExitDone;
}

}  // namespace tenon::cli
