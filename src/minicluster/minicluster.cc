// SPDX-License-Identifier: Apache-2.0
#include "minicluster/minicluster.h"

#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/apiserver/front/server.h"
#include "kubesim/kubelet/kubelets.h"
#include "kubesim/scheduler/scheduler.h"
#include "kubesim/workloads/workloads.h"
#include "schema/builtin_crds.h"

namespace tenon::minicluster {
namespace {

const kubesim::Resource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

kubesim::ApiServerOptions api_options(const MiniclusterOptions& options) {
  kubesim::ApiServerOptions result;
  if (!options.bearer_token.empty()) result.tokens.push_back({options.bearer_token, "kubernetes-admin"});
  result.git_version = "v" + options.aws.kubernetes_version + ".4";
  result.ca_pem = options.aws.cluster_ca_pem;
  result.store = options.store;
  result.webhooks = options.webhooks;
  return result;
}

kubesim::KubeletOptions kubelet_options(const MiniclusterOptions& options) {
  kubesim::KubeletOptions result;
  result.region = options.aws.region;
  result.cluster_name = options.aws.cluster_name;
  result.kubernetes_version = options.aws.kubernetes_version;
  result.boot = options.delays.boot;
  result.ready = options.delays.ready;
  result.pod_start = options.delays.pod_start;
  result.pod_stop = options.delays.pod_stop;
  result.node_removal = options.delays.node_removal;
  result.faults = options.faults;
  return result;
}

Status install(kubesim::Api& api, const std::vector<std::pair<std::string_view, std::string_view>>& crds) {
  for (const auto& [file, yaml] : crds) {
    const auto documents = TRY_IN(file, json::parse_yaml(yaml));
    for (const json::value& crd : documents) {
      const auto created = api.create(kDefinitions, "", crd);
      if (!created && created.error().code != Code::kAlreadyExists)
        return fail(Code::kInternal, std::string(file) + ": " + created.error().message);
    }
  }
  return ok();
}

}  // namespace

struct Minicluster::Parts {
  Parts(runtime::Runtime& runtime_in, MiniclusterOptions options_in)
      : runtime(runtime_in),
        options(std::move(options_in)),
        api(kubesim::make_api_server(runtime, api_options(options))),
        aws(awssim::make_fake_aws(runtime, options.aws)) {}

  runtime::Runtime& runtime;
  const MiniclusterOptions options;
  // In the order of their dependencies; stopped in reverse order.
  std::unique_ptr<kubesim::ApiServer> api;
  std::unique_ptr<awssim::FakeAws> aws;
  std::unique_ptr<kubesim::Scheduler> scheduler;
  std::unique_ptr<kubesim::Kubelets> kubelets;
  std::unique_ptr<kubesim::Workloads> workloads;
};

Minicluster::Minicluster(runtime::Runtime& runtime, MiniclusterOptions options)
    : parts_(std::make_unique<Parts>(runtime, std::move(options))) {}

Minicluster::~Minicluster() { stop(); }

Status Minicluster::start() {
  Parts& parts = *parts_;
  if (parts.options.install_crds) TRY(install(*parts.api, schema::builtin_crds()));
  if (parts.options.install_optional_crds) TRY(install(*parts.api, schema::optional_crds()));
  if (parts.options.install_legacy_crds) TRY(install(*parts.api, schema::legacy_crds()));
  if (parts.options.install_kwok_crds) TRY(install(*parts.api, schema::kwok_crds()));
  parts.scheduler = std::make_unique<kubesim::Scheduler>(parts.runtime, *parts.api);
  parts.kubelets =
      std::make_unique<kubesim::Kubelets>(parts.runtime, *parts.api, parts.aws.get(), kubelet_options(parts.options));
  kubesim::WorkloadOptions workloads;
  workloads.default_zone = parts.options.aws.region + "a";
  parts.workloads = std::make_unique<kubesim::Workloads>(parts.runtime, *parts.api, workloads);
  return ok();
}

void Minicluster::stop() {
  parts_->workloads.reset();
  parts_->kubelets.reset();
  parts_->scheduler.reset();
}

kubesim::Api& Minicluster::api() { return *parts_->api; }
http::Handler& Minicluster::api_handler() { return *parts_->api; }
awssim::FakeAws& Minicluster::fake_aws() { return *parts_->aws; }

}  // namespace tenon::minicluster
