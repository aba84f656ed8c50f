// SPDX-License-Identifier: Apache-2.0
#include "migrate/lease.h"

#include "base/instant.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::migrate {
namespace {

// A vanished holder's lease must be observed unchanged for its duration, which the lease itself says: 15 s by default.
constexpr Duration kPatience = 60s;

bool is_live(const json::value& lease, Instant now) {
  if (json::string_at(lease, {"spec", "holderIdentity"}).empty()) return false;
  const auto renewed = parse_rfc3339(json::string_at(lease, {"spec", "renewTime"}));
  if (!renewed) return true;  // nothing says that it is not
  // Not renewed + duration: a time beyond the range is Instant::max().
  return now - std::chrono::seconds(json::int_at(lease, {"spec", "leaseDurationSeconds"})) < *renewed;
}

}  // namespace

Result<std::vector<FoundLease>> find_leases(kube::Client& client, const std::string& name, Instant now,
                                            const std::stop_token& stop) {
  const kube::ListPage page = TRY(client.list(kube::kLeases, {.field_selector = "metadata.name=" + name}, stop));
  std::vector<FoundLease> found;
  for (const json::value& lease : page.items) {
    found.push_back({std::string(json::string_at(lease, {"metadata", "namespace"})),
                     std::string(json::string_at(lease, {"spec", "holderIdentity"})), is_live(lease, now)});
  }
  return found;
}

std::string live_holder(const std::vector<FoundLease>& leases, const std::string& name) {
  for (const FoundLease& lease : leases) {
    if (lease.live) return lease.holder + " holds the lease " + lease.ns + "/" + name;
  }
  return {};
}

Result<std::unique_ptr<HeldLease>> HeldLease::acquire(runtime::Runtime& runtime, kube::Client& client,
                                                      kube::LeaderOptions options, http::Fence& fence,
                                                      const std::stop_token& stop) {
  const std::string what = options.ns + "/" + options.name;
  std::unique_ptr<HeldLease> held(new HeldLease(runtime, client, std::move(options)));
  kube::LeaderElector& elector = held->elector_;
  elector.on_renewed([&fence](Instant until) { return fence.extend(until); });
  elector.on_lost([&fence, &elector, what] { fence.close("lost the lease " + what + ": " + elector.last_problem()); });
  std::stop_source enough;
  const std::stop_callback on_stop(stop, [&enough] { enough.request_stop(); });
  const auto timer = runtime.spawn("lease.patience", [&](const std::stop_token& ended) {
    if (runtime.sleep_for(kPatience, ended) == runtime::Wake::kTimeout) enough.request_stop();
  });
  const Status acquired = elector.acquire(enough.get_token());
  timer->request_stop();
  timer->join();
  if (acquired) return held;
  if (stop.stop_requested()) return fail(acquired.error());
  const std::string problem = elector.last_problem();
  return fail(Code::kConflict, "the lease " + what + " is not free: " +
                                   (problem.empty() ? "a controller renews it; stop it first" : problem));
}

HeldLease::~HeldLease() { elector_.release({}); }

}  // namespace tenon::migrate
