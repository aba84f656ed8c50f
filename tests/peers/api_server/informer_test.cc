// Informers that follow a real kube-apiserver through the ends of watches, a killed server and a compacted history.
// SPDX-License-Identifier: Apache-2.0
#include "kube/informer.h"

#include <gmock/gmock.h>

#include <map>

#include "api_server/real_api.h"
#include "json/json.h"
#include "kube/codec/codec.h"
#include "kube/resource_types.h"

namespace tenon::peers {
namespace {

using Maps = kube::Informer<model::ObjectMeta>;

class RealInformer : public RealApiTest {
 protected:
  // An informer of this test's config maps behind a witness, with a count of its notifications.
  struct Follower {
    Follower(RealInformer& test, int watch_seconds)
        : witness(*test.transport_, watch_seconds),
          client(test.client_over(witness)),
          maps(*test.runtime_, *client, kConfigMaps, kube::codec::decode_metadata, {.ns = test.ns_}),
          changed(test.runtime_->make_event()) {
      maps.on_change([this](const Maps::Change& change) {
        added += !change.before;
        deleted += !change.after;
        changed->notify();
      });
      maps.start();
    }
    Witness witness;
    std::unique_ptr<kube::Client> client;
    Maps maps;
    std::unique_ptr<runtime::Event> changed;
    std::atomic<int> added = 0, deleted = 0;
  };

  using Versions = std::map<std::string, std::string>;  // name → resource version
  Versions on_the_server() const {
    Versions out;
    const auto listed = client_->list(kConfigMaps, {.ns = ns_}, stop_);
    EXPECT_TRUE(listed) << listed.error().message;
    if (!listed) return out;
    for (const json::value& item : listed->items) {
      out.emplace(json::string_at(item, {"metadata", "name"}), json::string_at(item, {"metadata", "resourceVersion"}));
    }
    return out;
  }
  static Versions in_the_cache(const Maps& maps) {
    Versions out;
    for (const auto& meta : maps.list()) out.emplace(meta->name, meta->resource_version);
    return out;
  }
  bool has(const Maps& maps, const std::string& name) const { return maps.get(ns_ + "/" + name) != nullptr; }
  void create(const std::string& name) const {
    const auto created = client_->create(kConfigMaps, ns_, config_map(name), stop_);
    EXPECT_TRUE(created) << created.error().message;
  }
};

TEST_F(RealInformer, FollowsThroughTheEndsOfWatches) {
  constexpr int kWatchSeconds = 4;  // long enough for the bookmark that the server sends two seconds before the end
  Follower follower(*this, kWatchSeconds);
  const Instant until = runtime_->now() + 60s;
  for (int i = 0; follower.witness.watches < 4 && runtime_->now() < until; ++i) {
    const std::string name = "m" + std::to_string(runtime_->random() % 40);
    if (i % 3 == 2) {
      (void)client_->remove(kConfigMaps, {ns_, name}, {}, stop_);
    } else if (!client_->create(kConfigMaps, ns_, config_map(name), stop_)) {
      const json::value data = json::object{{"data", {{"a", std::to_string(i)}}}};
      (void)client_->patch(kConfigMaps, {ns_, name}, kube::PatchType::kMerge, data, {}, stop_);
    }
  }
  const Versions wanted = on_the_server();
  EXPECT_TRUE(await(*runtime_, *follower.changed, [&] { return in_the_cache(follower.maps) == wanted; }))
      << follower.maps.trouble().what;
  EXPECT_GE(follower.witness.watches, 4);
  EXPECT_EQ(follower.witness.sends, 1);  // one list: every watch resumed where the last one ended
  EXPECT_EQ(follower.added - follower.deleted, static_cast<int>(wanted.size()));
  EXPECT_GT(follower.witness.bookmarks, 0);
  EXPECT_TRUE(follower.maps.unreadable().empty());
}

TEST_F(RealInformer, SurvivesAServerThatDiesAndForgets) {
  create("kept");
  create("lost");
  Follower follower(*this, 0);
  ASSERT_TRUE(await(*runtime_, *follower.changed, [&] { return follower.maps.list().size() == 2; }));
  create("late");
  ASSERT_TRUE(await(*runtime_, *follower.changed, [&] { return has(follower.maps, "late"); }));

  kill_api_server();
  delete_and_compact("/registry/configmaps/" + ns_ + "/lost");
  ASSERT_TRUE(await(*runtime_, *follower.changed, [&] { return !has(follower.maps, "lost"); }))
      << follower.maps.trouble().what;
  EXPECT_EQ(follower.witness.expired, 1);
  create("after");
  ASSERT_TRUE(await(*runtime_, *follower.changed, [&] { return has(follower.maps, "after"); }));
  EXPECT_EQ(in_the_cache(follower.maps), on_the_server());
  EXPECT_EQ(follower.added, 4);
  EXPECT_EQ(follower.deleted, 1);
}

TEST_F(RealInformer, AWatchFromAForgottenVersionIsGone) {
  create("m");
  compact();
  const Status watched =
      client_->watch(kConfigMaps, {.ns = ns_}, "1", [](std::string_view, const json::value&) { return true; }, stop_);
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code, Code::kGone) << watched.error().message;
}

class AnyInformer : public RealInformer {};

TEST_F(AnyInformer, DecodesWhatTheServerFillsIn) {
  const json::value rich = parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"rich","labels":{"app":"a"}},
    "spec":{"nodeSelector":{"topology.kubernetes.io/zone":"us-east-1a"},"priorityClassName":"system-node-critical",
      "tolerations":[{"key":"dedicated","operator":"Exists"}],
      "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"a"}}}]}},
      "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone",
        "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"a"}}}],
      "initContainers":[{"name":"i","image":"x","resources":{"requests":{"cpu":"1"}}}],
      "containers":[{"name":"c","image":"x","ports":[{"containerPort":80,"hostPort":8080}],
        "resources":{"limits":{"cpu":"500m","memory":"64Mi"},"requests":{"memory":"32Mi"}}}]}})");
  ASSERT_TRUE(client_->create(kube::kPods, ns_, rich, stop_));
  ASSERT_TRUE(client_->create(kube::kPods, ns_, pod("plain"), stop_));
  const auto changed = runtime_->make_event();
  kube::Informer<model::Pod> pods(*runtime_, *client_, kube::kPods, kube::codec::decode_pod, {.ns = ns_});
  pods.on_change([&](const auto&) { changed->notify(); });
  pods.start();
  ASSERT_TRUE(await(*runtime_, *changed, [&] { return pods.list().size() == 2; })) << pods.trouble().what;
  EXPECT_TRUE(pods.unreadable().empty());
  const auto read = pods.get(ns_ + "/rich");
  EXPECT_EQ(read->spec->requests.get(model::kCpu), 1000);                  // the init container's
  EXPECT_EQ(read->spec->requests.get(model::kMemory), int64_t{32} << 20);  // the request, not the limit
  EXPECT_EQ(read->spec->priority, 2000001000);                             // set by the server's admission
  // The server adds tolerations for nodes that are not ready or not reachable.
  EXPECT_EQ(read->spec->tolerations.size(), 3u);
  EXPECT_EQ(pods.get(ns_ + "/plain")->spec->requests.get(model::kCpu), 250);
}

}  // namespace
}  // namespace tenon::peers
