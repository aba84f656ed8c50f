// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/in_cluster.h"

#include <unistd.h>

#include <memory>
#include <ostream>
#include <set>

#include "aws/client.h"
#include "aws/credentials.h"
#include "aws/ec2.h"
#include "aws/instance_metadata.h"
#include "cli/convert/rollback_file.h"
#include "cli/wiring/connection.h"
#include "http/curl_transport.h"
#include "http/fence.h"
#include "json/json.h"
#include "kube/leader.h"
#include "kube/resource_types.h"
#include "migrate/decide.h"
#include "migrate/lease.h"
#include "migrate/originals.h"
#include "migrate/perform.h"
#include "runtime/live.h"

namespace tenon::cli {
namespace {

class ClusterConversion {
 public:
  ClusterConversion(const ConvertOptions& options, const ConvertTransports& through, std::ostream& out,
                    std::ostream& err)
      : options_(options),
        through_(through),
        out_(out),
        err_(err),
        fence_(through.runtime),
        fenced_kube_(http::make_fenced_transport(through.kube, fence_)),
        fenced_aws_(http::make_fenced_transport(through.aws, fence_)),
        client_(kube::make_client(through.runtime, *fenced_kube_, through.client)) {}

  Status run(const std::stop_token& stop) {
    originals_.cluster = migrate::uid_of(
        TRY_IN("finding the cluster's identity", client_->get(kube::kNamespaces, {"", "kube-system"}, stop)));
    TRY(read_file());
    TRY(take_lease(stop));
    migrate::Observed observed = TRY(observe(stop));
    const schema::KnownSchemas schemas = TRY(schema::KnownSchemas::make());
    const migrate::Plan plan =
        options_.rollback.empty() ? migrate::decide(observed, schemas) : migrate::decide_rollback(observed, originals_);
    // Several objects may have the same finding.
    std::set<std::string> said;
    for (const std::string& finding : plan.findings) {
      if (said.insert(finding).second) err_ << finding << "\n";
    }
    for (const std::string& why : plan.refused) err_ << why << "\n";
    if (!plan.refused.empty()) return fail(Code::kInvalid, "nothing is written: see the lines above");
    if (plan.writes.empty()) {
      out_ << "nothing to do\n";
      return ok();
    }
    return options_.apply ? apply(plan, observed, stop) : print(plan);
  }

 private:
  // The earlier file is read before anything else: what it contains must not be lost.
  Status read_file() {
    const bool restores = !options_.rollback.empty();
    const std::string& path = restores ? options_.rollback : options_.rollback_file;
    const std::optional<std::string> text = TRY(read_rollback_file(path));
    if (!text) return restores ? Status(fail(Code::kInvalid, path + ": there is no such file")) : ok();
    migrate::Originals earlier = TRY_IN(path, migrate::read_originals(*text));
    if (earlier.cluster != originals_.cluster)
      return fail(Code::kInvalid, path + " is the roll-back file of another cluster; " +
                                      (restores ? "nothing is restored" : "name another one with --rollback-file"));
    originals_ = std::move(earlier);
    return ok();
  }

  Status take_lease(const std::stop_token& stop) {
    const auto leases = TRY(migrate::find_leases(*client_, options_.leader_name, through_.runtime.now(), stop));
    const std::string running = migrate::live_holder(leases, options_.leader_name);
    if (!options_.apply) {
      if (!running.empty()) err_ << running << ": stop the controllers before --apply\n";
      return ok();
    }
    if (!running.empty())
      return fail(Code::kConflict, running + ": stop the controllers first, e.g. scale their Deployment to 0");
    kube::LeaderOptions lease{.ns = TRY(lease_namespace(leases, stop)), .name = options_.leader_name};
    lease.identity = identity();
    kube::ClientOptions own = through_.client;
    own.request_timeout = kube::lease_request_timeout(lease);
    err_ << "waiting for the lease " << lease.ns << "/" << lease.name << std::endl;
    lease_client_ = kube::make_client(through_.runtime, through_.kube, own);
    lease_ = TRY(migrate::HeldLease::acquire(through_.runtime, *lease_client_, std::move(lease), fence_, stop));
    return ok();
  }

  Result<std::string> lease_namespace(const std::vector<migrate::FoundLease>& leases, const std::stop_token& stop) {
    if (!options_.leader_namespace.empty()) return options_.leader_namespace;
    if (leases.size() == 1) return leases.front().ns;
    if (leases.size() > 1)
      return fail(Code::kInvalid, "several namespaces have a lease " + options_.leader_name +
                                      ": name the controller's with --leader-election-namespace");
    const migrate::Observed observed = TRY(migrate::observe(*client_, "", through_.runtime.now(), stop));
    if (observed.settings.empty()) return std::string("kube-system");
    return std::string(json::string_at(observed.settings.front(), {"metadata", "namespace"}));
  }

  std::string identity() const {
    char host[256] = "localhost";
    ::gethostname(host, sizeof host - 1);
    return "tenon-convert_" + std::string(host) + "_" + std::to_string(through_.runtime.random());
  }

