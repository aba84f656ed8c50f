// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "base/check.h"

namespace tenon::metrics {
namespace {

bool is_name(std::string_view name, bool colon_allowed) {
  const auto letter = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c == ':' && colon_allowed);
  };
  const auto later = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), later);
}

double quantile_of(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double rank = std::ceil(q * static_cast<double>(values.size()));
  const auto index = std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(rank) - 1, 0, std::ssize(values) - 1);
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<size_t>(index)];
}

double quantile_of(const SummaryCell& cell, double q) {
  return quantile_of(std::vector<double>(cell.recent.begin(), cell.recent.end()), q);
}

// --- text form ---

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

struct Extra {
  std::string_view label;
  double value = 0;
};

// name_suffix{labels,extra="…"} value
struct LineWriter {
  std::string& out;
  const Description& description;
  const std::vector<std::string>& values;

  void line(std::string_view suffix, double value, const Extra* extra = nullptr) const {
    out.append(description.name).append(suffix);
    char separator = '{';
    for (size_t i = 0; i < values.size(); ++i) {
      out += std::exchange(separator, ',');
      out.append(description.labels[i]).append("=\"");
      append_escaped(out, values[i], true);
      out += '"';
    }
    if (extra != nullptr) {
      out += std::exchange(separator, ',');
      out.append(extra->label).append("=\"");
      append_number(out, extra->value);
      out += '"';
    }
    out += separator == ',' ? "} " : " ";
    append_number(out, value);
    out += '\n';
  }
};

void write_cell(const LineWriter& writer, const Metric<double>&, double value) { writer.line("", value); }

void write_cell(const LineWriter& writer, const Histogram& histogram, const HistogramCell& cell) {
  uint64_t total = 0;
  for (size_t i = 0; i < cell.counts.size(); ++i) {
    total += cell.counts[i];
    const bool last = i == histogram.bounds().size();
    const Extra bound{"le", last ? std::numeric_limits<double>::infinity() : histogram.bounds()[i]};
    writer.line("_bucket", static_cast<double>(total), &bound);
  }
  writer.line("_sum", cell.sum);
  writer.line("_count", static_cast<double>(total));
}

void write_cell(const LineWriter& writer, const Summary& summary, const SummaryCell& cell) {
  for (const double q : summary.quantiles()) {
    const Extra quantile{"quantile", q};
    writer.line("", quantile_of(cell, q), &quantile);
  }
  writer.line("_sum", cell.sum);
  writer.line("_count", static_cast<double>(cell.count));
}

std::string_view type_name(const Counter&) { return "counter"; }
std::string_view type_name(const Gauge&) { return "gauge"; }
std::string_view type_name(const Histogram&) { return "histogram"; }
std::string_view type_name(const Summary&) { return "summary"; }

}  // namespace

// --- series ---

template <class Cell>
Metric<Cell>::Metric(Description description, Cell empty)
    : description_(std::move(description)), empty_(std::move(empty)) {
  CHECK(is_name(description_.name, true), "not a metric name: '" + description_.name + "'");
  for (const std::string& label : description_.labels) {
    CHECK(is_name(label, false) && label != "le" && label != "quantile",
          description_.name + ": not a label name: '" + label + "'");
  }
  if (description_.labels.empty()) cells_.emplace(Key(), empty_);
}

template <class Cell>
size_t Metric<Cell>::index_of(std::string_view label) const {
  const auto found = std::find(description_.labels.begin(), description_.labels.end(), label);
  CHECK(found != description_.labels.end(), description_.name + ": has no label '" + std::string(label) + "'");
  return static_cast<size_t>(found - description_.labels.begin());
}

template <class Cell>
auto Metric<Cell>::key_of(const Labels& labels) const -> Key {
  Key key(description_.labels.size());
  for (const auto& [label, value] : labels) key[index_of(label)] = value;
  return key;
}

template <class Cell>
void Metric<Cell>::change(const Labels& labels, const std::function<void(Cell&)>& how) {
  Key key = key_of(labels);
  const std::lock_guard lock(mutex_);
  how(cells_.try_emplace(std::move(key), empty_).first->second);
}

template <class Cell>
void Metric<Cell>::touch(const Labels& labels) {
  change(labels, [](Cell&) {});
}

template <class Cell>
Cell Metric<Cell>::read(const Labels& labels) const {
  const Key key = key_of(labels);
  const std::lock_guard lock(mutex_);
  const auto found = cells_.find(key);
  return found == cells_.end() ? empty_ : found->second;
}

template <class Cell>
void Metric<Cell>::remove(const Labels& labels) {
  const Key key = key_of(labels);
  const std::lock_guard lock(mutex_);
  cells_.erase(key);
}

template <class Cell>
size_t Metric<Cell>::remove_matching(const Labels& some) {
  std::vector<std::pair<size_t, std::string_view>> wanted;
  for (const auto& [label, value] : some) wanted.emplace_back(index_of(label), value);
  const std::lock_guard lock(mutex_);
  return std::erase_if(cells_, [&](const auto& entry) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const auto& want) { return entry.first[want.first] == want.second; });
  });
}

template <class Cell>
size_t Metric<Cell>::series() const {
  const std::lock_guard lock(mutex_);
  return cells_.size();
}

template <class Cell>
auto Metric<Cell>::snapshot() const -> std::map<Key, Cell> {
  const std::lock_guard lock(mutex_);
  return cells_;
}

