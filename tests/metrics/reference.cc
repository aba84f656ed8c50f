// SPDX-License-Identifier: Apache-2.0
#include "metrics/reference.h"

#include <charconv>

namespace tenon::metrics_tests {
namespace {

constexpr const char* kHead = R"(# Metrics

`tenon controller` serves its metrics at `/metrics` on the port of `--metrics-port` (default 8080, named `http-metrics`
in the chart), in the Prometheus text format or, if the scraper requests it, as OpenMetrics. This page is made of the
metrics that the controller registers; a test compares them.

Names that begin with `tenon_` are our own. All others are Karpenter's, of its libraries, or of the dashboards of v0.27.
Dashboards and rules that use them are in `deploy/grafana` and `deploy/prometheus`.

## Standard and full detail

`--metrics-detail` chooses between two levels. `standard`, the default, has fewer than 5,000 samples for 1,000 nodes;
`full` has one series for each node, pod and offering, as Karpenter has. The differences:

- *Labels at full detail only* do not exist at `standard`. The series that differ only in them are summed:
  `karpenter_pods_state` is the number of pods, `karpenter_nodes_allocatable` the sum over nodes,
  `karpenter_cloudprovider_instance_type_offering_available` the number of instance types that can be launched.
- A query that counts the series of nodes, such as `count(karpenter_nodes_allocatable)`, counts groups of nodes at
  `standard`. `tenon_nodes` is the number of nodes with the same labels at both levels.
- Metrics of nodes and pods distinguish at most 96 groups of nodes at `standard`, by NodePool, zone, architecture,
  capacity type and instance type. The other nodes of a NodePool are one group whose labels have the value `other`.
- The metrics of nodes have the resources `cpu`, `memory` and `pods` at `standard`.
- Metrics of the level *full* do not exist at `standard`.
- Histograms have fewer buckets at `standard`. Their bounds are some of those at `full`.

A metric keeps at most 4,096 series of past events; events with further label values are counted in a series whose
labels have the value `other`. The series of a NodePool that was deleted end after an hour.

## Not available

There is no Go runtime, so that the families `go_*` do not exist, and `karpenter_build_info` has empty labels
`goversion` and `commit`. The label `phase` of node metrics is empty, as with Karpenter: Kubernetes no longer sets the
field. `karpenter_voluntary_disruption_consolidation_timeouts_total` stays 0: a search has a limit of steps, not of
time. `leader_election_slowpath_total` and `controller_runtime_reconcile_panics_total` do not exist: there is one path
of renewal, and an internal error ends the process.
)";

std::string number(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), value).ptr};
}

std::string code(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "`" : ", `") + word + "`";
  return out;
}

std::string bounds(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : " ") + number(value);
  return out;
}

std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

// "karpenter_nodes_allocatable" → "karpenter_nodes"
std::string section_of(const std::string& name) {
  static const char* const kSections[] = {"karpenter_cloudprovider",
                                          "karpenter_voluntary_disruption",
                                          "karpenter_interruption",
                                          "karpenter_nodeclaims",
                                          "karpenter_nodepools",
                                          "karpenter_nodes",
                                          "karpenter_pods",
                                          "karpenter_scheduler",
                                          "karpenter_consolidation",
                                          "karpenter_cluster",
                                          "karpenter_provisioner",
                                          "karpenter",
                                          "operator",
                                          "tenon",
                                          "aws_sdk_go",
                                          "client_go",
                                          "rest_client",
                                          "controller_runtime",
                                          "workqueue",
                                          "leader_election",
                                          "process"};
  for (const char* section : kSections) {
    if (name.starts_with(std::string(section) + "_")) return section;
  }
  return "other";
}

}  // namespace

std::string reference_page(const std::map<std::string, metrics::Registered>& all) {
  std::map<std::string, std::string> sections;
  for (const auto& [name, metric] : all) {
    std::string& out = sections[section_of(name)];
    const metrics::Description& about = metric.description;
    const bool full = about.from == metrics::Detail::kFull;
    std::string type = metric.type;
    if (metric.buckets && metric.buckets->full.size() <= 16) type += ": " + bounds(metric.buckets->full);
    out += "| `" + name + "` | " + type + " | " + (full ? "full" : "standard") + " | " + code(about.labels) + " | " +
           code(about.full_labels) + " | " + cell(about.help) + " |\n";
  }
  std::string page = kHead;
  for (const auto& [section, rows] : sections) {
    page += "\n## " + section + "\n\n| name | type | level | labels | labels at full detail only | meaning |\n" +
            "| --- | --- | --- | --- | --- | --- |\n" + rows;
  }
  return page;
}

}  // namespace tenon::metrics_tests
