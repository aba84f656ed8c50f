// Metrics: counters, gauges, histograms and summaries with labels. The text forms are in text.h.
//
//   Registry registry;
//   Counter& created = registry.counter(
//       {"karpenter_nodeclaims_created_total", "NodeClaims created.", {"reason", "nodepool"}});
//   created.add({{"reason", "provisioned"}, {"nodepool", "default"}});
//   created.remove_matching({{"nodepool", "default"}});       // when the NodePool is deleted
//   response.body = registry.text();
//
// An omitted label has the value ""; an unknown label is a bug (CHECK). A metric without labels has one series from the
// start. The Registry owns its metrics; references stay valid during its life.
//
// A Registry exposes one level of detail. At Detail::kStandard the labels in Description::full_labels do not exist: a
// caller sets them all the same, and Gauge::add() and Counter::add() then sum the series that differ only in them. A
// metric with Description::from == Detail::kFull keeps and shows nothing at that level.
// Thread rule: everything from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::metrics {

using Labels = std::map<std::string, std::string, std::less<>>;

// The number of series: kFull has one for each node and pod, as Karpenter has; kStandard has a bounded number.
enum class Detail { kStandard, kFull };

struct Description {
  std::string name;
  std::string help;
  std::vector<std::string> labels = {};
  std::vector<std::string> full_labels = {};  // further labels, at Detail::kFull only
  Detail from = Detail::kStandard;            // the lowest level that shows the metric
};

// The upper bounds of a Histogram's buckets, ascending, by level of detail. The standard ones are a part of the full
// ones, so that the same queries work at both levels.
struct Buckets {
  Buckets(std::vector<double> bounds) : full(bounds), standard(std::move(bounds)) {}  // NOLINT: a list is one
  Buckets(std::initializer_list<double> bounds) : Buckets(std::vector<double>(bounds)) {}
  Buckets(std::vector<double> all, std::vector<double> some) : full(std::move(all)), standard(std::move(some)) {}
  std::vector<double> full, standard;
};

// The number of recent observations that determine a Summary's quantiles.
inline constexpr size_t kSummaryWindow = 1024;
// The number of series that one metric keeps, except gauges that a Collector removes. Further label values are counted
// in the series whose labels all have the value kOtherSeries, so that foreign text in a label cannot exhaust memory.
inline constexpr size_t kMostSeries = 4096;
inline constexpr const char* kOtherSeries = "other";

// The series of one metric: label values (in the description's order) → cell.
template <class Cell>
class Metric {
 public:
  explicit Metric(Description description, Cell empty = {}, Detail detail = Detail::kFull,
                  size_t most_series = kMostSeries);
  virtual ~Metric() = default;
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;

  // Creates the series with an empty cell.
  void touch(const Labels& labels);
  void remove(const Labels& labels);
  // Removes every series that has all of these labels; returns their number.
  size_t remove_matching(const Labels& some);
  size_t series() const;
  // Returns what was registered; labels() returns the labels that exist at this level of detail.
  const Description& description() const { return description_; }
  const std::vector<std::string>& labels() const { return labels_; }
  bool shown() const { return shown_; }

 protected:
  void change(const Labels& labels, const std::function<void(Cell&)>& how);
  // Returns the cell of a series; an empty one if the series does not exist.
  Cell read(const Labels& labels) const;

 private:
  friend class Registry;
  using Key = std::vector<std::string>;
  Key key_of(const Labels& labels) const;
  // Returns std::nullopt for a label that does not exist at this level of detail.
  std::optional<size_t> index_of(std::string_view label) const;
  std::map<Key, Cell> snapshot() const;

  const Description description_;
  const std::vector<std::string> labels_;
  const bool shown_;
  const size_t most_series_;
  const Cell empty_;
  mutable std::mutex mutex_;
  std::map<Key, Cell> cells_;
};

class Counter : public Metric<double> {
 public:
  explicit Counter(Description description, Detail detail = Detail::kFull);
  void add(const Labels& labels = {}, double by = 1);  // by >= 0
  double value(const Labels& labels = {}) const { return read(labels); }
};

