// SPDX-License-Identifier: Apache-2.0
#include "minicluster/minicluster.h"

#include "json/json.h"
#include "json/yaml.h"
#include "minicluster/apiserver/schema/builtin_crds.h"
#include "minicluster/apiserver/server.h"
#include "minicluster/kubelet/kubelets.h"
#include "minicluster/scheduler/scheduler.h"
#include "minicluster/workloads/workloads.h"

namespace tenon::minicluster {
namespace {

const Resource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

ApiServerOptions api_options(const MiniclusterOptions& options) {
  ApiServerOptions result;
  if (!options.bearer_token.empty()) result.tokens.push_back({options.bearer_token, "kubernetes-admin"});
  result.git_version = "v" + options.aws.kubernetes_version + ".4";
  result.ca_pem = options.aws.cluster_ca_pem;
  result.store = options.store;
  return result;
}

KubeletOptions kubelet_options(const MiniclusterOptions& options) {
  KubeletOptions result;
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

Status install(Api& api, const std::vector<std::pair<std::string_view, std::string_view>>& crds) {
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
        api(make_api_server(runtime, api_options(options))),
        aws(make_fake_aws(runtime, options.aws)) {}

  runtime::Runtime& runtime;
  const MiniclusterOptions options;
  // In the order of their dependencies; stopped in reverse order.
  std::unique_ptr<ApiServer> api;
  std::unique_ptr<FakeAws> aws;
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<Kubelets> kubelets;
  std::unique_ptr<Workloads> workloads;
};

Minicluster::Minicluster(runtime::Runtime& runtime, MiniclusterOptions options)
    : parts_(std::make_unique<Parts>(runtime, std::move(options))) {}

Minicluster::~Minicluster() { stop(); }

Status Minicluster::start() {
  Parts& parts = *parts_;
  if (parts.options.install_crds) TRY(install(*parts.api, builtin_crds()));
  if (parts.options.install_optional_crds) TRY(install(*parts.api, optional_crds()));
  parts.scheduler = std::make_unique<Scheduler>(parts.runtime, *parts.api);
  parts.kubelets =
      std::make_unique<Kubelets>(parts.runtime, *parts.api, parts.aws.get(), kubelet_options(parts.options));
  WorkloadOptions workloads;
  workloads.default_zone = parts.options.aws.region + "a";
  parts.workloads = std::make_unique<Workloads>(parts.runtime, *parts.api, workloads);
  return ok();
}

void Minicluster::stop() {
  parts_->workloads.reset();
  parts_->kubelets.reset();
  parts_->scheduler.reset();
}

Api& Minicluster::api() { return *parts_->api; }
http::Handler& Minicluster::api_handler() { return *parts_->api; }
FakeAws& Minicluster::fake_aws() { return *parts_->aws; }

}  // namespace tenon::minicluster
