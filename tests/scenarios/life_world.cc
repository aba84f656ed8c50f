// SPDX-License-Identifier: Apache-2.0
#include "life_world.h"

#include <algorithm>

#include "awssim/testing/caller.h"
#include "base/check.h"
#include "base/text.h"
#include "json/json.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "kube/codec/default_spread.h"
#include "life_view.h"
#include "state/caps.h"
#include "testing/demo_node_class.h"
#include "testing/roles.h"

namespace tenon::scenarios {
namespace {

using json::value;
using kubesim::Object;

constexpr Duration kCheckInterval = 1s;  // between checks of a waiting step

constexpr const char* kNodePool = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
  disruption: {consolidateAfter: Never, budgets: [{nodes: "100%"}]}
)";

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {namespace: default}
spec:
  containers: [{name: main, image: pause, resources: {requests: {cpu: 1500m}}}]
)";

value parsed(const char* yaml) { return json::parse_yaml(yaml)->front(); }

// Returns the default, overlaid with the scenario's own members.
value merged(const char* yaml, const value* over) {
  value base = parsed(yaml);
  if (over) json::apply_merge_patch(base, *over);
  return base;
}

Result<Duration> duration_of(const value& v) {
  const auto d = v.is_string() ? parse_go_duration(v.get_string()) : std::nullopt;
  if (!d) return fail(Code::kInvalid, json::to_string(v) + " is not a duration");
  return *d;
}

Result<state::Caps> caps_of(const value& life) {
  state::Caps caps;
  if (const int64_t launches = json::int_at(life, {"maxLaunchesPerMinute"}); launches > 0)
    caps.launches_per_minute = launches;
  const std::string_view price = json::string_at(life, {"maxHourlyPrice"});
  if (price.empty()) return caps;
  caps.hourly_price = model::parse_price(price);
  if (!caps.hourly_price) return fail(Code::kInvalid, "maxHourlyPrice: " + std::string(price) + " is not a price");
  return caps;
}

std::string created_at(const Object& object) {
  return std::string(json::string_at(*object, {"metadata", "creationTimestamp"}));
}

}  // namespace

Result<std::unique_ptr<LifeWorld>> LifeWorld::make(const value& life, const AwsWire& aws_wire) {
  std::unique_ptr<LifeWorld> world(new LifeWorld);
  TRY(world->set_up(life, aws_wire));
  return world;
}

// Keeps the controllers' decisions and warnings, each with its time.
class LifeWorld::LogOfLife : public log::Sink {
 public:
  explicit LogOfLife(LifeWorld& life) : life_(life) {}
  void write(const log::Line& line) override {
    const Instant now = life_.world_ ? life_.world_->sim().now() : Instant();
    life_.note(line);
    if (!line.failure && !line.step && line.level != log::Level::kDebug)
      life_.decided_.push_back(format_rfc3339(now) + " " + log::plain_text(line));
  }

 private:
  LifeWorld& life_;
};

