// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/apiserver/admit/validation/rules.h"
#include "kubesim/apiserver/base/names.h"

namespace tenon::kubesim::apiserver::validation {
namespace {

constexpr int64_t kLastPort = 65535;

void check_ports(const Place& ports) {
  std::set<std::string> names;
  ports.each([&](const Place& port) {
    if (const Place name = port["name"]; !name.empty()) {
      if (const auto wrong = check_port_name(name.text()))
        name.invalid(*wrong);
      else
        name.unique(names);
    }
    const Place number = port["containerPort"];
    if (number.number() == 0)
      number.required();
    else
      number.in_range(1, kLastPort);
    if (port["hostPort"].number() != 0) port["hostPort"].in_range(1, kLastPort);
    port["protocol"].one_of_required({"SCTP", "TCP", "UDP"});
  });
}

void check_env(const Place& env) {
  env.each([](const Place& entry) {
    if (entry["name"].empty())
      entry["name"].required();
    else
      entry["name"].named(check_env_name);
    const Place from = entry["valueFrom"];
    if (!from) return;
    if (from.size() == 0) {
      from.invalid(json::value(""),
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
    } else if (!entry["value"].empty()) {
      from.invalid(json::value(""), "may not be specified when `value` is not empty");
    } else if (from.size() > 1) {
      from.invalid(json::value(""), "may not have more than one field specified at a time");
    }
  });
}

void check_mounts(const Place& mounts, const PodContext& pod) {
  std::set<std::string> paths;
  mounts.each([&](const Place& mount) {
    const Place name = mount["name"], path = mount["mountPath"];
    if (name.empty())
      name.required();
    else if (!pod.volumes.contains(std::string(name.text())))
      name.not_found();
    if (path.empty())
      path.required();
    else if (!paths.emplace(path.text()).second)
      path.invalid("must be unique");
  });
}

void check_probe(const Place& probe) {
  if (!probe) return;
  int handlers = 0;
  for (const std::string_view handler : {"exec", "httpGet", "tcpSocket", "grpc"}) handlers += probe[handler] ? 1 : 0;
  if (handlers == 0) probe.required("must specify a handler type");
  for (const std::string_view field :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    probe[field].not_negative();
  }
}

void check_container(const Place& container, const PodContext& pod) {
  if (container["name"].empty())
    container["name"].required();
  else
    container["name"].named(check_dns_label);
  if (container["image"].empty()) container["image"].required();
  container["terminationMessagePolicy"].one_of_required({"File", "FallbackToLogsOnError"});
  check_ports(container["ports"]);
  check_env(container["env"]);
  check_mounts(container["volumeMounts"], pod);
  container["imagePullPolicy"].one_of_required({"Always", "IfNotPresent", "Never"});
  check_resources(container["resources"]);
}

// The containers of a pod cannot share a combination of protocol, host IP and host port.
void check_host_ports(const Place& containers) {
  std::set<std::string> taken;
  containers.each([&](const Place& container) {
    container["ports"].each([&](const Place& port) {
      const int64_t number = port["hostPort"].number();
      if (number == 0) return;
      const std::string key = fmt::format("{}/{}/{}", port["protocol"].text(), port["hostIP"].text(), number);
      if (!taken.insert(key).second) {
        port["hostPort"].causes().push_back(
            {"FieldValueDuplicate", "Duplicate value: \"" + key + "\"", port["hostPort"].path()});
      }
    });
  });
}

}  // namespace

void check_containers(const Place& spec, const PodContext& pod) {
  const Place containers = spec["containers"];
  std::set<std::string> names;
  if (containers.empty()) containers.required();
  containers.each([&](const Place& container) {
    check_container(container, pod);
    container["name"].unique(names);
    for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      check_probe(container[probe]);
    }
  });
  if (!containers.empty()) check_host_ports(containers);
  spec["initContainers"].each([&](const Place& container) {
    check_container(container, pod);
    container["name"].unique(names);
    const Place policy = container["restartPolicy"];
    if (policy && policy.text() != "Always") policy.not_supported({"Always"});
  });
}

}  // namespace tenon::kubesim::apiserver::validation