  Result<migrate::Observed> observe(const std::stop_token& stop) {
    migrate::Observed observed =
        TRY(migrate::observe(*client_, options_.leader_namespace, through_.runtime.now(), stop));
    observed.cluster_name = options_.cluster_name;
    if (observed.cluster_name.empty() && !observed.settings.empty())
      observed.cluster_name = json::string_at(observed.settings.front(), {"data", "aws.clusterName"});
    if (migrate::instance_ids(observed).empty()) return observed;
    TRY_IN("connecting to AWS", connect_to_aws());
    TRY(migrate::observe_instances(*ec2_, observed, stop));
    return observed;
  }

  Status connect_to_aws() {
    const std::string region = TRY(aws::discover_region(through_.local, through_.environment, {}));
    credentials_ = TRY(
        aws::make_default_credentials({*fenced_aws_, through_.local, through_.runtime, through_.environment, region}));
    aws_ = std::make_unique<aws::Client>(aws::Client::Context{*fenced_aws_, through_.runtime, *credentials_},
                                         aws::Client::Options{.region = region,
                                                              .environment = through_.environment,
                                                              .user_agent = "tenon/" TENON_VERSION,
                                                              .retry = TRY(aws::retry_policy(through_.environment)),
                                                              .observer = {}});
    ec2_ = std::make_unique<aws::Ec2>(*aws_);
    return ok();
  }

  Status print(const migrate::Plan& plan) {
    for (const migrate::Write& write : plan.writes) out_ << migrate::describe(write) << "\n";
    out_ << plan.writes.size() << " writes; nothing is written\n";
    return ok();
  }

  Status apply(const migrate::Plan& plan, const migrate::Observed& observed, const std::stop_token& stop) {
    if (options_.rollback.empty()) {
      migrate::add_originals(observed, originals_);
      TRY(write_rollback_file(options_.rollback_file, migrate::write_originals(originals_)));
      out_ << "wrote " << options_.rollback_file << "\n";
    }
    migrate::Performer performer(*client_, ec2_.get());
    size_t done = 0;
    const auto report = [&](const migrate::Write& write) {
      ++done;
      out_ << migrate::describe(write) << std::endl;  // what was done is visible even if the process is killed
    };
    if (const Status performed = performer.perform(plan.writes, report, stop); !performed) {
      Error error = performed.error();
      error.message += "\n" + std::to_string(done) + " of " + std::to_string(plan.writes.size()) +
                       " writes are done; run the same command again to continue";
      return fail(std::move(error));
    }
    out_ << (options_.rollback.empty() ? "converted: " : "restored: ") << done << " writes\n";
    return ok();
  }

  const ConvertOptions& options_;
  const ConvertTransports& through_;
  std::ostream& out_;
  std::ostream& err_;
  http::Fence fence_;
  const std::unique_ptr<http::Transport> fenced_kube_, fenced_aws_;
  const std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Client> lease_client_;
  std::unique_ptr<aws::CredentialsProvider> credentials_;
  std::unique_ptr<aws::Client> aws_;
  std::unique_ptr<aws::Ec2> ec2_;              // null: no node is on AWS
  migrate::Originals originals_;               // those of the file
  std::unique_ptr<migrate::HeldLease> lease_;  // last: it uses the rest until it is released
};

}  // namespace

int convert_cluster(const ConvertOptions& options, const ConvertTransports& through, std::ostream& out,
                    std::ostream& err, const std::stop_token& stop) {
  const Status done = ClusterConversion(options, through, out, err).run(stop);
  if (done) return kExitDone;
  err << "tenon convert: " << done.error().message << "\n";
  return kExitError;
}

int run_convert_cluster(const ConvertOptions& options, std::ostream& out, std::ostream& err) {
  const auto runtime = runtime::make_live_runtime();
  std::unique_ptr<http::Transport> kube, aws, local;
  const auto connect = [&]() -> Result<ConvertTransports> {
    const aws::Environment environment = aws::process_environment();
    const kube::Connection connection = TRY(find_connection(options.kubeconfig, options.context, environment));
    const aws::Environment environment_of_aws = TRY(aws::with_profile(environment));
    const std::string ca_bundle = TRY(aws::read_ca_bundle(environment_of_aws));
    for (const std::string& warning : connection.warnings) err << "warning: " << warning << "\n";
    kube = make_kube_transport(*runtime, connection);
    aws = http::make_curl_transport({.ca_pem = ca_bundle});
    local = http::make_curl_transport({.ca_pem = ca_bundle, .no_proxy = true});
    return ConvertTransports{*runtime, *kube, *aws, *local, client_options(connection), environment_of_aws};
  };
  const Result<ConvertTransports> through = connect();
  if (through) return convert_cluster(options, *through, out, err);
  err << "tenon convert: " << through.error().message << "\n";
  return kExitError;
}

}  // namespace tenon::cli
