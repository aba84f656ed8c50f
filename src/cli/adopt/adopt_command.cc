// SPDX-License-Identifier: Apache-2.0
#include "cli/adopt/adopt_command.h"

#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "adopt/permissions.h"
#include "aws/environment.h"
#include "base/check.h"
#include "base/text.h"
#include "cli/adopt/ask_aws.h"
#include "cli/adopt/originals_file.h"
#include "cli/install/iam_files.h"
#include "cli/options/feature_gates.h"
#include "cli/options/table.h"
#include "cli/wiring/connection.h"
#include "json/json.h"
#include "migrate/perform.h"
#include "runtime/live.h"
#include "schema/known_schemas.h"

namespace tenon::cli {
namespace {

void print_table(const adopt::Report& report, std::ostream& out) {
  size_t width = 0;
  for (const adopt::Finding& finding : report.findings) width = std::max(width, finding.object.size());
  for (const adopt::Finding& finding : report.findings)
    out << fmt::format("{:<8} {:<{}} {}\n", to_string(finding.level), finding.object, width, finding.text);
}

void print_json(const adopt::Report& report, std::ostream& out) {
  json::array findings, writes;
  for (const adopt::Finding& finding : report.findings)
    findings.push_back(
        json::object{{"level", to_string(finding.level)}, {"object", finding.object}, {"message", finding.text}});
  for (const migrate::Write& write : report.writes) writes.push_back(json::value(migrate::describe(write)));
  out << json::to_pretty(
      json::object{{"blocked", report.blocked()}, {"findings", std::move(findings)}, {"writes", std::move(writes)}});
}

Status perform(kube::Client& client, const std::vector<migrate::Write>& writes, std::ostream& err,
               const std::stop_token& stop) {
  const auto report = [&err](const migrate::Write& write) { err << migrate::describe(write) << std::endl; };
  return migrate::Performer(client, nullptr).perform(writes, report, stop);
}

Status apply(const AdoptOptions& options, kube::Client& client, const adopt::Observed& observed,
             const adopt::Report& report, std::ostream& err, const std::stop_token& stop) {
  if (report.blocked()) return fail(Code::kInvalid, "nothing is written: see the findings that block");
  if (report.writes.empty()) return ok();
  // An interrupted run has written the file: what it removed is in there only.
  adopt::Documents originals = TRY(read_originals_file(options.rollback_file, observed.cluster));
  TRY(write_originals_file(options.rollback_file, observed.cluster, add_originals(report.originals, originals)));
  err << "wrote " << options.rollback_file << "\n";
  return perform(client, report.writes, err, stop);
}

Status restore(const AdoptOptions& options, kube::Client& client, const adopt::Observed& observed, std::ostream& err,
               const std::stop_token& stop) {
  const adopt::Documents originals = TRY(read_originals_file(options.rollback, observed.cluster));
  if (originals.empty()) return fail(Code::kInvalid, options.rollback + ": there is no such file, or it is empty");
  const std::vector<migrate::Write> writes = restoring_writes(originals, observed);
  if (options.apply) return perform(client, writes, err, stop);
  for (const migrate::Write& write : writes) err << migrate::describe(write) << "\n";
  return ok();
}

Status adopt_or_restore(const AdoptOptions& options, kube::Client& client, const AskCloud& ask_cloud, Instant now,
                        std::ostream& out, std::ostream& err, bool& blocked, const std::stop_token& stop) {
  adopt::Observed observed = TRY(adopt::observe(client, options.leader_name, now, stop));
  if (!options.rollback.empty()) return restore(options, client, observed, err, stop);
  observed.cloud = ask_cloud(adopt::cloud_names(observed), stop);
  const schema::KnownSchemas schemas = TRY(schema::KnownSchemas::make());
  const adopt::Report report = adopt::inspect(observed, options.leader_name, known_settings(), schemas);
  options.output == "json" ? print_json(report, out) : print_table(report, out);
  blocked = report.blocked();
  return options.apply ? apply(options, client, observed, report, err, stop) : ok();
}

}  // namespace

adopt::KnownSettings known_settings() {
  adopt::KnownSettings known;
  for (const Row& row : option_rows()) {
    if (!row.in.has(Command::kController)) continue;
    const bool from_environment = row.from_environment.has(Command::kController);
    if (row.field == nullptr) {
      known.without_effect.insert(long_flag(row));
      if (from_environment) known.without_effect.insert(variable(row));
    } else {
      known.flags.insert(long_flag(row));
      if (from_environment) known.variables.insert(variable(row));
    }
  }
  const std::string gates = gate_names();
  for (const std::string_view gate : split(gates, ',')) {
    const std::string_view name = trim(gate);
    known.feature_gates.insert(std::string(name.substr(0, name.find(' '))));
  }
  const auto policy = json::parse(install::iam_file("controller-policy"));
  CHECK(policy, "deploy/iam/controller-policy.json is not JSON");
  known.actions = adopt::actions_of(*policy);
  return known;
}

int adopt_cluster(const AdoptOptions& options, kube::Client& client, const AskCloud& ask_cloud, Instant now,
                  std::ostream& out, std::ostream& err, const std::stop_token& stop) {
  bool blocked = false;
  const Status done = adopt_or_restore(options, client, ask_cloud, now, out, err, blocked, stop);
  if (!done) err << "tenon adopt: " << done.error().message << "\n";
  return done && !blocked ? kExitDone : kExitError;
}

int run_adopt(const AdoptOptions& options, std::ostream& out, std::ostream& err) {
  if (options.dry_run == options.apply) {
    err << "tenon adopt: give one of --dry-run and --apply\n";
    return kExitUsage;
  }
  const aws::Environment environment = aws::process_environment();
  const Result<kube::Connection> connection = find_connection(options.kubeconfig, options.context, environment);
  if (!connection) {
    err << "tenon adopt: " << connection.error().message << "\n";
    return kExitError;
  }
  for (const std::string& warning : connection->warnings) err << "warning: " << warning << "\n";
  const auto runtime = runtime::make_live_runtime();
  const auto transport = make_kube_transport(*runtime, *connection);
  const auto client = kube::make_client(*runtime, *transport, client_options(*connection));
  const AskCloud ask_cloud = [&](const adopt::CloudNames& names, const std::stop_token& stop) {
    return ask_aws(*runtime, environment, names, stop);
  };
  return adopt_cluster(options, *client, ask_cloud, runtime->now(), out, err);
}

}  // namespace tenon::cli
