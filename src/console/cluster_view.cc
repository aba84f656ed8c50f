// SPDX-License-Identifier: Apache-2.0
#include "console/cluster_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/labels.h"

namespace tenon::console {
namespace {

constexpr int kBarCells = 10;
constexpr int kHoursPerMonth = 730;

std::string state_of(const scheduling::NodeView& node) {
  if (node.deleting()) return "draining";
  if (!node.node) return node.claim && node.claim->is(model::kLaunched) ? "joining" : "launching";
  if (!node.node->ready()) return "not ready";
  return node.initialized() ? "ready" : "joining";
}

NodeRow make_row(const scheduling::Snapshot& snapshot, const scheduling::NodeView& node) {
  NodeRow row;
  const model::StringMap& labels = node.labels();
  row.name = node.name();
  row.type = model::lookup(labels, model::kLabelInstanceType);
  row.zone = model::lookup(labels, model::kLabelZone);
  row.capacity_type = model::lookup(labels, model::kLabelCapacityType);
  row.pool = node.pool();
  row.state = state_of(node);
  row.price = disruption::price_of_instance(snapshot, node);
  const model::Resources total = node.allocatable(), used = node.pod_requests();
  row.cpu_total = total.get(model::kCpu);
  row.memory_total = total.get(model::kMemory);
  row.cpu_used = used.get(model::kCpu);
  row.memory_used = used.get(model::kMemory);
  row.pods = static_cast<size_t>(
      std::count_if(node.pods.begin(), node.pods.end(), [](const auto& pod) { return !pod->owned_by_daemon_set(); }));
  return row;
}

std::string bar(int64_t used, int64_t total) {
  if (total <= 0) return fmt::format("{:>{}}", "-", kBarCells + 5);
  const int percent = static_cast<int>(static_cast<double>(used) * 100.0 / static_cast<double>(total) + 0.5);
  const int filled = std::clamp((percent * kBarCells + 50) / 100, 0, kBarCells);
  std::string cells;
  for (int i = 0; i < kBarCells; ++i) cells += i < filled ? "█" : "░";
  return fmt::format("{} {:>3}%", cells, percent);
}

std::string dollars(model::Price price, int digits) {
  return fmt::format("${:.{}f}", static_cast<double>(price.value()) / static_cast<double>(model::kPicoPerUsd), digits);
}

// Counts columns, not bytes: UTF-8 continuation bytes have no width.
std::string clip(const std::string& line, int width) {
  int columns = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0) != 0x80 && ++columns > width) return line.substr(0, i);
  }
  return line;
}

class Page {
 public:
  explicit Page(const TextOptions& options) : options_(options) {}
  void line(const std::string& text) { out_ += clip(text, options_.width) + "\n"; }
  void title(const std::string& text) { out_ += options_.colour ? "\033[1m" + text + "\033[0m\n" : text + "\n"; }
  void more(size_t total, size_t shown, const char* what) {
    if (total > shown) line(fmt::format("  … and {} more {}", total - shown, what));
  }
  std::string take() { return std::move(out_); }

 private:
  const TextOptions& options_;
  std::string out_;
};

void render_nodes(const ClusterView& view, const TextOptions& options, Page& page) {
  page.title(fmt::format("{}   {}/hour   {}/month", counted(view.nodes.size(), "node"), dollars(view.total, 4),
                         dollars(view.total * kHoursPerMonth, 2)));
  if (view.nodes.empty()) return;
  size_t widest = 4;
  for (const NodeRow& row : view.nodes) widest = std::max(widest, row.name.size());
  page.line(fmt::format("  {:<{}}  {:<13} {:<11} {:<10} {:>8} {:>5}  {:<15}  {:<15}  {}", "NODE", widest, "TYPE",
                        "ZONE", "CAPACITY", "$/HOUR", "PODS", "CPU", "MEMORY", "STATE"));
  const size_t shown = std::min(options.max_nodes, view.nodes.size());
  for (size_t i = 0; i < shown; ++i) {
    const NodeRow& row = view.nodes[i];
    page.line(fmt::format("  {:<{}}  {:<13} {:<11} {:<10} {:>8} {:>5}  {}  {}  {}", row.name, widest, row.type,
                          row.zone, row.capacity_type, dollars(row.price, 4), row.pods,
                          bar(row.cpu_used, row.cpu_total), bar(row.memory_used, row.memory_total), row.state));
  }
  page.more(view.nodes.size(), shown, "nodes");
}

}  // namespace

ClusterView make_view(const scheduling::Snapshot& snapshot, std::vector<std::string> decisions) {
  ClusterView view;
  view.now = snapshot.now;
  for (const auto& node : snapshot.nodes) {
    view.nodes.push_back(make_row(snapshot, node));
    view.total += view.nodes.back().price;
  }
  for (const auto& pod : snapshot.pending) view.pending.push_back(pod->key());
  view.decisions = std::move(decisions);
  return view;
}

std::string render_text(const ClusterView& view, const TextOptions& options) {
  Page page(options);
  render_nodes(view, options, page);
  page.line("");
  page.title(counted(view.pending.size(), "pending pod"));
  const size_t pods = std::min(options.max_pending, view.pending.size());
  for (size_t i = 0; i < pods; ++i) page.line("  " + view.pending[i]);
  page.more(view.pending.size(), pods, "pods");
  page.line("");
  page.title("last decisions");
  const size_t count = std::min(options.max_decisions, view.decisions.size());
  for (size_t i = view.decisions.size() - count; i < view.decisions.size(); ++i) page.line("  " + view.decisions[i]);
  if (count == 0) page.line("  none yet");
  return page.take();
}

}  // namespace tenon::console
