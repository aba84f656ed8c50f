// Decodes many pods as decode_pod() does. Pods with equal specs share one spec, which is decoded once: a hundred
// thousand pods have only hundreds of distinct specs. One thread at a time. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>

#include "base/result.h"
#include "model/pod.h"

namespace tenon::kube::codec {

class PodDecoder {
 public:
  PodDecoder();
  ~PodDecoder();
  // `fault` and errors: as those of decode_pod().
  Result<model::Pod> decode(const boost::json::value& document, std::string* fault = nullptr);

 private:
  class Known;
  std::unique_ptr<Known> known_;
};

}  // namespace tenon::kube::codec
