// SPDX-License-Identifier: Apache-2.0
#include "kube/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/loopback_transport.h"
#include "json/json.h"
#include "kube/resource_types.h"
#include "kube/testing/fake_api.h"
#include "runtime/rate_limiter.h"
#include "runtime/sim.h"

namespace tenon::kube {
namespace {

using testing::FakeApi;
using ::testing::HasSubstr;

class ClientTest : public ::testing::Test {
 protected:
  ClientTest()
      : sim_(runtime::make_sim_runtime({})), api_(*sim_), transport_(http::make_loopback_transport({{"api", &api_}})) {}

  std::unique_ptr<Client> make(ClientOptions options = {}) {
    options.server = "http://api";
    return make_client(*sim_, *transport_, options);
  }
  // Runs on an actor of the simulation, as every user of the client does.
  void run(const std::function<void(const std::stop_token&)>& body) {
    const auto task = sim_->spawn("test", body);
    sim_->run_for(1h);
    task->join();
  }

  std::unique_ptr<runtime::SimRuntime> sim_;
  FakeApi api_;
  std::unique_ptr<http::Transport> transport_;
  std::stop_source never_;
};

constexpr const char* kPodsPath = "/api/v1/pods";

TEST_F(ClientTest, GetsAndListsInPages) {
  for (int i = 0; i < 1234; ++i) {
    api_.put(kPodsPath, R"({"metadata":{"namespace":"default","name":"p)" + std::to_string(10'000 + i) + "\"}}");
  }
  run([&](const std::stop_token& stop) {
    const auto client = make();
    const auto one = client->get(kPods, {"default", "p10007"}, stop);
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(json::string_at(*one, {"metadata", "name"}), "p10007");
    const auto all = client->list(kPods, {.ns = "", .label_selector = "app in (a,b)"}, stop);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ(all->items.size(), 1234u);
    EXPECT_EQ(all->resource_version, "1334");
  });
  EXPECT_EQ(api_.requests(), (std::vector<std::string>{
                                 "GET /api/v1/namespaces/default/pods/p10007",
                                 "GET /api/v1/pods?labelSelector=app%20in%20%28a%2Cb%29&limit=500",
                                 "GET /api/v1/pods?labelSelector=app%20in%20%28a%2Cb%29&limit=500&continue=500",
                                 "GET /api/v1/pods?labelSelector=app%20in%20%28a%2Cb%29&limit=500&continue=1000"}));
}

TEST_F(ClientTest, AnExpiredContinueTokenFallsBackToOneList) {
  for (int i = 0; i < 600; ++i) api_.put(kPodsPath, R"({"metadata":{"name":"p)" + std::to_string(i) + "\"}}");
  api_.compact(false);
  run([&](const std::stop_token& stop) {
    const auto all = make()->list(kPods, {}, stop);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ(all->items.size(), 600u);
  });
  EXPECT_EQ(api_.requests().back(), "GET /api/v1/pods");
}

