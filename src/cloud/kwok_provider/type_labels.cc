// SPDX-License-Identifier: Apache-2.0
#include "cloud/kwok_provider/type_labels.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "model/kwok.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

constexpr int64_t kReservedMillicores = 100, kReservedMemory = int64_t{10} << 20;

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_size_of_aws(std::string_view size) {
  constexpr std::array<std::string_view, 6> kFixed{"nano", "micro", "small", "medium", "large", "metal"};
  if (std::find(kFixed.begin(), kFixed.end(), size) != kFixed.end()) return true;
  constexpr std::string_view kXlarge = "xlarge";
  if (!size.ends_with(kXlarge)) return false;
  size.remove_suffix(kXlarge.size());
  return std::all_of(size.begin(), size.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string kwok_family(std::string_view name) {
  const size_t end = name.find_first_of(".-");
  return std::string(name.substr(0, end == std::string_view::npos ? 1 : end));
}

std::string kwok_size(std::string_view name, const std::string& cpus) {
  const auto [family, size] = cut(name, '.');
  return is_word(family) && is_size_of_aws(size) ? std::string(size) : cpus;
}

model::InstanceType make_kwok_type(KwokTypeFacts facts) {
  model::InstanceType type;
  const std::string cpus = model::format_amount(model::kCpu, facts.capacity.get(model::kCpu));
  const auto put = [&](std::string_view key, std::string value) { type.labels[std::string(key)] = {std::move(value)}; };
  put(model::kLabelInstanceType, facts.name);
  put(model::kLabelArch, std::move(facts.arch));
  put(model::kLabelKwokSize, kwok_size(facts.name, cpus));
  put(model::kLabelKwokFamily, kwok_family(facts.name));
  put(model::kLabelKwokMemory, model::format_amount(model::kMemory, facts.capacity.get(model::kMemory)));
  put(model::kLabelKwokCpu, cpus);
  type.labels[std::string(model::kLabelOs)] = std::move(facts.systems);
  type.name = std::move(facts.name);
  type.capacity = std::move(facts.capacity);
  type.overhead = {{std::string(model::kCpu), kReservedMillicores}, {std::string(model::kMemory), kReservedMemory}};
  type.offerings = std::move(facts.offerings);
  return type;
}

}  // namespace tenon::cloud
