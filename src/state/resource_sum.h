// ResourceSum: the sum of the resources of some objects, kept while objects come and leave. Unlike with Resources, a
// name leaves the sum with the last object that has it, also if some have the amount 0.
//
//   sum.add(node.capacity());
//   sum.take(node.capacity());   // what was added before
//   sum.total();                 // as if the other nodes had been added up
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "model/resources.h"

namespace tenon::state {

class ResourceSum {
 public:
  void add(const model::Resources& one);
  void take(const model::Resources& one);
  model::Resources total() const;  // saturates at the ends of int64

 private:
  __extension__ using Wide = __int128;  // no sum of amounts overflows it
  struct Amount {
    Wide sum = 0;
    size_t objects = 0;  // that have the name
  };
  std::map<std::string, Amount, std::less<>> amounts_;
};

}  // namespace tenon::state
