// Metrics: counters, gauges, histograms and summaries with labels, and their Prometheus text form.
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
// Thread rule: everything from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::metrics {

using Labels = std::map<std::string, std::string, std::less<>>;

struct Description {
  std::string name;
  std::string help;
  std::vector<std::string> labels = {};
};

// The number of recent observations that determine a Summary's quantiles.
inline constexpr size_t kSummaryWindow = 1024;

// The series of one metric: label values (in the description's order) → cell.
template <class Cell>
class Metric {
 public:
  explicit Metric(Description description, Cell empty = {});
  virtual ~Metric() = default;
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;

  // Creates the series with an empty cell.
  void touch(const Labels& labels);
  void remove(const Labels& labels);
  // Removes every series that has all of these labels; returns their number.
  size_t remove_matching(const Labels& some);
  size_t series() const;
  const Description& description() const { return description_; }

 protected:
  void change(const Labels& labels, const std::function<void(Cell&)>& how);
  // Returns the cell of a series; an empty one if the series does not exist.
  Cell read(const Labels& labels) const;

 private:
  friend class Registry;
  using Key = std::vector<std::string>;
  Key key_of(const Labels& labels) const;
  size_t index_of(std::string_view label) const;
  std::map<Key, Cell> snapshot() const;

  const Description description_;
  const Cell empty_;
  mutable std::mutex mutex_;
  std::map<Key, Cell> cells_;
};

class Counter : public Metric<double> {
 public:
  using Metric::Metric;
  void add(const Labels& labels = {}, double by = 1);  // by >= 0
  double value(const Labels& labels = {}) const { return read(labels); }
};

class Gauge : public Metric<double> {
 public:
  using Metric::Metric;
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
  Histogram(Description description, std::vector<double> bounds);
  void observe(const Labels& labels, double value);
  void observe(double value) { observe({}, value); }
  uint64_t count(const Labels& labels = {}) const;
  double sum(const Labels& labels = {}) const { return read(labels).sum; }
  const std::vector<double>& bounds() const { return bounds_; }

 private:
  const std::vector<double> bounds_;
};

struct SummaryCell {
  std::deque<double> recent;
  uint64_t count = 0;
  double sum = 0;
};

class Summary : public Metric<SummaryCell> {
 public:
  Summary(Description description, std::vector<double> quantiles);
  void observe(const Labels& labels, double value);
  void observe(double value) { observe({}, value); }
  uint64_t count(const Labels& labels = {}) const { return read(labels).count; }
  // Over the recent observations; NaN without any.
  double quantile(double q, const Labels& labels = {}) const;
  const std::vector<double>& quantiles() const { return quantiles_; }

 private:
  const std::vector<double> quantiles_;
};

// parity: karpenter pkg/metrics/constants.go
std::vector<double> duration_buckets();
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

class Registry {
 public:
  Registry();
  ~Registry();

  // Holds the collector only weakly: it stays active as long as its owner keeps it.
  void add(std::weak_ptr<Collector> collector);

  // Repeated calls with the same name return the same metric. Another set of labels or another kind is a bug (CHECK),
  // and so is a name that Prometheus rejects.
  Counter& counter(Description description);
  Gauge& gauge(Description description);
  Histogram& histogram(Description description, std::vector<double> bounds = default_buckets());
  Summary& summary(Description description, std::vector<double> quantiles = {0, 0.5, 0.9, 0.99, 1});

  // Prometheus text format 0.0.4, by metric name, then label values. Content type: kTextContentType.
  std::string text() const;

 private:
  struct Entry;
  std::string write() const;
  template <class Kind, class Make>
  Kind& find_or_make(Description description, Make make);

  mutable std::mutex text_mutex_;  // before mutex_
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::vector<std::weak_ptr<Collector>> collectors_;
};

inline constexpr std::string_view kTextContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace tenon::metrics
