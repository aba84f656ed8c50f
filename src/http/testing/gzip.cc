// SPDX-License-Identifier: Apache-2.0
#include "http/testing/gzip.h"

#include <zlib.h>

#include "base/check.h"

namespace tenon::http::testing {

std::string gzip(std::string_view text) {
  constexpr int kGzip = 16 + MAX_WBITS, kMemory = 8;
  z_stream stream{};
  CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace tenon::http::testing
