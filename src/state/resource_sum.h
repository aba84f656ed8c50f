// ResourceSum: the sum of the resources of some objects, updated as objects come and leave. The sum has a name as long
// as one object has it, even with the amount 0. (Resources keep a name after a subtraction.)
//
//   sum.add(node.capacity());
//   sum.take(node.capacity());   // what was added before
//   sum.total();                 // the sum over the other nodes
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