class Gauge : public Metric<double> {
 public:
  explicit Gauge(Description description, Detail detail = Detail::kFull);
  void set(const Labels& labels, double value);
  void set(double value) { set({}, value); }
  void add(const Labels& labels, double by);
  double value(const Labels& labels = {}) const { return read(labels); }
};

struct HistogramCell {
  std::vector<uint64_t> counts;  // one for each bound, then +Inf; not cumulative
  double sum = 0;
};

class Histogram : public Metric<HistogramCell> {
 public:
  Histogram(Description description, Buckets buckets, Detail detail = Detail::kFull);
  void observe(const Labels& labels, double value);
  void observe(double value) { observe({}, value); }
  uint64_t count(const Labels& labels = {}) const;
  double sum(const Labels& labels = {}) const { return read(labels).sum; }
  const Buckets& buckets() const { return buckets_; }
  const std::vector<double>& bounds() const { return bounds_; }  // at this level of detail

 private:
  const Buckets buckets_;
  const std::vector<double> bounds_;
};

struct SummaryCell {
  std::deque<double> recent;
  uint64_t count = 0;
  double sum = 0;
};

class Summary : public Metric<SummaryCell> {
 public:
  Summary(Description description, std::vector<double> quantiles, Detail detail = Detail::kFull);
  void observe(const Labels& labels, double value);
  void observe(double value) { observe({}, value); }
  uint64_t count(const Labels& labels = {}) const { return read(labels).count; }
  // Over the recent observations; NaN without any.
  double quantile(double q, const Labels& labels = {}) const;
  const std::vector<double>& quantiles() const { return quantiles_; }

 private:
  const std::vector<double> quantiles_;
};

// parity: karpenter pkg/metrics/constants.go (the full ones)
Buckets duration_buckets();
// Returns start, start·factor, … (count of them). As client_golang's ExponentialBuckets.
std::vector<double> exponential_buckets(double start, double factor, size_t count);
// client_golang's default buckets.
std::vector<double> default_buckets();

// Values that are computed for each text(): those that grow with time, and those that are stored elsewhere and need no
// copy. Only one text() at a time calls it. Must not block.
class Collector {
 public:
  virtual ~Collector() = default;
  virtual void before_text() = 0;  // sets its metrics
  virtual void after_text() = 0;   // removes the series that need not be kept
};

// A metric as it was registered.
struct Registered {
  Description description;
  std::string type;  // counter, gauge, histogram, summary
  std::optional<Buckets> buckets = std::nullopt;
};

enum class Format { kText, kOpenMetrics };

class Registry {
 public:
  explicit Registry(Detail detail = Detail::kFull);
  ~Registry();
  Detail detail() const { return detail_; }

  // Holds the collector only weakly: it stays active as long as its owner keeps it.
  void add(std::weak_ptr<Collector> collector);

  // Repeated calls with the same name return the same metric. Another set of labels or another kind is a bug (CHECK),
  // and so is a name that Prometheus rejects.
  Counter& counter(Description description);
  Gauge& gauge(Description description);
  Histogram& histogram(Description description, Buckets buckets = default_buckets());
  Summary& summary(Description description, std::vector<double> quantiles = {0, 0.5, 0.9, 0.99, 1});

  // Removes the series of every metric that have this value of this label, because its object no longer exists.
  void remove_series(const std::string& label, const std::string& value);
  // Lists the metrics by name.
  std::vector<Registered> registered() const;

  // Prometheus text format 0.0.4 or OpenMetrics 1.0, by metric name, then label values. The content types are in
  // text.h.
  std::string text(Format format = Format::kText) const;

 private:
  struct Entry;
  std::string write(Format format) const;
  template <class Kind, class Make>
  Kind& find_or_make(Description description, Make make);

  const Detail detail_;
  mutable std::mutex text_mutex_;  // before mutex_
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::vector<std::weak_ptr<Collector>> collectors_;
};

}  // namespace tenon::metrics