TEST_F(ClientTest, WritesCarryPathTypeAndPreconditions) {
  run([&](const std::stop_token& stop) {
    const auto client = make({.server = "", .bearer_token = "secret", .user_agent = "tenon/test"});
    const json::value pod = *json::parse(R"({"metadata":{"name":"a","namespace":"ns"}})");
    ASSERT_TRUE(client->create(kPods, "ns", pod, stop));
    EXPECT_EQ(api_.last_request().headers.get("Authorization"), "Bearer secret");
    EXPECT_EQ(api_.last_request().headers.get("User-Agent"), "tenon/test");
    EXPECT_EQ(api_.last_request().headers.get("Content-Type"), "application/json");

    ASSERT_TRUE(client->update(kPods, {"ns", "a"}, pod, "status", stop));
    const struct {
      PatchType type;
      PatchOptions options;
      std::string url, content_type;
    } patches[] = {
        {PatchType::kMerge,
         {.subresource = "status"},
         "/api/v1/namespaces/ns/pods/a/status",
         "application/merge-patch+json"},
        {PatchType::kJson, {}, "/api/v1/namespaces/ns/pods/a", "application/json-patch+json"},
        {PatchType::kStrategic, {}, "/api/v1/namespaces/ns/pods/a", "application/strategic-merge-patch+json"},
        {PatchType::kApply,
         {.field_manager = "tenon", .force = true},
         "/api/v1/namespaces/ns/pods/a?fieldManager=tenon&force=true",
         "application/apply-patch+yaml"},
    };
    for (const auto& row : patches) {
      ASSERT_TRUE(client->patch(kPods, {"ns", "a"}, row.type, json::object{{"a", 1}}, row.options, stop));
      EXPECT_EQ(api_.requests().back(), "PATCH " + row.url);
      EXPECT_EQ(api_.last_request().headers.get("Content-Type"), row.content_type);
      EXPECT_EQ(api_.last_request().body, R"({"a":1})");
    }
    const Status other = client->remove(kPods, {"ns", "a"}, {.uid = "another"}, stop);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, Code::kConflict);
    EXPECT_TRUE(client->remove(kPods, {"ns", "a"}, {.grace_period_seconds = 5}, stop));
    EXPECT_EQ(api_.last_request().body, R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":5})");
    EXPECT_EQ(api_.count(kPodsPath), 0u);
    EXPECT_EQ(*client->server_version(stop), "v1.33.0");
  });
}

TEST_F(ClientTest, CustomResourcesLiveUnderTheirGroup) {
  run([&](const std::stop_token& stop) {
    ASSERT_FALSE(make()->get(kNodeClaims, {"", "a/b"}, stop));
    EXPECT_EQ(api_.requests().back(), "GET /apis/karpenter.sh/v1/nodeclaims/a%2Fb");
  });
}

TEST_F(ClientTest, EveryStatusHasItsCode) {
  const auto body = [](std::string_view reason) {
    return R"({"kind":"Status","message":"why","reason":")" + std::string(reason) + "\"}";
  };
  const struct {
    int status;
    std::string body;
    Code code;
    std::string message;
  } table[] = {
      {400, body("BadRequest"), Code::kInvalid, "get pods \"ns/a\": why"},
      {401, body("Unauthorized"), Code::kForbidden, "(the credentials are missing, wrong or expired)"},
      {403, body("Forbidden"), Code::kForbidden, "why"},
      {404, body("NotFound"), Code::kUnavailable, "why"},  // of the path: the kind is unknown
      {404, "404 page not found", Code::kUnavailable, "HTTP 404"},
      {404, R"({"kind":"Status","message":"why","reason":"NotFound","details":{"name":"a"}})", Code::kNotFound, "why"},
      {409, body("Conflict"), Code::kConflict, "why"},
      {409, body("AlreadyExists"), Code::kAlreadyExists, "why"},
      {410, body("Expired"), Code::kGone, "why"},
      {422, body("Invalid"), Code::kInvalid, "why"},
      {429, body("TooManyRequests"), Code::kThrottled, "why"},
      {500, body("InternalError"), Code::kUnavailable, "why"},
      {502, "<html>bad gateway</html>", Code::kUnavailable, "HTTP 502: <html>bad gateway"},
      {503, "", Code::kUnavailable, "HTTP 503"},
      {504, body("Timeout"), Code::kTimeout, "why"},
  };
  run([&](const std::stop_token& stop) {
    for (const auto& row : table) {
      api_.fail_next(1, row.status, row.body);
      const auto answer = make()->get(kPods, {"ns", "a"}, stop);
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().code, row.code) << row.status << " " << row.body;
      EXPECT_THAT(answer.error().message, HasSubstr(row.message));
    }
    api_.fail_next(1, 429, body("TooManyRequests"), {{"Retry-After", "7"}});
    const auto throttled = make({.server = "", .request_timeout = 5s})->get(kPods, {"ns", "a"}, stop);
    EXPECT_EQ(throttled.error().retry_after, Duration(7s));
    api_.fail_next(1, 200, "not json");
    EXPECT_THAT(make()->get(kPods, {"ns", "a"}, stop).error().message, HasSubstr("the answer is not JSON"));
  });
}

