// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace tenon::embedded {
std::vector<std::pair<std::string_view, std::string_view>> catalog_tables();
}

namespace tenon::catalog {
namespace {

constexpr std::array<Zone, 4> kDemoZones{{{"us-east-1a", "use1-az1", 35},
                                          {"us-east-1b", "use1-az2", 32},
                                          {"us-east-1c", "use1-az4", 38},
                                          {"us-east-1d", "use1-az6", 30}}};

// Columns of data/catalog/instance-types.tsv.
enum Column {
  kName,
  kArch,
  kVcpus,
  kMemory,
  kMaker,
  kClock,
  kHypervisor,
  kFlags,
  kNvme,
  kEbs,
  kNetwork,
  kEnis,
  kCards,
  kCardEnis,
  kIpv4,
  kBranch,
  kEfa,
  kGpu,
  kAccelerator,
  kColumns
};

// Returns an empty text for "-".
std::string_view text_or_empty(std::string_view cell) { return cell == "-" ? std::string_view() : cell; }

int64_t number(std::string_view cell) {
  if (cell == "-") return 0;
  int64_t value = 0;
  auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  CHECK(error == std::errc() && end == cell.data() + cell.size(), cell);
  return value;
}

std::vector<std::string_view> table_rows(std::string_view file) {
  for (const auto& [name, text] : embedded::catalog_tables()) {
    if (name != file) continue;
    std::vector<std::string_view> rows;
    bool header_seen = false;
    for (std::string_view line : split(text, '\n')) {
      if (line.empty() || line.front() == '#') continue;
      if (std::exchange(header_seen, true)) rows.push_back(line);
    }
    return rows;
  }
  CHECK(false, file);
  return {};
}

InstanceFacts parse_row(std::string_view row) {
  auto cells = split(row, '\t');
  CHECK(cells.size() == kColumns, row);
  InstanceFacts facts;
  set_name_facts(facts, cells[kName]);
  facts.arch = cells[kArch];
  facts.vcpus = number(cells[kVcpus]);
  facts.memory_mib = number(cells[kMemory]);
  facts.cpu_manufacturer = text_or_empty(cells[kMaker]);
  facts.clock_mhz = number(cells[kClock]);
  facts.hypervisor = text_or_empty(cells[kHypervisor]);
  std::string_view flags = cells[kFlags];
  facts.demo = flags.find('d') != flags.npos;
  facts.encryption_in_transit = flags.find('e') != flags.npos;
  facts.local_nvme_gb = number(cells[kNvme]);
  facts.ebs_mbps = number(cells[kEbs]);
  facts.network_mbps = number(cells[kNetwork]);
  facts.enis = number(cells[kEnis]);
  facts.network_cards = number(cells[kCards]);
  facts.default_card_enis = number(cells[kCardEnis]);
  facts.ipv4_per_eni = number(cells[kIpv4]);
  facts.branch_enis = number(cells[kBranch]);
  facts.efas = number(cells[kEfa]);
  if (auto gpu = text_or_empty(cells[kGpu]); !gpu.empty()) {
    auto parts = split(gpu, ':');
    CHECK(parts.size() == 4, row);
    facts.gpus.push_back({std::string(parts[0]), std::string(parts[1]), number(parts[2]), number(parts[3])});
  }
  if (auto accelerator = text_or_empty(cells[kAccelerator]); !accelerator.empty()) {
    auto parts = split(accelerator, ':');
    CHECK(parts.size() == 4, row);
    facts.accelerator = Accelerator{std::string(parts[0]), std::string(parts[1]), number(parts[2]), number(parts[3])};
  }
  return facts;
}

InstanceFacts* lower_bound(std::vector<InstanceFacts>& table, std::string_view name) {
  auto at = std::lower_bound(table.begin(), table.end(), name,
                             [](const InstanceFacts& facts, std::string_view n) { return facts.name < n; });
  return at != table.end() && at->name == name ? &*at : nullptr;
}

using PricesByName = std::map<std::string_view, model::Price>;  // the names point into the embedded text

PricesByName load_prices(std::string_view file) {
  PricesByName prices;
  for (std::string_view row : table_rows(file)) {
    auto [name, usd] = cut(row, '\t');
    auto price = model::parse_price(usd);
    CHECK(price.has_value(), row);
    CHECK(prices.emplace(name, *price).second, row);
  }
  return prices;
}

std::map<std::string_view, NetworkFacts> load_network_facts() {
  std::map<std::string_view, NetworkFacts> facts;
  for (std::string_view row : table_rows("network-facts.tsv")) {
    const auto cells = split(row, '\t');
    CHECK(cells.size() == 3, row);
    CHECK(facts.emplace(cells[0], NetworkFacts{number(cells[1]), number(cells[2])}).second, row);
  }
  return facts;
}

std::vector<InstanceFacts> load() {
  std::vector<InstanceFacts> table;
  const std::vector<std::string_view> rows = table_rows("instance-types.tsv");
  table.reserve(rows.size());
  for (std::string_view row : rows) {
    table.push_back(parse_row(row));
    CHECK(table.size() < 2 || table[table.size() - 2].name < table.back().name, row);
  }
  for (const auto& [name, price] : load_prices("list-prices-us-east-1.tsv")) {
    if (InstanceFacts* facts = lower_bound(table, name)) facts->on_demand = price;
  }
  return table;
}

const std::vector<InstanceFacts>& table() {
  static const std::vector<InstanceFacts> kTable = load();
  return kTable;
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void set_name_facts(InstanceFacts& facts, std::string_view name) {
  facts.name = name;
  auto [family, size] = cut(name, '.');
  facts.family = family;
  facts.size = size;
  // A family is letters, then "-6tb" for high-memory types, then the generation.
  size_t at = 0;
  while (at < family.size() && is_lower(family[at])) ++at;
  facts.category = family.substr(0, at);
  if (at < family.size() && family[at] == '-') {
    size_t end = family.find("tb", at);
    if (end != family.npos) at = end + 2;
  }
  size_t end = at;
  while (end < family.size() && is_digit(family[end])) ++end;
  facts.generation = family.substr(at, end - at);
  if (facts.generation.empty()) facts.category.clear();
  facts.flex = family.find("-flex") != family.npos;
  facts.bare_metal = size.starts_with("metal");
  facts.spot = facts.category != "u" && facts.category != "hpc";
}

std::span<const InstanceFacts> all_instance_types() { return table(); }

const InstanceFacts* find_instance_type(std::string_view name) {
  auto& all = table();
  auto at = std::lower_bound(all.begin(), all.end(), name,
                             [](const InstanceFacts& facts, std::string_view n) { return facts.name < n; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

NetworkFacts network_facts(std::string_view name) {
  if (const InstanceFacts* facts = find_instance_type(name)) return {facts->network_mbps, facts->branch_enis};
  static const auto kOthers = load_network_facts();
  const auto it = kOthers.find(name);
  return it == kOthers.end() ? NetworkFacts{} : it->second;
}

std::optional<model::Price> list_price(std::string_view partition, std::string_view name) {
  if (partition == "aws") {
    const InstanceFacts* facts = find_instance_type(name);
    return facts == nullptr ? std::nullopt : facts->on_demand;
  }
  if (partition != "aws-us-gov") return std::nullopt;
  static const PricesByName kGovernment = load_prices("list-prices-us-gov.tsv");
  const auto it = kGovernment.find(name);
  return it == kGovernment.end() ? std::nullopt : std::optional(it->second);
}

std::vector<const InstanceFacts*> demo_instance_types() {
  std::vector<const InstanceFacts*> demo;
  for (const InstanceFacts& facts : table())
    if (facts.demo) demo.push_back(&facts);
  return demo;
}

std::span<const Zone> demo_zones() { return kDemoZones; }

std::optional<model::Price> demo_spot_price(const InstanceFacts& facts, const Zone& zone) {
  if (!facts.on_demand || !facts.spot) return std::nullopt;
  // The product is exact for every list price; the test checks that.
  return model::Price(facts.on_demand->value() / 100 * zone.spot_percent);
}

}  // namespace tenon::catalog
