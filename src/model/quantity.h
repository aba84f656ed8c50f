// Exact Kubernetes quantities: "100m", "1.5Gi", "2e3", "3167538380800m". Stored in nano-units; finer digits are rounded
// away from zero, as in the API machinery. Values beyond ±2^63 units are rejected.
// parity: k8s.io/apimachinery/pkg/api/resource/quantity.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tenon::model {

class Quantity {
 public:
  enum class Format { kDecimalSI, kBinarySI, kDecimalExponent };

  Quantity() = default;
  static Quantity from_units(int64_t units, Format format = Format::kDecimalSI);
  static Quantity from_milli(int64_t milli, Format format = Format::kDecimalSI);

  int64_t ceil_units() const;
  int64_t floor_units() const;
  int64_t ceil_milli() const;  // clamps at the ends of int64
  int64_t floor_milli() const;
  bool negative() const { return nano_ < 0; }
  Format format() const { return format_; }
  // Returns the canonical form of an API server: "1500m", "1536Mi", "2".
  std::string to_string() const;

  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }
  friend auto operator<=>(const Quantity& a, const Quantity& b) { return a.nano_ <=> b.nano_; }

 private:
  friend Result<Quantity> parse_quantity(std::string_view text);
  __extension__ using Nano = __int128;
  Nano nano_ = 0;
  Format format_ = Format::kDecimalSI;
};

// Errors: kInvalid: `"1.2.3" is not a quantity: …`.
Result<Quantity> parse_quantity(std::string_view text);

}  // namespace tenon::model
