// SPDX-License-Identifier: Apache-2.0
#include "metrics/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"

namespace tenon::metrics {
namespace {

constexpr std::string_view kTotal = "_total";

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else {
    char digits[32];
    out.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
  }
}

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

// Returns the weight of a media range ("text/plain;version=0.0.4;q=0.5": 0.5), or std::nullopt for a version of
// OpenMetrics that is not written.
std::optional<double> weight(std::string_view range) {
  double q = 1;
  const bool open_metrics = range.starts_with("application/openmetrics-text");
  for (const std::string_view part : split(range, ';')) {
    const std::string_view parameter = trim(part);
    if (parameter.starts_with("q=")) {
      const std::string_view number = parameter.substr(2);
      if (std::from_chars(number.data(), number.data() + number.size(), q).ec != std::errc()) return std::nullopt;
    } else if (open_metrics && parameter.starts_with("version=") && parameter != "version=1.0.0" &&
               parameter != "version=0.0.1") {
      return std::nullopt;
    }
  }
  return q;
}

}  // namespace

Format negotiate(std::string_view accept) {
  double open_metrics = 0, plain = 0;
  for (const std::string_view part : split(accept, ',')) {
    const std::string_view range = trim(part);
    const auto q = weight(range);
    if (!q) continue;
    if (range.starts_with("application/openmetrics-text")) open_metrics = std::max(open_metrics, *q);
    if (range.starts_with("text/plain")) plain = std::max(plain, *q);
  }
  return open_metrics > 0 && open_metrics >= plain ? Format::kOpenMetrics : Format::kText;
}

std::string_view content_type(Format format) {
  return format == Format::kOpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                        : "text/plain; version=0.0.4; charset=utf-8";
}

std::string family_name(const std::string& metric) {
  return metric.ends_with(kTotal) ? metric.substr(0, metric.size() - kTotal.size()) : metric;
}

void FamilyWriter::head(std::string_view help, bool taken) const {
  const bool counter = type_ == "counter", open = format_ == Format::kOpenMetrics;
  std::string name = name_;
  std::string_view type = type_;
  if (open && counter) {
    // In OpenMetrics the samples of a counter end in "_total". One without it has no known type.
    if (name_.ends_with(kTotal) && taken) return;
    if (!name_.ends_with(kTotal)) type = "unknown";
    name = family_name(name_);
  }
  out_.append("# HELP ").append(name).append(" ");
  append_escaped(out_, help, open);
  out_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

// name_suffix{labels,extra="…"} value
void FamilyWriter::sample(const Values& values, std::string_view suffix, double value, ExtraLabel extra) const {
  out_.append(name_).append(suffix);
  char separator = '{';
  for (size_t i = 0; i < values.size(); ++i) {
    out_ += std::exchange(separator, ',');
    out_.append(labels_[i]).append("=\"");
    append_escaped(out_, values[i], true);
    out_ += '"';
  }
  if (!extra.name.empty()) {
    out_ += std::exchange(separator, ',');
    out_.append(extra.name).append("=\"");
    const size_t number = out_.size();
    append_number(out_, extra.value);
    // OpenMetrics writes bounds and quantiles as floating-point numbers, so that "1" and "1.0" are not two series.
    if (format_ == Format::kOpenMetrics && out_.find_first_of(".eN+", number) == std::string::npos) out_ += ".0";
    out_ += '"';
  }
  out_ += separator == ',' ? "} " : " ";
  append_number(out_, value);
  out_ += '\n';
}

}  // namespace tenon::metrics