TEST_F(ClientTest, EvictionsSayWhyNot) {
  run([&](const std::stop_token& stop) {
    const Status refused = make()->evict({"ns", "a"}, "u1", stop);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kThrottled);
    EXPECT_EQ(api_.requests().back(), "POST /api/v1/namespaces/ns/pods/a/eviction");
    EXPECT_EQ(api_.last_request().body,
              R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a","namespace":"ns"},)"
              R"("deleteOptions":{"preconditions":{"uid":"u1"}}})");
    api_.fail_next(1, 500, R"({"kind":"Status","message":"This pod has more than one PodDisruptionBudget"})");
    EXPECT_EQ(make()->evict({"ns", "a"}, "u1", stop).error().code, Code::kInternal);
    api_.fail_next(1, 201, "{}");
    EXPECT_TRUE(make()->evict({"ns", "a"}, "u1", stop));
  });
}

TEST_F(ClientTest, WatchesStreamEventsUntilTheServerEndsThem) {
  std::vector<std::string> seen;
  const auto watcher = sim_->spawn("watcher", [&](const std::stop_token& stop) {
    const Status ended = make()->watch(
        kPods, {.ns = "ns"}, "100",
        [&](std::string_view type, const json::value& object) {
          EXPECT_EQ(json::find(object, {"metadata", "managedFields"}), nullptr) << "no codec reads them";
          seen.push_back(std::string(type) + " " +
                         std::string(json::string_at(object, {"metadata", "resourceVersion"})));
          return true;
        },
        stop);
    EXPECT_TRUE(ended) << ended.error().message;
    seen.push_back("end");
  });
  sim_->run_for(1s);
  api_.put(kPodsPath, R"({"metadata":{"name":"a","namespace":"ns","managedFields":[{"manager":"m"}]}})");
  sim_->run_for(1s);
  api_.bookmark();
  api_.remove(kPodsPath, "ns/a");
  sim_->run_for(1s);
  api_.end_watches();
  sim_->run_for(1s);
  EXPECT_EQ(seen, (std::vector<std::string>{"OPENED ", "ADDED 101", "DELETED 102", "BOOKMARK 102", "end"}));
  EXPECT_THAT(api_.requests().at(0), HasSubstr("GET /api/v1/namespaces/ns/pods?watch=true&allowWatchBookmarks=true&"
                                               "resourceVersion=100&timeoutSeconds=2"));
}

TEST_F(ClientTest, WatchesOfAForgottenVersionAreGone) {
  run([&](const std::stop_token& stop) {
    for (const bool as_event : {false, true}) {
      api_.compact(as_event);
      const auto never = [](std::string_view, json::value) { return true; };
      EXPECT_EQ(make()->watch(kPods, {}, "5", never, stop).error().code, Code::kGone) << as_event;
    }
  });
}

constexpr const char* kPriorityBody = "Too many requests, please try again later.\n";  // of Priority and Fairness

