// The rules of v0.27 about spec.kubeletConfiguration.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "json/json.h"
#include "legacy/provisioner.h"
#include "model/quantity.h"

namespace tenon::legacy {
namespace {

using json::value;

constexpr std::array<std::string_view, 4> kReservable{"cpu", "ephemeral-storage", "memory", "pid"};
constexpr std::array<std::string_view, 6> kSignals{"imagefs.available", "imagefs.inodesFree", "memory.available",
                                                   "nodefs.available",  "nodefs.inodesFree",  "pid.available"};

template <class List>
bool is_one_of(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string text_of(const value& v) { return v.is_string() ? std::string(v.get_string()) : json::to_string(v); }

class KubeletCheck {
 public:
  explicit KubeletCheck(const value& kubelet) : kubelet_(kubelet) {}

  void reserved(std::string_view field) {
    for (const auto& [name, amount] : json::object_at(kubelet_, {field})) {
      if (!is_one_of(kReservable, name)) {
        refuse("invalid key name \"" + std::string(name) + "\"", path(field));
        continue;
      }
      const auto quantity = model::parse_quantity(text_of(amount));
      if (!quantity) {
        refuse("invalid value: " + text_of(amount), path(field, name));
      } else if (text_of(amount).starts_with('-')) {
        refuse("invalid value: Value cannot be a negative resource quantity", path(field, name));
      }
    }
  }

  void evictions(std::string_view field) {
    for (const auto& [name, threshold] : json::object_at(kubelet_, {field})) {
      if (!is_one_of(kSignals, name)) {
        refuse("invalid key name \"" + std::string(name) + "\"", path(field));
        continue;
      }
      if (!is_threshold(text_of(threshold))) refuse("invalid value: " + text_of(threshold), path(field, name));
    }
  }

  void soft_pairs() {
    const json::object &soft = json::object_at(kubelet_, {"evictionSoft"}),
                       &periods = json::object_at(kubelet_, {"evictionSoftGracePeriod"});
    for (const auto& [name, threshold] : soft) {
      if (!periods.contains(name)) {
        refuse("invalid key name \"" + std::string(name) + "\"", path("evictionSoft"),
               "Key does not have a matching evictionSoftGracePeriod");
      }
    }
    for (const auto& [name, period] : periods) {
      if (!is_one_of(kSignals, name))
        refuse("invalid key name \"" + std::string(name) + "\"", path("evictionSoftGracePeriod"));
      if (!parse_go_duration(text_of(period)))
        refuse("invalid value: " + text_of(period), path("evictionSoftGracePeriod", name));
      if (!soft.contains(name)) {
        refuse("invalid key name \"" + std::string(name) + "\"", path("evictionSoftGracePeriod"),
               "Key does not have a matching evictionSoft threshold value");
      }
    }
  }

  void image_collection() {
    const int64_t high = json::int_at(kubelet_, {"imageGCHighThresholdPercent"}, -1),
                  low = json::int_at(kubelet_, {"imageGCLowThresholdPercent"}, -1);
    if (high >= 0 && low >= 0 && high < low)
      refuse("invalid value: must be greater than imageGCLowThresholdPercent", path("imageGCHighThresholdPercent"));
  }

  std::vector<FieldError> errors;

 private:
  // "15%" or a quantity
  static bool is_threshold(const std::string& text) {
    if (!text.ends_with('%')) return model::parse_quantity(text).has_value() && !text.starts_with('-');
    double percent = -1;
    const char* const end = text.data() + text.size() - 1;
    const auto read = std::from_chars(text.data(), end, percent);
    return read.ec == std::errc() && read.ptr == end && percent >= 0 && percent <= 100;
  }
  static std::string path(std::string_view field, std::string_view key = {}) {
    std::string out = "spec.kubeletConfiguration." + std::string(field);
    return key.empty() ? out : out + "[\"" + std::string(key) + "\"]";
  }
  void refuse(std::string message, std::string where, std::string details = {}) {
    errors.push_back({std::move(message), std::move(where), std::move(details)});
  }
  const value& kubelet_;
};

}  // namespace

std::vector<FieldError> validate_kubelet(const value& provisioner) {
  const value* kubelet = json::find(provisioner, {"spec", "kubeletConfiguration"});
  if (kubelet == nullptr) return {};
  KubeletCheck check(*kubelet);
  check.reserved("systemReserved");
  check.reserved("kubeReserved");
  check.evictions("evictionHard");
  check.evictions("evictionSoft");
  check.soft_pairs();
  check.image_collection();
  return std::move(check.errors);
}

}  // namespace tenon::legacy
