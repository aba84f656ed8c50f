// The front of the simulated AWS: selects the service, checks the signature, counts calls, injects faults, and encodes
// the answer of the service in that service's protocol.
// SPDX-License-Identifier: Apache-2.0
#include "awssim/fake_aws.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "awssim/account/signature.h"
#include "awssim/account/world.h"
#include "awssim/ec2/ec2.h"
#include "awssim/services/services.h"
#include "awssim/services/sts.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::awssim {
namespace {

enum class Protocol { kEc2, kQuery, kJson, kRest };

struct ServiceFacts {
  std::string_view name;  // in the credential scope
  Protocol protocol;
  std::string_view target_prefix;  // of X-Amz-Target
  std::string_view version;        // of the query protocol
  bool regional;                   // the credential scope must name our region
};
constexpr ServiceFacts kServices[] = {{"ec2", Protocol::kEc2, "", "2016-11-15", true},
                                      {"iam", Protocol::kQuery, "", "2010-05-08", false},
                                      {"sts", Protocol::kQuery, "", "2011-06-15", false},
                                      {"ssm", Protocol::kJson, "AmazonSSM.", "", true},
                                      {"pricing", Protocol::kJson, "AWSPriceListService.", "", false},
                                      {"sqs", Protocol::kJson, "AmazonSQS.", "", true},
                                      {"eks", Protocol::kRest, "", "", true},
                                      {"arc-zonal-shift", Protocol::kRest, "", "", true}};

const ServiceFacts* service_named(std::string_view name) {
  for (const ServiceFacts& service : kServices)
    if (service.name == name) return &service;
  return nullptr;
}

// "api.pricing.us-east-1.amazonaws.com" → pricing.
const ServiceFacts* service_of_host(std::string_view host) {
  if (!cut(host, ':').first.ends_with(".amazonaws.com")) return nullptr;
  for (std::string_view label : split(host, '.'))
    if (const ServiceFacts* service = service_named(label)) return service;
  return nullptr;
}

// Selects the service by the signature's scope; for unsigned requests by host, then by markers of the protocol.
const ServiceFacts* service_of(const http::ServerRequest& request, const Params& params) {
  if (auto claim = read_signature(request)) return service_named(claim->service);
  if (const ServiceFacts* service = service_of_host(request.host)) return service;
  std::string_view target = request.headers.get("x-amz-target");
  for (const ServiceFacts& service : kServices) {
    if (!service.target_prefix.empty() && target.starts_with(service.target_prefix)) return &service;
    if (!service.version.empty() && params.get("Version") == service.version) return &service;
  }
  if (!zonal_shift_action(request.method, request.raw_path).empty()) return service_named("arc-zonal-shift");
  return request.raw_path.starts_with("/clusters/") ? service_named("eks") : nullptr;
}

AwsError signature_error(SignatureVerdict verdict, Protocol protocol) {
  constexpr std::string_view kMismatch =
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
      "and "
      "signing method. Consult the service documentation for details.";
  bool json = protocol == Protocol::kJson || protocol == Protocol::kRest;
  int status = protocol == Protocol::kJson ? 400 : 403;
  switch (verdict) {
    case SignatureVerdict::kMissing:
      if (json) return {status, "MissingAuthenticationTokenException", "Missing Authentication Token"};
      return {status, "MissingAuthenticationToken", "Request is missing Authentication Token"};
    case SignatureVerdict::kUnknownKey:
      if (protocol == Protocol::kEc2)
        return {401, "AuthFailure", "AWS was not able to validate the provided access credentials"};
      return {status, json ? "UnrecognizedClientException" : "InvalidClientTokenId",
              "The security token included in the request is invalid."};
    case SignatureVerdict::kExpired:
      if (protocol == Protocol::kEc2) return {400, "RequestExpired", "Request has expired."};
      return {status, json ? "InvalidSignatureException" : "SignatureDoesNotMatch",
              "Signature expired: the date of the request is not within 5 minutes of the server's time."};
    case SignatureVerdict::kWrongScope:
      return {status, json ? "InvalidSignatureException" : "SignatureDoesNotMatch",
              "Credential should be scoped to a valid region."};
    case SignatureVerdict::kMismatch:
    case SignatureVerdict::kGood: break;
  }
  if (protocol == Protocol::kEc2) return {403, "SignatureDoesNotMatch", std::string(kMismatch)};
  return {status, json ? "InvalidSignatureException" : "SignatureDoesNotMatch", std::string(kMismatch)};
}

http::Response xml_response(int status, const Xml& xml) {
  http::Response response{status, {{"Content-Type", "text/xml;charset=UTF-8"}}, ""};
  response.body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + xml.str();
  return response;
}

http::Response json_response(int status, const json::value& document) {
  return {status, {{"Content-Type", "application/x-amz-json-1.1"}}, json::to_string(document)};
}

http::Response error_response(Protocol protocol, const AwsError& error, const std::string& request_id) {
  if (protocol == Protocol::kJson || protocol == Protocol::kRest) {
    json::object body{{"__type", error.code}};
    if (!error.message.empty()) body["message"] = error.message;
    http::Response response = json_response(error.status, body);
    response.headers.set("x-amzn-ErrorType", error.code);
    response.headers.set("x-amzn-RequestId", request_id);
    return response;
  }
  Xml xml;
  auto write_error = [&] { xml.text("Code", error.code).text("Message", error.message); };
  if (protocol == Protocol::kEc2) {
    xml.element("Response", [&] {
      xml.element("Errors", [&] { xml.element("Error", write_error); });
      xml.text("RequestID", request_id);
    });
  } else {
    xml.element("ErrorResponse", [&] {
      xml.element("Error", [&] {
        xml.text("Type", error.status < 500 ? "Sender" : "Receiver");
        write_error();
      });
      xml.text("RequestId", request_id);
    });
  }
  return xml_response(error.status, xml);
}

// <ActionResponse xmlns="…">content</ActionResponse>
Xml envelope(const std::string& action, std::string_view xmlns, std::string_view content) {
  Xml xml;
  xml.raw("<" + action + "Response xmlns=\"").raw(xmlns).raw("\">").raw(content).raw("</" + action + "Response>");
  return xml;
}

Params params_of(const http::ServerRequest& request) {
  return Params::parse(request.body.empty() ? request.raw_query : request.body);
}

std::string action_of(const ServiceFacts& service, const http::ServerRequest& request, const Params& params) {
  switch (service.protocol) {
    case Protocol::kEc2:
    case Protocol::kQuery: return std::string(params.get("Action"));
    case Protocol::kJson: {
      std::string_view target = request.headers.get("x-amz-target");
      return target.starts_with(service.target_prefix) ? std::string(target.substr(service.target_prefix.size())) : "";
    }
    case Protocol::kRest:
      return service.name == "eks" ? "DescribeCluster" : zonal_shift_action(request.method, request.raw_path);
  }
  return {};
}

class FakeAwsImpl final : public FakeAws {
 public:
  FakeAwsImpl(runtime::Runtime& runtime, FakeAwsOptions options)
      : world_(runtime, std::move(options)), queue_(world_) {}

  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override {
    writer.respond(answer(request, stop));
  }