TEST_F(ClientTest, ThrottledRequestsAreRepeatedAfterTheTimeThatTheServerNames) {
  api_.put(kPodsPath, R"({"metadata":{"name":"a","namespace":"ns"}})");
  const json::value pod = *json::parse(R"({"metadata":{"name":"b","namespace":"ns"}})");
  using Ask = std::function<bool(Client&, const std::stop_token&)>;
  const std::pair<const char*, Ask> verbs[] = {
      {"get", [&](Client& c, const auto& stop) { return c.get(kPods, {"ns", "a"}, stop).has_value(); }},
      {"list", [&](Client& c, const auto& stop) { return c.list(kPods, {}, stop).has_value(); }},
      {"create", [&](Client& c, const auto& stop) { return c.create(kPods, "ns", pod, stop).has_value(); }},
      {"update", [&](Client& c, const auto& stop) { return c.update(kPods, {"ns", "b"}, pod, "", stop).has_value(); }},
      {"patch",
       [&](Client& c, const auto& stop) {
         return c.patch(kPods, {"ns", "b"}, PatchType::kMerge, json::object(), {.answer = PatchAnswer::kNothing}, stop)
             .has_value();
       }},
      {"delete", [&](Client& c, const auto& stop) { return c.remove(kPods, {"ns", "b"}, {}, stop).has_value(); }},
      {"version", [&](Client& c, const auto& stop) { return c.server_version(stop).has_value(); }},
  };
  run([&](const std::stop_token& stop) {
    const auto client = make();
    for (const auto& [verb, ask] : verbs) {
      for (const int status : {429, 503}) {
        if (status == 503 && std::string_view(verb) != "get") continue;
        api_.fail_next(2, status, kPriorityBody, {{"Retry-After", "1"}});
        const size_t before = api_.requests().size();
        const Instant asked = sim_->now();
        EXPECT_TRUE(ask(*client, stop)) << verb;
        EXPECT_EQ(api_.requests().size(), before + 3) << verb;
        EXPECT_GE(sim_->now() - asked, 2s) << verb;
        EXPECT_LT(sim_->now() - asked, 2500ms) << verb;  // with the jitter
      }
    }
  });
}

TEST_F(ClientTest, RepetitionsEndWithTheRequestsTimeoutOrTheirNumber) {
  run([&](const std::stop_token& stop) {
    const auto attempts = [&](ClientOptions options, int status, const std::string& retry_after) {
      const size_t before = api_.requests().size();
      api_.fail_next(100, status, kPriorityBody, {{"Retry-After", retry_after}});
      const auto answer = make(options)->get(kPods, {"ns", "a"}, stop);
      EXPECT_FALSE(answer);
      EXPECT_EQ(answer.error().code, status == 429 ? Code::kThrottled : Code::kUnavailable);
      api_.clear_failures();
      return api_.requests().size() - before;
    };
    EXPECT_EQ(attempts({}, 429, "1"), static_cast<size_t>(kMaxAttempts));
    EXPECT_EQ(attempts({}, 429, "30"), 2u);
    EXPECT_EQ(attempts({.server = "", .request_timeout = 5s}, 429, "7"), 1u);
    for (const char* no_time : {"", "0", "-1", "Fri, 01 Jan 2027 00:00:00 GMT"}) {
      EXPECT_EQ(attempts({}, 429, no_time), 1u) << no_time;
    }
    EXPECT_EQ(attempts({}, 500, "1"), 1u);  // the server may have processed it
  });
}

TEST_F(ClientTest, AStopEndsThePauseBeforeARepetition) {
  api_.fail_next(100, 429, kPriorityBody, {{"Retry-After", "30"}});
  Result<std::string> answer = fail(Code::kInternal, "");
  const auto task = sim_->spawn("ask", [&](const std::stop_token& stop) { answer = make()->server_version(stop); });
  sim_->run_for(1s);
  const Instant stopped = sim_->now();
  task->request_stop();
  task->join();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kCancelled);
  EXPECT_LT(sim_->now() - stopped, 1s);
}

TEST_F(ClientTest, EvictionsAreRepeatedUnlessABudgetForbidsThem) {
  run([&](const std::stop_token& stop) {
    const auto client = make();
    api_.fail_next(1, 429, kPriorityBody, {{"Retry-After", "1"}});
    api_.fail_next(1, 201, "{}");
    EXPECT_TRUE(client->evict({"ns", "a"}, "", stop));
    EXPECT_EQ(api_.requests().size(), 2u);
    const std::string budget = R"({"kind":"Status","message":"Cannot evict pod","reason":"TooManyRequests","details":)"
                               R"({"causes":[{"reason":"DisruptionBudget","message":"the budget b is still being )"
                               R"(processed"}],"retryAfterSeconds":10}})";
    api_.fail_next(1, 429, budget, {{"Retry-After", "10"}});
    const Status refused = client->evict({"ns", "a"}, "", stop);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kThrottled);
    EXPECT_EQ(refused.error().retry_after, Duration(10s));
    EXPECT_EQ(api_.requests().size(), 3u);
  });
}

