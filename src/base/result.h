// Result<T>: a T or an Error. Status: success without a value, or an Error. Callers must not ignore either of them.
//
//   Result<int> parse_port(std::string_view text);
//   Result<Server> open(std::string_view text) {
//     int port = TRY(parse_port(text));              // returns the Error to our caller
//     if (port == 0) return fail(Code::kInvalid, "port: must not be 0");
//     return Server(port);
//   }
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace tenon {

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Status = Result<void>;

inline tl::unexpected<Error> fail(Code code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

inline Status ok() { return {}; }

}  // namespace tenon

// Evaluates to the value of a Result, or returns its Error from the enclosing function.
#define TRY(...)                                                            \
  __extension__({                                                           \
    auto try_result_ = (__VA_ARGS__);                                       \
    if (!try_result_) return ::tenon::fail(std::move(try_result_).error()); \
    ::tenon::internal::take(std::move(try_result_));                        \
  })

// The same, with the context of the error: TRY_IN("reading " + path, read(path)).
#define TRY_IN(context, ...)                                                 \
  __extension__({                                                            \
    auto try_result_ = (__VA_ARGS__);                                        \
    if (!try_result_) return ::tenon::fail(try_result_.error().in(context)); \
    ::tenon::internal::take(std::move(try_result_));                         \
  })

namespace tenon::internal {
template <class T>
T take(Result<T>&& result) {
  return std::move(*result);
}
inline void take(Result<void>&&) {}
}  // namespace tenon::internal