Status LifeWorld::set_up(const value& life, const AwsWire& aws_wire) {
  cli::DecisionSettings settings;
  settings.feature_gates = json::string_at(life, {"gates"});
  settings.node_price = json::string_at(life, {"nodePrice"}, "0");
  settings.max_nodes = json::int_at(life, {"maxNodes"});
  cli::SimWorld::Options options;
  options.decisions = TRY(cli::make_decisions(settings));
  const cli::Gates& gates = options.decisions.gates;
  options.seed = static_cast<uint64_t>(json::int_at(life, {"seed"}, 1));
  options.optional_crds = gates.node_overlays || gates.capacity_buffers;
  options.interruption_queue = std::string(json::string_at(life, {"interruptionQueue"}));
  options.isolated_vpc = json::bool_at(life, {"options", "isolatedVPC"});
  options.disable_dry_run = json::bool_at(life, {"options", "disableDryRun"});
  options.eks_control_plane = json::bool_at(life, {"options", "eksControlPlane"});
  options.zonal_shift = json::bool_at(life, {"options", "enableZonalShift"});
  options.log = log::Logger(std::make_shared<LogOfLife>(*this));
  options.aws_fault = [this](const std::string& action) { return answer_call(action); };
  options.aws_wire = aws_wire;
  options.machine_faults = machines_;
  options.kube_wire = [this](auto inner) { return testing::hold_to_roles(std::move(inner), refused_); };
  const state::Caps caps = TRY(caps_of(life));
  options.tune = [caps](controllers::ManagerOptions& manager) {
    manager.caps = caps;
    manager.settings_namespace = "kube-system";  // that of tenon-freeze
  };
  if (const value* config = json::find(life, {"schedulerConfig"})) {
    const auto spread = kube::codec::parse_scheduler_config(json::to_string(*config));
    CHECK(spread.has_value(), spread ? "" : spread.error().message);
    options.default_spread = *spread;
  }
  if (const value* prices = json::find(life, {"priceFile"})) {
    options.price_file = TRY(catalog::parse_price_file(json::to_string(*prices)));
  }
  world_ = TRY(cli::SimWorld::make(std::move(options)));
  for (auto [yaml, name] : {std::pair(testing::kDemoNodeClass, "nodeClass"), std::pair(kNodePool, "pool")}) {
    const value* over = json::find(life, {name});
    if (over && over->is_null()) continue;  // the scenario has none
    TRY_IN(name, create(merged(yaml, over)));
  }
  for (const value& object : json::array_at(life, {"given"})) TRY_IN("given", create(object));
  world_->sim().run_for(10s);  // node classes and NodePools are judged
  began_ = world_->sim().now();
  return ok();
}

Status LifeWorld::act(const value& step) {
  static const value kNothing = json::object();
  const value* expected = json::find(step, {"expect"});
  for (const auto& member : step.get_object()) {
    const std::string_view name = member.key();
    if (name != "expect") TRY_IN(name, perform(name, member.value(), expected ? *expected : kNothing));
  }
  if (!refused_.empty()) return fail(Code::kForbidden, "not in deploy/rbac.yaml: " + join(refused_, ", "));
  if (!expected) return ok();
  const auto wrong = differences(*expected);
  if (wrong.empty()) return ok();
  return fail(Code::kTimeout, "\n  " + join(wrong, "\n  ") + "\nat " + format_rfc3339(world_->sim().now()) +
                                  ", after\n  " + join(decided_, "\n  "));
}

Status LifeWorld::perform(std::string_view action, const value& given, const value& expected) {
  value how = given;
  TRY(fill_in(how));
  if (action == "why") return ok();
  if (action == "advance") return world_->sim().run_for(TRY(duration_of(how))), ok();
  if (action == "at") return advance_to(TRY(duration_of(how)));
  if (action == "until" || action == "hold") return wait(action, TRY(duration_of(how)), expected);
  if (action == "pods") return create_pods(how);
  if (action == "create") {
    for (const value& object : how.as_array()) TRY(create(object));
    return ok();
  }
  if (action == "patch") return patch(how);
  if (action == "condition") return set_condition(how);
  if (action == "delete") return remove(how);
  if (action == "fail") return fail_calls(how);
  if (action == "machines") return set_machines(how);
  if (action == "terminate") return terminate(std::string(how.as_string()));
  if (action == "warn") return warn(how);
  if (action == "impair") return impair(how);
  if (action == "messages") return send(how);
  if (action == "reserve") return reserve(how);
  if (action == "placementGroup") return place(how);
  if (action == "cancel") return cancel(std::string(how.as_string()));
  if (action == "call") return call(how);
  if (action == "deleteTemplates") return delete_templates();
  if (action == "shift") return shift(how);
  if (action == "crash") return world_->stop_controllers(), up_ = false, ok();
  if (action == "start") {
    if (up_) return fail(Code::kInvalid, "the controllers run");
    up_ = true;
    return world_->start_controllers();
  }
  return fail(Code::kInvalid, "there is no such action");
}

Status LifeWorld::create(value object) {
  const Kind kind = TRY(kind_named(json::string_at(object, {"kind"})));
  const value* status = json::find(object, {"status"});
  const value kept = status ? *status : value();
  const std::string name(json::string_at(object, {"metadata", "name"}));
  TRY(world_->cluster().api().create(kind.resource, kind.ns, std::move(object)));
  if (kept.is_null()) return ok();
  const value patch = json::object{{"status", kept}};
  TRY(world_->cluster().api().merge_patch(kind.resource, kind.ns, name, patch, "status"));
  return ok();
}

