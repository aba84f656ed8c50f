// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/base/uid.h"

#include <fmt/format.h>

namespace tenon::kubesim::apiserver {
std::string new_uid(runtime::Runtime& runtime) {
  const uint64_t a = runtime.random(), b = runtime.random();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32, a >> 16 & 0xffff, a & 0xfff,
                     (b >> 48 & 0x3fff) | 0x8000, b & 0xffffffffffff);
}

std::string random_suffix(runtime::Runtime& runtime) {
  // Without vowels and similar characters, as in k8s.io/apimachinery/pkg/util/rand.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t chance = runtime.random();
  std::string suffix;
  for (size_t i = 0; i < kSuffixLength; ++i) {
    suffix += kAlphabet[chance % kAlphabet.size()];
    chance /= kAlphabet.size();
  }
  return suffix;
}

}  // namespace tenon::kubesim::apiserver
