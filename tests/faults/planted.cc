// SPDX-License-Identifier: Apache-2.0
#include "faults/planted.h"

#include <boost/json/value.hpp>
#include <map>
#include <utility>

#include "base/text.h"
#include "catalog/catalog.h"
#include "faults/faulty_executor.h"
#include "faults/read_rewriter.h"
#include "json/json.h"

namespace tenon::faults {
namespace {

using json::value;
using Wrap = std::function<std::unique_ptr<http::Transport>(std::unique_ptr<http::Transport>)>;

constexpr double kTenTimes = 10;
constexpr double kMirror = 0.2;  // USD per hour: the price that stays as it is if prices are inverted

bool rewrite(const Planted& planted, std::string_view resource, value& object) {
  if (resource == "daemonsets") return !planted.forget_daemon_sets;
  if (resource == "nodepools") {
    if (planted.ignore_limits) json::erase(object, {"spec", "limits"});
    if (planted.ignore_budgets)
      json::ensure(object, {"spec", "disruption", "budgets"}) = json::array{value{{"nodes", "100%"}}};
  }
  if (resource == "pods") {
    if (planted.ignore_do_not_disrupt) json::erase(object, {"metadata", "annotations", "karpenter.sh/do-not-disrupt"});
    const bool runs = !json::string_at(object, {"spec", "nodeName"}).empty();
    if (planted.forget_spreads && runs) json::erase(object, {"spec", "topologySpreadConstraints"});
  }
  return true;
}

ReadRewriter rewriter_of(const Planted& planted) {
  ReadRewriter rewriter;
  if (planted.forget_daemon_sets) rewriter.resources.insert("daemonsets");
  if (planted.ignore_limits || planted.ignore_budgets) rewriter.resources.insert("nodepools");
  if (planted.ignore_do_not_disrupt || planted.forget_spreads) rewriter.resources.insert("pods");
  rewriter.rewrite = [planted](std::string_view resource, value& object) { return rewrite(planted, resource, object); };
  return rewriter;
}

// Changes requests to EC2: launches without tags, and no list of instances.
class FaultyAws final : public http::Transport {
 public:
  FaultyAws(std::unique_ptr<http::Transport> inner, Planted planted)
      : inner_(std::move(inner)), planted_(std::move(planted)) {}
  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const bool lists = calls(request, "DescribeInstances") && request.body.find("tag-key") != std::string::npos;
    if (planted_.skip_collection && lists) {
      return http::Response{403,
                            {{"Content-Type", "text/xml"}},
                            "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>planted</Message>"
                            "</Error></Errors><RequestID>planted</RequestID></Response>"};
    }
    const bool tags = calls(request, "CreateFleet") || calls(request, "CreateLaunchTemplate");
    return inner_->send(planted_.omit_tags && tags ? without_tags(request) : request, stop);
  }
  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    return inner_->stream(request, sink, stop);
  }

 private:
  static bool calls(const http::Request& request, const std::string& action) {
    return request.body.find("Action=" + action + "&") != std::string::npos;
  }
  static http::Request without_tags(http::Request request) {
    std::string body;
    for (const std::string_view field : split(request.body, '&')) {
      const bool of_launch = field.starts_with("TagSpecification.") ? calls(request, "CreateFleet")
                                                                    : field.find("TagSpecification.") != field.npos;
      if (!of_launch) body += (body.empty() ? "" : "&") + std::string(field);
    }
    request.body = std::move(body);
    return request;
  }

  const std::unique_ptr<http::Transport> inner_;
  const Planted planted_;
};

void change_prices(const Planted& planted, awssim::FakeAws& aws) {
  if (!planted.swap_price_of.empty()) aws.scale_price(planted.swap_price_of, kTenTimes);
  if (!planted.invert_prices) return;
  for (const catalog::InstanceFacts& type : catalog::all_instance_types()) {
    if (!type.on_demand) continue;
    const double price = static_cast<double>(type.on_demand->value()) / static_cast<double>(model::kPicoPerUsd);
    if (price > 0) aws.scale_price(std::string(type.name), kMirror * kMirror / (price * price));
  }
}

Wrap after(Wrap first, Wrap second) {
  return [first = std::move(first), second = std::move(second)](std::unique_ptr<http::Transport> inner) {
    return second(first ? first(std::move(inner)) : std::move(inner));
  };
}

}  // namespace

Result<Planted> parse(const std::string& name) {
  static const std::map<std::string_view, bool Planted::*> kSwitches{
      {"ignore-budgets", &Planted::ignore_budgets},
      {"skip-drain", &Planted::skip_drain},
      {"forget-daemonsets", &Planted::forget_daemon_sets},
      {"omit-tags", &Planted::omit_tags},
      {"ignore-limits", &Planted::ignore_limits},
      {"ignore-do-not-disrupt", &Planted::ignore_do_not_disrupt},
      {"skip-collection", &Planted::skip_collection},
      {"invert-prices", &Planted::invert_prices},
      {"skip-waiting", &Planted::skip_waiting},
      {"ignore-notices", &Planted::ignore_notices},
      {"forget-mistakes", &Planted::forget_mistakes},
      {"forget-spreads", &Planted::forget_spreads}};
  constexpr std::string_view kSwapPrice = "swap-price=";
  Planted planted;
  if (const auto at = kSwitches.find(name); at != kSwitches.end()) {
    planted.*at->second = true;
  } else if (name.starts_with(kSwapPrice)) {
    planted.swap_price_of = name.substr(kSwapPrice.size());
  } else if (!name.empty()) {
    std::string names;
    for (const auto& [known, flag] : kSwitches) names += std::string(known) + ", ";
    return fail(Code::kInvalid, "no fault \"" + name + "\"; there are: " + names + "swap-price=TYPE");
  }
  return planted;
}

void plant(const Planted& planted, cli::SimWorld::Options& options) {
  if (!rewriter_of(planted).resources.empty()) {
    options.kube_wire = after(options.kube_wire, [planted](std::unique_ptr<http::Transport> inner) {
      return rewrite_reads(std::move(inner), rewriter_of(planted));
    });
  }
  if (planted.omit_tags || planted.skip_collection) {
    options.aws_wire = after(options.aws_wire, [planted](std::unique_ptr<http::Transport> inner) {
      return std::make_unique<FaultyAws>(std::move(inner), planted);
    });
  }
  options.made = [planted, before = std::move(options.made)](cli::SimWorld& world) {
    if (before) before(world);
    change_prices(planted, world.cluster().fake_aws());
  };
  options.tune = [planted, before = std::move(options.tune)](controllers::ManagerOptions& manager) {
    if (before) before(manager);
    // With the forecast, too few moves fail for a simulation to show that they are repeated. Hindsight would hide most
    // moves of a controller that forgets spreads.
    if (planted.forget_mistakes) manager.disruption.forecast = false;
    if (planted.forget_mistakes || planted.forget_spreads) manager.disruption.hindsight = false;
    if (planted.skip_drain) manager.wrap_executor = skip_drains;
    if (planted.skip_waiting) manager.wrap_executor = skip_waiting;
    if (planted.ignore_notices) manager.wrap_executor = ignore_notices;
  };
}

}  // namespace tenon::faults