template class Metric<double>;
template class Metric<HistogramCell>;
template class Metric<SummaryCell>;

// --- kinds ---

void Counter::add(const Labels& labels, double by) {
  CHECK(by >= 0, description().name + ": a counter only grows");
  change(labels, [by](double& cell) { cell += by; });
}

void Gauge::set(const Labels& labels, double value) {
  change(labels, [value](double& cell) { cell = value; });
}
void Gauge::add(const Labels& labels, double by) {
  change(labels, [by](double& cell) { cell += by; });
}

Histogram::Histogram(Description description, std::vector<double> bounds)
    : Metric(std::move(description), {.counts = std::vector<uint64_t>(bounds.size() + 1)}), bounds_(std::move(bounds)) {
  CHECK(std::is_sorted(bounds_.begin(), bounds_.end(), std::less_equal<>()), "histogram bounds must grow");
}

void Histogram::observe(const Labels& labels, double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  change(labels, [&](HistogramCell& cell) {
    ++cell.counts[static_cast<size_t>(bucket)];
    cell.sum += value;
  });
}

uint64_t Histogram::count(const Labels& labels) const {
  uint64_t total = 0;
  for (const uint64_t n : read(labels).counts) total += n;
  return total;
}

Summary::Summary(Description description, std::vector<double> quantiles)
    : Metric(std::move(description)), quantiles_(std::move(quantiles)) {}

void Summary::observe(const Labels& labels, double value) {
  change(labels, [value](SummaryCell& cell) {
    if (cell.recent.size() == kSummaryWindow) cell.recent.pop_front();
    cell.recent.push_back(value);
    ++cell.count;
    cell.sum += value;
  });
}

double Summary::quantile(double q, const Labels& labels) const { return quantile_of(read(labels), q); }

std::vector<double> duration_buckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7,
          0.8,   0.9,  1,     1.25, 1.5, 1.75, 2,   2.5,  3,   3.5,  4,   4.5,  5,   6,   7,
          8,     9,    10,    15,   20,  25,   30,  40,   50,  60,   120, 150,  300, 450, 600};
}

std::vector<double> exponential_buckets(double start, double factor, size_t count) {
  std::vector<double> bounds;
  for (double bound = start; bounds.size() < count; bound *= factor) bounds.push_back(bound);
  return bounds;
}

std::vector<double> default_buckets() { return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}; }

// --- registry ---

struct Registry::Entry {
  std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>, std::unique_ptr<Summary>>
      metric;
};

Registry::Registry() = default;
Registry::~Registry() = default;

template <class Kind, class Make>
Kind& Registry::find_or_make(Description description, Make make) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(description.name);
  if (found != entries_.end()) {
    auto* same = std::get_if<std::unique_ptr<Kind>>(&found->second.metric);
    CHECK(same != nullptr, description.name + ": registered twice, as two kinds of metric");
    CHECK((*same)->description().labels == description.labels,
          description.name + ": registered twice, with other labels");
    return **same;
  }
  std::string name = description.name;
  std::unique_ptr<Kind> made = make(std::move(description));
  Kind& metric = *made;
  entries_.emplace(std::move(name), Entry{std::move(made)});
  return metric;
}

Counter& Registry::counter(Description description) {
  return find_or_make<Counter>(std::move(description),
                               [](Description d) { return std::make_unique<Counter>(std::move(d)); });
}

Gauge& Registry::gauge(Description description) {
  return find_or_make<Gauge>(std::move(description),
                             [](Description d) { return std::make_unique<Gauge>(std::move(d)); });
}

Histogram& Registry::histogram(Description description, std::vector<double> bounds) {
  return find_or_make<Histogram>(std::move(description), [&](Description d) {
    return std::make_unique<Histogram>(std::move(d), std::move(bounds));
  });
}

Summary& Registry::summary(Description description, std::vector<double> quantiles) {
  return find_or_make<Summary>(std::move(description), [&](Description d) {
    return std::make_unique<Summary>(std::move(d), std::move(quantiles));
  });
}

void Registry::add(std::weak_ptr<Collector> collector) {
  const std::lock_guard lock(mutex_);
  std::erase_if(collectors_, [](const auto& known) { return known.expired(); });
  collectors_.push_back(std::move(collector));
}

std::string Registry::text() const {
  const std::lock_guard one_at_a_time(text_mutex_);
  std::vector<std::shared_ptr<Collector>> collectors;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& known : collectors_) {
      if (auto collector = known.lock()) collectors.push_back(std::move(collector));
    }
  }
  for (const auto& collector : collectors) collector->before_text();
  std::string out = write();
  for (const auto& collector : collectors) collector->after_text();
  return out;
}

std::string Registry::write() const {
  std::string out;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    std::visit(
        [&](const auto& metric) {
          const auto cells = metric->snapshot();
          if (cells.empty()) return;  // as client_golang: no header without series
          out.append("# HELP ").append(name).append(" ");
          append_escaped(out, metric->description().help, false);
          out.append("\n# TYPE ").append(name).append(" ").append(type_name(*metric)).append("\n");
          for (const auto& [values, cell] : cells) write_cell({out, metric->description(), values}, *metric, cell);
        },
        entry.metric);
  }
  return out;
}

}  // namespace tenon::metrics