  void each_instance(const std::function<void(const FakeInstance&)>& visit) const override {
    const Instant now = world_.runtime.now();
    std::lock_guard lock(world_.mutex);
    world_.settle(now);
    for (const auto& [key, instance] : world_.instances) {
      const auto home = world_.reservations.find(instance.capacity_reservation_id);
      if (home == world_.reservations.end() || World::state_of(home->second, now) == "active") {
        visit(instance);
        continue;
      }
      FakeInstance homeless = instance;
      homeless.capacity_reservation_id.clear();
      visit(homeless);
    }
  }

  runtime::Event& changed() override { return *world_.changed; }

  int calls(const std::string& action) const override {
    std::lock_guard lock(calls_mutex_);
    if (action == "*") {
      return std::accumulate(calls_.begin(), calls_.end(), 0,
                             [](int sum, const auto& one) { return sum + one.second; });
    }
    auto found = calls_.find(action);
    return found == calls_.end() ? 0 : found->second;
  }

  void scale_price(const std::string& instance_type, double factor) override {
    std::lock_guard lock(world_.mutex);
    auto [at, inserted] = world_.price_factors.emplace(instance_type, factor);
    if (!inserted) at->second *= factor;
  }

  bool reclaim(const std::string& instance_id) override {
    return change_living(instance_id, [&](Instance& instance, Instant now) { take_back(instance, now); });
  }

