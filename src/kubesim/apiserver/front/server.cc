// Joins the parts of the API server: Objects is the one path of every read and write; kubectl and the controllers reach
// it through Frontend (HTTP), the simulated components through this class (Api). Both see the same validation, defaults
// and conflicts. The listener of the store runs within the write: a new CustomResourceDefinition is served as soon as
// its create returns, and the Collector learns of owners that are gone.
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/server.h"

#include "base/check.h"
#include "json/json.h"
#include "json/patch.h"
#include "kubesim/apiserver/front/bootstrap.h"
#include "kubesim/apiserver/front/frontend.h"
#include "kubesim/apiserver/kinds/convert.h"
#include "kubesim/apiserver/kinds/crd.h"
#include "kubesim/apiserver/kinds/selectors.h"
#include "kubesim/apiserver/objects/collector.h"
#include "kubesim/apiserver/objects/event_recorder.h"
#include "kubesim/apiserver/objects/objects.h"
#include "kubesim/apiserver/objects/pod_actions.h"
#include "kubesim/apiserver/webhooks/conversion.h"

namespace tenon::kubesim {
namespace apiserver {
namespace {

using boost::json::value;

const Resource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

template <class T>
Result<T> to_result(Answer<T> answer) {
  if (!answer) return fail(to_error(answer.error()));
  return std::move(*answer);
}

class Server final : public ApiServer {
 public:
  Server(runtime::Runtime& runtime, ApiServerOptions options)
      : options_(std::move(options)),
        store_(runtime, options_.store),
        caller_(store_, options_.webhooks),
        converter_of_(webhook_converter(runtime, caller_)),
        admission_(runtime, store_, caller_),
        objects_(runtime, store_, registry_, admission_),
        events_(objects_),
        frontend_(objects_, options_),
        collector_(objects_, options_.ca_pem) {
    store_.set_listener(
        [this](const Resource& resource, const StoreKey& key, const Object& before, const Object& after) {
          if (resource == kDefinitions) update_registry(key, before, after);
          collector_.enqueue(resource, key, before, after);
        });
    create_initial_objects(objects_);
    collector_.start();
  }

  Result<Object> get(const Resource& resource, std::string_view ns, std::string_view name) override {
    const Target where = TRY(target(resource, ns, name));
    const Object found = TRY(to_result(objects_.get(where)));
    return TRY(to_result(to_served(*where.info, std::vector<Object>{found}))).front();
  }

  Result<ObjectList> list(const Resource& resource, std::string_view ns, std::string_view label_selector) override {
    const Target where = TRY(target(resource, ns, ""));
    const Labels labels = TRY(to_result(Labels::parse(label_selector)));
    ObjectList result = store_.list(where.info->storage(), ns);
    if (!labels.everything()) std::erase_if(result.items, [&](const Object& o) { return !labels.matches(*o); });
    result.items = TRY(to_result(to_served(*where.info, std::move(result.items))));
    return result;
  }

  Result<Object> create(const Resource& resource, std::string_view ns, value object) override {
    return to_result(objects_.create(TRY(target(resource, ns, "")), std::move(object), {}));
  }

  Result<Object> update(const Resource& resource, std::string_view ns, value object,
                        std::string_view subresource) override {
    const Target where = TRY(target(resource, ns, json::string_at(object, {"metadata", "name"}), subresource));
    return to_result(objects_.replace(where, std::move(object), {}));
  }

  Result<Object> merge_patch(const Resource& resource, std::string_view ns, std::string_view name, const value& patch,
                             std::string_view subresource) override {
    const Target where = TRY(target(resource, ns, name, subresource));
    return to_result(objects_.modify(where,
                                     [&](value& at) -> Done {
                                       json::apply_merge_patch(at, patch);
                                       return {};
                                     },
                                     {}));
  }

  Status remove(const Resource& resource, std::string_view ns, std::string_view name,
                const DeleteOptions& options) override {
    auto removed = objects_.remove(TRY(target(resource, ns, name)), options, {});
    if (!removed) return fail(to_error(removed.error()));
    return ok();
  }

  Status bind(std::string_view ns, std::string_view pod, std::string_view node) override {
    auto bound = bind_pod(objects_, TRY(target({"", "pods"}, ns, pod)), node, {});
    if (!bound) return fail(to_error(bound.error()));
    return ok();
  }

  std::unique_ptr<Watch> watch(const Resource& resource) override { return make_store_watch(store_, resource); }
  void subscribe(const Resource& resource, const std::shared_ptr<runtime::Event>& event) override {
    store_.subscribe(resource, event);
  }

  void record_event(const value& about, std::string_view type, std::string_view reason, std::string_view message,
                    std::string_view component) override {
    events_.record(about, {type, reason, message, component});
  }

  void compact() override { store_.compact(); }

  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override {
    frontend_.serve(request, writer, stop);
  }

 private:
  Result<Target> target(const Resource& resource, std::string_view ns, std::string_view name,
                        std::string_view subresource = {}) const {
    InfoPtr info = registry_.get()->find(resource);
    if (!info) return fail(Code::kNotFound, "no resource " + resource.plural + " in group \"" + resource.group + "\"");
    return Target{std::move(info), std::string(ns), std::string(name), std::string(subresource)};
  }

  // Serves the resources of a definition as soon as its write returns.
  void update_registry(const StoreKey& key, const Object& before, const Object& after) {
    const value* old_spec = before ? json::find(*before, {"spec"}) : nullptr;
    const value* new_spec = after ? json::find(*after, {"spec"}) : nullptr;
    if (old_spec != nullptr && new_spec != nullptr && *old_spec == *new_spec) return;
    const Object now = store_.get(kDefinitions, key);
    registry_.set_custom(key.name, now ? defined_resources(*now, converter_of_) : std::vector<InfoPtr>());
  }

  const ApiServerOptions options_;
  RegistryHolder registry_;
  Store store_;
  WebhookCaller caller_;
  const ConverterOf converter_of_;
  const AdmissionWebhooks admission_;
  Objects objects_;
  EventRecorder events_;
  Frontend frontend_;
  Collector collector_;  // last: its actor uses the other members
};

}  // namespace
}  // namespace apiserver

std::unique_ptr<ApiServer> make_api_server(runtime::Runtime& runtime, ApiServerOptions options) {
  return std::make_unique<apiserver::Server>(runtime, std::move(options));
}

}  // namespace tenon::kubesim
