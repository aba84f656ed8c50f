// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "metrics/text.h"

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

void write_cell(const FamilyWriter& family, const Values& values, const Metric<double>&, double value) {
  family.sample(values, "", value);
}

void write_cell(const FamilyWriter& family, const Values& values, const Histogram& histogram,
                const HistogramCell& cell) {
  uint64_t total = 0;
  for (size_t i = 0; i < cell.counts.size(); ++i) {
    total += cell.counts[i];
    const bool last = i == histogram.bounds().size();
    family.sample(values, "_bucket", static_cast<double>(total),
                  {"le", last ? std::numeric_limits<double>::infinity() : histogram.bounds()[i]});
  }
  family.sample(values, "_sum", cell.sum);
  family.sample(values, "_count", static_cast<double>(total));
}

void write_cell(const FamilyWriter& family, const Values& values, const Summary& summary, const SummaryCell& cell) {
  for (const double q : summary.quantiles()) family.sample(values, "", quantile_of(cell, q), {"quantile", q});
  family.sample(values, "_sum", cell.sum);
  family.sample(values, "_count", static_cast<double>(cell.count));
}

std::string_view type_name(const Counter&) { return "counter"; }
std::string_view type_name(const Gauge&) { return "gauge"; }
std::string_view type_name(const Histogram&) { return "histogram"; }
std::string_view type_name(const Summary&) { return "summary"; }

std::optional<Buckets> buckets_of(const Histogram& histogram) { return histogram.buckets(); }
template <class Other>
std::optional<Buckets> buckets_of(const Other&) {
  return std::nullopt;
}

std::vector<std::string> labels_at(Detail detail, const Description& description) {
  std::vector<std::string> labels = description.labels;
  if (detail == Detail::kFull)
    labels.insert(labels.end(), description.full_labels.begin(), description.full_labels.end());
  return labels;
}

}  // namespace

// --- series ---

template <class Cell>
Metric<Cell>::Metric(Description description, Cell empty, Detail detail, size_t most_series)
    : description_(std::move(description)),
      labels_(labels_at(detail, description_)),
      shown_(detail >= description_.from),
      most_series_(most_series),
      empty_(std::move(empty)) {
  CHECK(is_name(description_.name, true), "not a metric name: '" + description_.name + "'");
  for (const std::string& label : labels_at(Detail::kFull, description_)) {
    CHECK(is_name(label, false) && label != "le" && label != "quantile",
          description_.name + ": not a label name: '" + label + "'");
  }
  if (shown_ && description_.labels.empty() && description_.full_labels.empty()) cells_.emplace(Key(), empty_);
}

template <class Cell>
std::optional<size_t> Metric<Cell>::index_of(std::string_view label) const {
  const auto found = std::find(labels_.begin(), labels_.end(), label);
  if (found != labels_.end()) return static_cast<size_t>(found - labels_.begin());
  const auto& full = description_.full_labels;
  CHECK(std::find(full.begin(), full.end(), label) != full.end(),
        description_.name + ": has no label '" + std::string(label) + "'");
  return std::nullopt;
}

template <class Cell>
auto Metric<Cell>::key_of(const Labels& labels) const -> Key {
  Key key(labels_.size());
  for (const auto& [label, value] : labels) {
    if (const auto at = index_of(label)) key[*at] = value;
  }
  return key;
}