TEST_F(ClientTest, TheLimiterPacesAllClientsTogetherButNotWatches) {
  const auto limiter = make_request_limiter(*sim_, 10, 5);
  run([&](const std::stop_token& stop) {
    const auto one = make({.server = "", .limiter = limiter}), other = make({.server = "", .limiter = limiter});
    const Instant begun = sim_->now();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE((i % 2 == 0 ? one : other)->server_version(stop));
    EXPECT_EQ(sim_->now(), begun);  // the burst
    for (int i = 0; i < 20; ++i) EXPECT_TRUE((i % 2 == 0 ? one : other)->server_version(stop));
    EXPECT_EQ(sim_->now() - begun, 2s);  // then 10 per second
    EXPECT_TRUE(one->watch(kPods, {}, "1", [](std::string_view, json::value) { return false; }, stop));
    EXPECT_EQ(sim_->now() - begun, 2s);
    sim_->sleep_for(1h, stop);
    const Instant later = sim_->now();
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(one->server_version(stop));
    EXPECT_EQ(sim_->now() - later, 100ms);  // a long pause saves up one burst
  });
  EXPECT_EQ(make_request_limiter(*sim_, 0, 5), nullptr);
}

TEST_F(ClientTest, ARequestThatCannotHaveItsTurnInTimeIsThrottled) {
  const auto limiter = make_request_limiter(*sim_, 1, 1);
  int throttled = 0;
  std::string message;
  std::vector<std::unique_ptr<runtime::Task>> tasks;
  const auto client = make({.server = "", .request_timeout = 5s, .limiter = limiter});
  for (int i = 0; i < 10; ++i) {
    tasks.push_back(sim_->spawn("ask" + std::to_string(i), [&](const std::stop_token& stop) {
      const auto answer = client->server_version(stop);
      if (answer) return;
      EXPECT_EQ(answer.error().code, Code::kThrottled);
      message = answer.error().message;
      ++throttled;
    }));
  }
  sim_->run_for(1min);
  tasks.clear();
  EXPECT_EQ(throttled, 4);  // one at once, five within five seconds
  EXPECT_EQ(api_.requests().size(), 6u);
  EXPECT_THAT(message, HasSubstr("--kube-client-qps for 5s"));
}

TEST_F(ClientTest, AListRestartsOnceBeforeItComesInOnePage) {
  for (int i = 0; i < 600; ++i) api_.put(kPodsPath, R"({"metadata":{"name":"p)" + std::to_string(i) + "\"}}");
  run([&](const std::stop_token& stop) {
    size_t objects = 0, firsts = 0;
    bool expired = false;
    const auto version = make()->list_items(
        kPods, {},
        [&](const json::value* item) {
          firsts += item ? 0 : 1;
          objects = item ? objects + 1 : 0;
          if (item && !std::exchange(expired, true)) api_.fail_next(1, 410, R"({"kind":"Status","reason":"Expired"})");
        },
        stop);
    ASSERT_TRUE(version) << version.error().message;
    EXPECT_EQ(objects, 600u);
    EXPECT_EQ(firsts, 2u);
  });
  EXPECT_EQ(api_.requests(),
            (std::vector<std::string>{"GET /api/v1/pods?limit=500", "GET /api/v1/pods?limit=500&continue=500",
                                      "GET /api/v1/pods?limit=500", "GET /api/v1/pods?limit=500&continue=500"}));
}

TEST_F(ClientTest, AnUnreachableServerIsNamed) {
  run([&](const std::stop_token& stop) {
    const auto client = make_client(*sim_, *transport_, {.server = "http://elsewhere"});
    const auto answer = client->get(kNodes, {"", "n1"}, stop);
    EXPECT_EQ(answer.error().code, Code::kUnavailable);
    EXPECT_THAT(answer.error().message, HasSubstr("get nodes \"n1\": elsewhere"));
  });
}

}  // namespace
}  // namespace tenon::kube
