// The text forms of metrics: Prometheus 0.0.4, and OpenMetrics 1.0, which a scraper requests by its Accept header.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/registry.h"

namespace tenon::metrics {

// Returns the format that the Accept header of a scrape prefers; without one, the Prometheus text format. OpenMetrics
// is used if the header gives it at least the weight of text/plain. parity: prometheus/common expfmt.Negotiate
Format negotiate(std::string_view accept);
std::string_view content_type(Format format);

// Returns the name of a counter's metric family in OpenMetrics: without "_total".
std::string family_name(const std::string& metric);

using Values = std::vector<std::string>;  // of a series, in the order of the labels

// The label that a bucket or a quantile has in addition; no name: none.
struct ExtraLabel {
  std::string_view name = {};
  double value = 0;
};

// Appends one metric to a text. Borrows its arguments.
class FamilyWriter {
 public:
  FamilyWriter(std::string& out, Format format, const std::string& name, std::string_view type,
               const std::vector<std::string>& labels)
      : out_(out), format_(format), name_(name), type_(type), labels_(labels) {}

  // Writes the lines HELP and TYPE. `taken`: another metric that has series has the family's name in OpenMetrics
  // ("nodes_created" beside "nodes_created_total"). A family has one head.
  void head(std::string_view help, bool taken) const;
  void sample(const Values& values, std::string_view suffix, double value, ExtraLabel extra = {}) const;

 private:
  std::string& out_;
  const Format format_;
  const std::string& name_;
  const std::string_view type_;
  const std::vector<std::string>& labels_;
};

}  // namespace tenon::metrics
