// SPDX-License-Identifier: Apache-2.0
#include "catalog/price_file.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::catalog {
namespace {

constexpr int64_t kMaxCount = 1'000'000;
constexpr double kMaxFactor = 10;
constexpr std::string_view kMultiplierKeys[] = {"instanceType", "family", "capacityType", "region", "factor"};
constexpr std::string_view kCommitmentKeys[] = {"name", "kind",  "instanceType", "family", "region",
                                                "zone", "count", "usdPerHour",   "rate",   "until"};

std::string joined(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

// One row of a list; errors carry its path.
class Row {
 public:
  Row(const json::value& v, std::string path) : value_(v), path_(std::move(path)) {}

  auto wrong(std::string_view key, const std::string& what) const {
    return fail(Code::kInvalid, path_ + "." + std::string(key) + ": " + what);
  }

  Status check(std::span<const std::string_view> known) const {
    if (!value_.is_object()) return fail(Code::kInvalid, path_ + ": must be a mapping");
    for (const auto& member : value_.get_object()) {
      const std::string_view key = member.key();
      if (std::find(known.begin(), known.end(), key) == known.end())
        return wrong(key, "there is no such key; there are " + joined(known));
    }
    return ok();
  }
  bool has(std::string_view key) const { return json::find(value_, {key}) != nullptr; }
  Result<std::string> text(std::string_view key) const {
    const json::value* v = json::find(value_, {key});
    if (v == nullptr) return std::string();
    if (!v->is_string() || v->get_string().empty()) return wrong(key, "must be a text");
    return std::string(v->get_string());
  }
  Result<double> number(std::string_view key, double otherwise) const {
    const json::value* v = json::find(value_, {key});
    if (v == nullptr) return otherwise;
    if (v->is_number()) return v->to_number<double>();
    return wrong(key, "must be a number");
  }
  // In millionths.
  Result<int64_t> factor(std::string_view key) const {
    const double given = TRY(number(key, 1));
    if (!(given >= 0 && given <= kMaxFactor)) return wrong(key, "must be a number from 0 to 10");
    return static_cast<int64_t>(given * static_cast<double>(kWhole) + 0.5);
  }

 private:
  const json::value& value_;
  const std::string path_;
};

Result<PriceMultiplier> read_multiplier(const Row& row) {
  TRY(row.check(kMultiplierKeys));
  PriceMultiplier out;
  out.instance_type = TRY(row.text("instanceType"));
  out.family = TRY(row.text("family"));
  out.capacity_type = TRY(row.text("capacityType"));
  out.region = TRY(row.text("region"));
  if (!row.has("factor")) return row.wrong("factor", "is missing");
  out.factor = TRY(row.factor("factor"));
  const bool known = out.capacity_type.empty() || out.capacity_type == "on-demand" || out.capacity_type == "spot" ||
                     out.capacity_type == "reserved";
  if (!known) return row.wrong("capacityType", "must be on-demand, spot or reserved");
  return out;
}

Result<Commitment> read_commitment(const Row& row) {
  TRY(row.check(kCommitmentKeys));
  Commitment out;
  out.name = TRY(row.text("name"));
  const std::string kind = TRY(row.text("kind"));
  if (kind != "ReservedInstance" && kind != "SavingsPlan")
    return row.wrong("kind", "must be ReservedInstance or SavingsPlan");
  out.reserved_instances = kind == "ReservedInstance";
  out.instance_type = TRY(row.text("instanceType"));
  out.family = TRY(row.text("family"));
  out.region = TRY(row.text("region"));
  out.zone = TRY(row.text("zone"));
  for (const char* key : {"usdPerHour", "rate"}) {
    if (out.reserved_instances && row.has(key)) return row.wrong(key, "is for a SavingsPlan");
  }
  for (const char* key : {"instanceType", "zone", "count"}) {
    if (!out.reserved_instances && row.has(key)) return row.wrong(key, "is for a ReservedInstance");
  }
  if (out.reserved_instances) {
    if (out.instance_type.find('.') == std::string::npos)
      return row.wrong("instanceType", "must be an instance type such as m5.large");
    if (row.has("family")) return row.wrong("family", "is for a SavingsPlan");
    const double count = TRY(row.number("count", 0));
    if (!(count >= 1 && count <= kMaxCount)) return row.wrong("count", "must be a number from 1 to 1000000");
    out.count = static_cast<int64_t>(count);
  } else {
    const double usd = TRY(row.number("usdPerHour", 0));
    const auto price = usd > 0 ? model::parse_price(std::to_string(usd)) : std::nullopt;
    if (!price) return row.wrong("usdPerHour", "must be an amount of USD above 0");
    out.per_hour = *price;
    out.rate = TRY(row.factor("rate"));
    if (out.rate == 0) return row.wrong("rate", "must be above 0");
  }
  if (const std::string until = TRY(row.text("until")); !until.empty()) {
    out.until = parse_rfc3339(until);
    if (!out.until) return row.wrong("until", "must be a time such as 2027-01-01T00:00:00Z");
  }
  return out;
}

template <class T>
Result<std::vector<T>> read_list(const json::value& document, std::string_view key, Result<T> (*read)(const Row& row)) {
  std::vector<T> out;
  const json::value* list = json::find(document, {key});
  if (list == nullptr || list->is_null()) return out;
  if (!list->is_array()) return fail(Code::kInvalid, std::string(key) + ": must be a list");
  for (const json::value& item : list->get_array()) {
    out.push_back(TRY(read(Row(item, std::string(key) + "[" + std::to_string(out.size()) + "]"))));
  }
  return out;
}

}  // namespace

Result<PriceFile> parse_price_file(std::string_view text) {
  const auto documents = TRY(json::parse_yaml(text));
  if (documents.size() != 1 || !documents.front().is_object())
    return fail(Code::kInvalid, "must be one mapping with multipliers and commitments");
  const json::value& document = documents.front();
  for (const auto& member : document.get_object()) {
    if (member.key() != "multipliers" && member.key() != "commitments")
      return fail(Code::kInvalid,
                  std::string(member.key()) + ": there is no such key; there are multipliers, commitments");
  }
  PriceFile file;
  file.multipliers = TRY(read_list<PriceMultiplier>(document, "multipliers", read_multiplier));
  file.commitments = TRY(read_list<Commitment>(document, "commitments", read_commitment));
  return file;
}

}  // namespace tenon::catalog