Status LifeWorld::create_pods(const value& pods) {
  for (const value& given : pods.as_array()) {
    value over = given;
    if (given.is_string()) over = json::object{{"metadata", json::object{{"name", given}}}};
    TRY(create(merged(kPod, &over)));
  }
  return ok();
}

Status LifeWorld::patch(const value& how) {
  const std::string reference(json::string_at(how, {"of"}));
  const Object object = TRY(find(reference));
  const Kind kind = TRY(kind_named(json::string_at(*object, {"kind"})));
  const value* changes = json::find(how, {"merge"});
  if (!changes) return fail(Code::kInvalid, "merge: missing");
  TRY(world_->cluster().api().merge_patch(kind.resource, kind.ns, json::string_at(*object, {"metadata", "name"}),
                                          *changes, json::bool_at(how, {"status"}) ? "status" : ""));
  return ok();
}

Status LifeWorld::set_condition(const value& how) {
  const Object object = TRY(find(std::string(json::string_at(how, {"of"}))));
  const Kind kind = TRY(kind_named(json::string_at(*object, {"kind"})));
  const auto [status, rest] = cut(json::string_at(how, {"is"}), ' ');
  json::array conditions;
  std::string since = format_rfc3339(world_->sim().now());
  for (const value& c : json::array_at(*object, {"status", "conditions"})) {
    if (json::string_at(c, {"type"}) != json::string_at(how, {"type"})) {
      conditions.push_back(c);
    } else if (json::string_at(c, {"status"}) == status) {
      since = json::string_at(c, {"lastTransitionTime"});
    }
  }
  conditions.push_back(json::object{{"type", json::string_at(how, {"type"})},
                                    {"status", status},
                                    {"reason", rest},
                                    {"message", ""},
                                    {"lastTransitionTime", since}});
  const value changes = json::object{{"status", json::object{{"conditions", conditions}}}};
  TRY(world_->cluster().api().merge_patch(kind.resource, kind.ns, json::string_at(*object, {"metadata", "name"}),
                                          changes, "status"));
  return ok();
}

Status LifeWorld::remove(const value& reference) {
  const Object object = TRY(find(std::string(reference.as_string())));
  const Kind kind = TRY(kind_named(json::string_at(*object, {"kind"})));
  return world_->cluster().api().remove(kind.resource, kind.ns, json::string_at(*object, {"metadata", "name"}));
}

Status LifeWorld::fail_calls(const value& how) {
  faults_.clear();
  for (const value& fault : how.as_array()) {
    faults_.push_back({std::string(json::string_at(fault, {"call"})), std::string(json::string_at(fault, {"with"})),
                       json::int_at(fault, {"times"}, INT64_MAX)});
  }
  return ok();
}

std::string LifeWorld::answer_call(const std::string& action) {
  for (Fault& fault : faults_) {
    if (fault.left <= 0 || !matches(fault.call, action)) continue;
    --fault.left;
    return fault.code;
  }
  return "";
}

Status LifeWorld::set_machines(const value& how) {
  machines_->join = json::bool_at(how, {"join"}, machines_->join);
  machines_->ready = json::bool_at(how, {"ready"}, machines_->ready);
  machines_->memory_less_mib = json::int_at(how, {"memoryLessMiB"}, machines_->memory_less_mib);
  if (const value* dies = json::find(how, {"dies"})) {
    const Object node = TRY(find(std::string(dies->as_string())));
    machines_->kill_kubelet(std::string(json::string_at(*node, {"metadata", "name"})));
  }
  return ok();
}

Result<std::string> LifeWorld::instance_of(const std::string& reference) {
  const Object claim = TRY(find(reference));
  const std::string id(json::string_at(*claim, {"status", "providerID"}));
  return id.substr(id.rfind('/') + 1);
}

// Terminates the instance of a NodeClaim as a user does in the cloud's console.
Status LifeWorld::terminate(const std::string& reference) {
  awssim::testing::Caller caller(world_->cluster().fake_aws(), world_->sim());
  const std::string id = TRY(instance_of(reference));
  const auto answer = caller.ec2("TerminateInstances", {{"InstanceId.1", id}});
  return answer.status == 200 ? ok() : fail(Code::kInvalid, answer.body);
}