  bool warn(const std::string& instance_id, Notice notice) override {
    return change_living(instance_id, [&](Instance& instance, Instant now) {
      world_.publish(instance, notice, now);
      if (notice == Notice::kScheduledChange) instance.retired_at = now;
      if (notice != Notice::kSpotInterruption && notice != Notice::kReservationInterruption) return;
      instance.reclaimed_at = std::min(instance.reclaimed_at, now + kInterruptionNotice);
      if (!reaper_) reaper_ = world_.runtime.spawn("ec2.reclaims", [this](const auto& stop) { reap(stop); });
    });
  }

  std::string reserve(FakeReservation reservation) override {
    std::lock_guard lock(world_.mutex);
    reservation.id = world_.new_id("cr-");
    world_.reservations.emplace(reservation.id, reservation);
    return reservation.id;
  }

  bool cancel_reservation(const std::string& id) override {
    std::lock_guard lock(world_.mutex);
    const auto found = world_.reservations.find(id);
    if (found == world_.reservations.end()) return false;
    found->second.cancelled = true;
    return true;
  }

  std::string make_placement_group(FakePlacementGroup group) override {
    std::lock_guard lock(world_.mutex);
    group.id = world_.new_id("pg-");
    world_.placement_groups.emplace(group.id, group);
    return group.id;
  }

  bool impair(const std::string& instance_id, StatusCheck check) override {
    return change_living(instance_id, [&](Instance& instance, Instant now) {
      (check == StatusCheck::kInstance ? instance.instance_failed_since : instance.system_failed_since) = now;
    });
  }

 private:
  static bool living(const Instance& instance) { return instance.state == "pending" || instance.state == "running"; }

  // The caller holds the world's mutex.
  void take_back(Instance& instance, Instant now) {
    world_.end(instance, "Server.SpotInstanceTermination: Spot instance termination", now);
  }

  // Returns false if there is no such pending or running instance.
  bool change_living(const std::string& instance_id, const std::function<void(Instance&, Instant)>& change) {
    {
      std::lock_guard lock(world_.mutex);
      Instant now = world_.runtime.now();
      world_.settle(now);
      Instance* instance = world_.instance(instance_id);
      if (!instance || !living(*instance)) return false;
      change(*instance, now);
    }
    world_.announce();
    return true;
  }

  // Terminates the warned instances when their time comes.
  void reap(const std::stop_token& stop) {
    while (true) {
      uint64_t seen = world_.changed->version();
      Instant now = world_.runtime.now(), next = kNever;
      bool ended = false;
      {
        std::lock_guard lock(world_.mutex);
        world_.settle(now);
        for (auto& [key, instance] : world_.instances) {
          if (!living(instance)) continue;
          if (instance.reclaimed_at > now) {
            next = std::min(next, instance.reclaimed_at);
          } else {
            take_back(instance, now);
            ended = true;
          }
        }
      }
      if (ended) world_.announce();  // also resumes this loop
      if (world_.changed->wait(seen, next, stop) == runtime::Wake::kStopped) return;
    }
  }

  http::Response answer(const http::ServerRequest& request, const std::stop_token& stop) {
    Params params = params_of(request);
    const ServiceFacts* service = service_of(request, params);
    std::string id = request_id();
    if (!service)
      return error_response(Protocol::kQuery, {404, "UnknownService", "No service answers here to this request."}, id);
    if (auto error = refusal(*service, request)) return error_response(service->protocol, *error, id);
    std::string action = action_of(*service, request, params);
    count(action);
    if (world_.options.fault) {
      if (std::string code = world_.options.fault(action); !code.empty())
        return error_response(service->protocol, asked_for(code, "This failure was asked for."), id);
    }
    if (service->protocol == Protocol::kEc2 || service->protocol == Protocol::kQuery)
      return answer_xml(*service, action, params, signer(request), id);
    return answer_json(*service, action, request, stop);
  }