template <class Cell>
void Metric<Cell>::change(const Labels& labels, const std::function<void(Cell&)>& how) {
  Key key = key_of(labels);
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  auto at = cells_.find(key);
  if (at == cells_.end()) {
    if (cells_.size() >= most_series_) key.assign(key.size(), kOtherSeries);
    at = cells_.try_emplace(std::move(key), empty_).first;
  }
  how(at->second);
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
  for (const auto& [label, value] : some) {
    if (const auto at = index_of(label)) wanted.emplace_back(*at, value);
  }
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

Counter::Counter(Description description, Detail detail) : Metric(std::move(description), 0, detail) {}

// A Collector sets and removes the gauges of objects, so their number needs no limit of its own.
Gauge::Gauge(Description description, Detail detail)
    : Metric(std::move(description), 0, detail, std::numeric_limits<size_t>::max()) {}

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

Histogram::Histogram(Description description, Buckets buckets, Detail detail)
    : Metric(std::move(description),
             {.counts = std::vector<uint64_t>((detail == Detail::kFull ? buckets.full : buckets.standard).size() + 1)},
             detail),
      buckets_(std::move(buckets)),
      bounds_(detail == Detail::kFull ? buckets_.full : buckets_.standard) {
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

Summary::Summary(Description description, std::vector<double> quantiles, Detail detail)
    : Metric(std::move(description), {}, detail), quantiles_(std::move(quantiles)) {}

void Summary::observe(const Labels& labels, double value) {
  change(labels, [value](SummaryCell& cell) {
    if (cell.recent.size() == kSummaryWindow) cell.recent.pop_front();
    cell.recent.push_back(value);
    ++cell.count;
    cell.sum += value;
  });
}

double Summary::quantile(double q, const Labels& labels) const { return quantile_of(read(labels), q); }

Buckets duration_buckets() {
  return {{0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7,
           0.8,   0.9,  1,     1.25, 1.5, 1.75, 2,   2.5,  3,   3.5,  4,   4.5,  5,   6,   7,
           8,     9,    10,    15,   20,  25,   30,  40,   50,  60,   120, 150,  300, 450, 600},
          {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}};
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

Registry::Registry(Detail detail) : detail_(detail) {}
Registry::~Registry() = default;

template <class Kind, class Make>
Kind& Registry::find_or_make(Description description, Make make) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(description.name);
  if (found != entries_.end()) {
    auto* same = std::get_if<std::unique_ptr<Kind>>(&found->second.metric);
    CHECK(same != nullptr, description.name + ": registered twice, as two kinds of metric");
    CHECK((*same)->description().labels == description.labels &&
              (*same)->description().full_labels == description.full_labels,
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
                               [&](Description d) { return std::make_unique<Counter>(std::move(d), detail_); });
}

Gauge& Registry::gauge(Description description) {
  return find_or_make<Gauge>(std::move(description),
                             [&](Description d) { return std::make_unique<Gauge>(std::move(d), detail_); });
}

Histogram& Registry::histogram(Description description, Buckets buckets) {
  return find_or_make<Histogram>(std::move(description), [&](Description d) {
    return std::make_unique<Histogram>(std::move(d), std::move(buckets), detail_);
  });
}

Summary& Registry::summary(Description description, std::vector<double> quantiles) {
  return find_or_make<Summary>(std::move(description), [&](Description d) {
    return std::make_unique<Summary>(std::move(d), std::move(quantiles), detail_);
  });
}

void Registry::add(std::weak_ptr<Collector> collector) {
  const std::lock_guard lock(mutex_);
  std::erase_if(collectors_, [](const auto& known) { return known.expired(); });
  collectors_.push_back(std::move(collector));
}

void Registry::remove_series(const std::string& label, const std::string& value) {
  const std::lock_guard lock(mutex_);
  for (auto& [name, entry] : entries_) {
    std::visit(
        [&](const auto& metric) {
          const std::vector<std::string>& labels = metric->labels();
          if (std::find(labels.begin(), labels.end(), label) != labels.end()) metric->remove_matching({{label, value}});
        },
        entry.metric);
  }
}

std::vector<Registered> Registry::registered() const {
  std::vector<Registered> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    std::visit(
        [&](const auto& metric) {
          all.push_back({metric->description(), std::string(type_name(*metric)), buckets_of(*metric)});
        },
        entry.metric);
  }
  return all;
}

std::string Registry::text(Format format) const {
  const std::lock_guard one_at_a_time(text_mutex_);
  std::vector<std::shared_ptr<Collector>> collectors;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& known : collectors_) {
      if (auto collector = known.lock()) collectors.push_back(std::move(collector));
    }
  }
  for (const auto& collector : collectors) collector->before_text();
  std::string out = write(format);
  for (const auto& collector : collectors) collector->after_text();
  return out;
}

std::string Registry::write(Format format) const {
  std::string out;
  const std::lock_guard lock(mutex_);
  const auto has_series = [&](const std::string& name) {
    const auto at = entries_.find(name);
    return at != entries_.end() &&
           std::visit([](const auto& metric) { return metric->series() > 0; }, at->second.metric);
  };
  for (const auto& [name, entry] : entries_) {
    std::visit(
        [&](const auto& metric) {
          const auto cells = metric->snapshot();
          if (cells.empty()) return;  // as client_golang: no header without series
          const FamilyWriter family(out, format, name, type_name(*metric), metric->labels());
          family.head(metric->description().help, has_series(family_name(name)));
          for (const auto& [values, cell] : cells) write_cell(family, values, *metric, cell);
        },
        entry.metric);
  }
  if (format == Format::kOpenMetrics) out += "# EOF\n";
  return out;
}

}  // namespace tenon::metrics