// Shifts traffic away from a zone; "" ends the shift.
Status LifeWorld::shift(const value& how) {
  awssim::testing::Caller caller(world_->cluster().fake_aws(), world_->sim());
  const std::string away(how.as_string());
  http::ServerRequest request{.method = "DELETE", .raw_path = "/zonalshifts/" + shift_};
  if (!away.empty()) {
    const std::string arn =
        "arn:aws:eks:" + std::string(cli::kDemoRegion) + ":123456789012:cluster/" + cli::kDemoCluster;
    request = {.method = "POST", .raw_path = "/zonalshifts"};
    request.body = json::to_string(json::object{
        {"resourceIdentifier", arn}, {"awayFrom", away}, {"expiresIn", "72h"}, {"comment", "of the scenario"}});
  }
  const auto answer = caller.send(std::move(request), "arc-zonal-shift");
  if (answer.status >= 300) return fail(Code::kInvalid, answer.body);
  shift_ = json::string_at(*json::parse(answer.body), {"zonalShiftId"});
  return ok();
}

// Deletes every launch template as another user does.
Status LifeWorld::delete_templates() {
  awssim::testing::Caller caller(world_->cluster().fake_aws(), world_->sim());
  for (const std::string& id : caller.ec2("DescribeLaunchTemplates").all("//launchTemplateId")) {
    const auto answer = caller.ec2("DeleteLaunchTemplate", {{"LaunchTemplateId", id}});
    if (answer.status != 200) return fail(Code::kInvalid, answer.body);
  }
  return ok();
}

// Calls AWS as another user of the account.
Status LifeWorld::call(const value& how) {
  awssim::testing::Caller caller(world_->cluster().fake_aws(), world_->sim());
  for (const value& one : how.as_array()) {
    awssim::testing::Form form;
    for (const auto& member : json::object_at(one, {"with"}))
      form.emplace_back(member.key(), member.value().as_string());
    const value* iam = json::find(one, {"iam"});
    const std::string action(json::string_at(one, {iam ? "iam" : "ec2"}));
    const auto answer = iam ? caller.iam(action, std::move(form)) : caller.ec2(action, std::move(form));
    if (answer.status != 200) return fail(Code::kInvalid, answer.body);
  }
  return ok();
}

Status LifeWorld::warn(const value& how) {
  using awssim::Notice;
  static const std::map<std::string_view, Notice> kNotices{{"spot", Notice::kSpotInterruption},
                                                           {"reservation", Notice::kReservationInterruption},
                                                           {"rebalance", Notice::kRebalance},
                                                           {"change", Notice::kScheduledChange}};
  const auto notice = kNotices.find(json::string_at(how, {"notice"}));
  if (notice == kNotices.end()) return fail(Code::kInvalid, "there is no such notice");
  const std::string id = TRY(instance_of(std::string(json::string_at(how, {"of"}))));
  return world_->cluster().fake_aws().warn(id, notice->second) ? ok() : fail(Code::kInvalid, id + " has gone");
}

Status LifeWorld::impair(const value& how) {
  const std::string id = TRY(instance_of(std::string(json::string_at(how, {"of"}))));
  const auto check =
      json::string_at(how, {"check"}) == "system" ? awssim::StatusCheck::kSystem : awssim::StatusCheck::kInstance;
  return world_->cluster().fake_aws().impair(id, check) ? ok() : fail(Code::kInvalid, id + " has gone");
}

Status LifeWorld::reserve(const value& how) {
  awssim::FakeReservation reservation;
  const std::string name(json::string_at(how, {"name"}));
  reservation.instance_type = json::string_at(how, {"type"});
  reservation.zone = json::string_at(how, {"zone"});
  reservation.instances = json::int_at(how, {"instances"}, 1);
  reservation.block = json::bool_at(how, {"block"});
  reservation.tags = {{"name", name}};
  if (const value* lasts = json::find(how, {"lasts"})) {
    reservation.ends_at = world_->sim().now() + TRY(duration_of(*lasts));
  }
  reservations_[name] = world_->cluster().fake_aws().reserve(reservation);
  return ok();
}

Status LifeWorld::place(const value& how) {
  world_->cluster().fake_aws().make_placement_group({"", std::string(json::string_at(how, {"name"})),
                                                     std::string(json::string_at(how, {"strategy"})),
                                                     json::int_at(how, {"partitions"}, 0)});
  return ok();
}