  static std::string signer(const http::ServerRequest& request) {
    const auto claim = read_signature(request);
    return claim ? claim->access_key_id : "";
  }

  std::optional<AwsError> refusal(const ServiceFacts& service, const http::ServerRequest& request) const {
    if (!world_.options.check_signatures) return std::nullopt;
    const FakeAwsOptions& options = world_.options;
    SignatureKeys keys{options.access_key_id, options.secret_access_key,
                       service.regional ? std::string_view(options.region) : std::string_view(), world_.runtime.now()};
    const std::optional<RoleSession> session = sts_.session(signer(request));
    if (session) {
      keys.access_key_id = session->access_key_id;
      keys.secret_access_key = session->secret_access_key;
      keys.session_token = session->token;
    }
    SignatureVerdict verdict = check_signature(request, keys);
    if (verdict == SignatureVerdict::kGood) return std::nullopt;
    return signature_error(verdict, service.protocol);
  }

  http::Response answer_xml(const ServiceFacts& service, const std::string& action, const Params& params,
                            const std::string& caller, const std::string& id) {
    Xml content;
    if (service.protocol == Protocol::kEc2) {
      content.text("requestId", id);
      if (auto done = ec2::perform(world_, action, params, content); !done)
        return error_response(service.protocol, done.error(), id);
      return xml_response(200, envelope(action, "http://ec2.amazonaws.com/doc/2016-11-15/", content.str()));
    }
    bool iam = service.name == "iam";
    Xml result;
    auto done = iam ? perform_iam(world_, action, params, result) : sts_.perform(action, params, caller, result);
    if (!done) return error_response(service.protocol, done.error(), id);
    if (!result.str().empty()) content.element(action + "Result", [&] { content.raw(result.str()); });
    content.element("ResponseMetadata", [&] { content.text("RequestId", id); });
    return xml_response(
        200, envelope(action,
                      iam ? "https://iam.amazonaws.com/doc/2010-05-08/" : "https://sts.amazonaws.com/doc/2011-06-15/",
                      content.str()));
  }

  http::Response answer_json(const ServiceFacts& service, const std::string& action, const http::ServerRequest& request,
                             const std::stop_token& stop) {
    std::string id = request_id();
    Outcome<json::value> output = [&]() -> Outcome<json::value> {
      if (service.name == "eks") return perform_eks(world_, request.method, request.raw_path);
      auto input = json::parse(request.body.empty() ? "{}" : request.body);
      if (!input || !input->is_object()) return deny("SerializationException", "The body is not a JSON object.");
      if (service.name == "arc-zonal-shift")
        return perform_zonal_shift(world_, request.method, request.raw_path, input->get_object());
      if (service.name == "ssm") return perform_ssm(world_, action, input->get_object());
      if (service.name == "pricing") return perform_pricing(world_, action, input->get_object());
      return queue_.perform(action, input->get_object(), request.host, stop);
    }();
    if (!output) return error_response(service.protocol, output.error(), id);
    http::Response response = json_response(action == "StartZonalShift" ? 201 : 200, *output);
    response.headers.set("x-amzn-RequestId", id);
    return response;
  }

  void count(const std::string& action) {
    std::lock_guard lock(calls_mutex_);
    ++calls_[action];
  }

  std::string request_id() {
    std::lock_guard lock(world_.mutex);
    return world_.new_uuid();
  }

  mutable World world_;
  Sts sts_{world_};
  Queue queue_;
  mutable std::mutex calls_mutex_;
  std::map<std::string, int, std::less<>> calls_;  // guarded by calls_mutex_
  std::unique_ptr<runtime::Task> reaper_;          // guarded by the world's mutex; last: it uses the rest
};

}  // namespace

std::vector<FakeInstance> FakeAws::instances() const {
  std::vector<FakeInstance> all;
  each_instance([&](const FakeInstance& instance) { all.push_back(instance); });
  return all;
}

std::unique_ptr<FakeAws> make_fake_aws(runtime::Runtime& runtime, FakeAwsOptions options) {
  return std::make_unique<FakeAwsImpl>(runtime, std::move(options));
}

}  // namespace tenon::awssim
