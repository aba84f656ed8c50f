// Decodes many pods as decode_pod() does. Those whose spec says the same share one, which is decoded once: of a hundred
// thousand pods some hundred are distinct. One thread at a time. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>

#include "base/result.h"
#include "model/pod.h"

namespace tenon::kube::codec {

class PodDecoder {
 public:
  PodDecoder();
  ~PodDecoder();
  // Errors: kInvalid, as those of decode_pod().
  Result<model::Pod> decode(const boost::json::value& document);

 private:
  class Known;
  std::unique_ptr<Known> known_;
};

}  // namespace tenon::kube::codec