Status LifeWorld::cancel(const std::string& name) {
  const bool done = world_->cluster().fake_aws().cancel_reservation(reservations_[name]);
  return done ? ok() : fail(Code::kInvalid, "there is no reservation " + name);
}

// Sends messages to the interruption queue.
Status LifeWorld::send(const value& messages) {
  awssim::testing::Caller caller(world_->cluster().fake_aws(), world_->sim());
  for (const value& message : messages.as_array()) {
    const std::string body = message.is_string() ? std::string(message.get_string()) : json::to_string(message);
    const value input =
        json::object{{"QueueUrl", std::string("http://sqs/123456789012/") + cli::kDemoCluster}, {"MessageBody", body}};
    const auto answer = caller.json("sqs", "AmazonSQS.SendMessage", json::to_string(input));
    if (answer.status != 200) return fail(Code::kInvalid, answer.body);
  }
  return ok();
}

Status LifeWorld::advance_to(Duration age) {
  const Duration left = began_ + age - world_->sim().now();
  if (left < Duration(0)) return fail(Code::kInvalid, "is over since " + format_go_duration(-left));
  return world_->sim().run_for(left), ok();
}

Status LifeWorld::wait(std::string_view how, Duration at_most, const value& expected) {
  const bool hold = how == "hold";
  for (Duration waited{}; waited < at_most; waited += kCheckInterval) {
    world_->sim().run_for(kCheckInterval);
    const auto wrong = differences(expected);
    if (hold && !wrong.empty()) {
      return fail(Code::kTimeout, join(decided_, "\n  ") + "\nafter " + format_go_duration(waited + kCheckInterval) +
                                      ":\n  " + join(wrong, "\n  "));
    }
    if (!hold && wrong.empty()) return ok();
  }
  return ok();  // the step's last check reports the remaining differences
}

std::vector<Object> LifeWorld::all_of(const std::string& name) {
  const auto kind = kind_named(name);
  CHECK(kind.has_value(), kind ? "" : kind.error().message);
  auto all = world_->cluster().api().list(kind->resource, kind->ns);
  CHECK(all.has_value(), all ? "" : all.error().message);
  std::stable_sort(all->items.begin(), all->items.end(),
                   [](const Object& a, const Object& b) { return created_at(a) < created_at(b); });
  return std::move(all->items);
}

Result<Object> LifeWorld::find(const std::string& reference) {
  const auto [kind, name] = cut(reference, '/');
  const auto [plain, number] = cut(kind, '#');
  const std::vector<Object> all = all_of(std::string(plain));
  if (!name.empty()) {
    for (const Object& object : all) {
      if (json::string_at(*object, {"metadata", "name"}) == name) return object;
    }
  } else if (const size_t at = number.empty() ? 0 : std::stoul(std::string(number)); at < all.size()) {
    if (number.empty() && all.size() > 1) return fail(Code::kInvalid, reference + ": there are several");
    return all[at];
  }
  return fail(Code::kNotFound, reference + ": there is none");
}

Status LifeWorld::fill_in(value& v) {
  if (v.is_object()) {
    for (auto& member : v.get_object()) TRY(fill_in(member.value()));
  } else if (v.is_array()) {
    for (value& item : v.get_array()) TRY(fill_in(item));
  } else if (v.is_string()) {
    std::string text(v.get_string());
    for (size_t at = text.find("$("); at != std::string::npos; at = text.find("$(")) {
      const size_t end = text.find(')', at);
      const auto [reference, path] = cut(std::string_view(text).substr(at + 2, end - at - 2), '.');
      if (path == "instance") {
        text.replace(at, end + 1 - at, TRY(instance_of(std::string(reference))));
        continue;
      }
      const Object object = TRY(find(std::string(reference)));
      const value* found = object.get();
      for (const std::string_view part : split(path.empty() ? "metadata.name" : path, '.')) {
        found = found ? json::find(*found, {part}) : nullptr;
      }
      if (!found || !found->is_string()) return fail(Code::kInvalid, text + ": no such text");
      text.replace(at, end + 1 - at, std::string(found->get_string()));
    }
    v = text;
  }
  return ok();
}

}  // namespace tenon::scenarios
