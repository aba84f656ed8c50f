// The error of an API request: the parts of a metav1.Status. Answer<T> is a T or an ApiError; TRY_API is TRY for an
// Answer.
// parity: k8s.io/apimachinery/pkg/api/errors/errors.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/schema.h"

namespace tenon::kubesim::apiserver {

using schema::Cause;
struct ResourceInfo;

struct ApiError {
  int code = 500;
  std::string reason = {};
  std::string message = {};
  // details
  std::string name = {}, group = {}, kind = {}, uid = {};
  std::vector<Cause> causes = {};
  int retry_after_seconds = 0;
  std::string decoding = {};   // the cause of a decoding error; empty for other errors
  bool empty_details = false;  // writes `details` even if it is empty
};

template <class T>
class [[nodiscard]] Answer : public tl::expected<T, ApiError> {
 public:
  using tl::expected<T, ApiError>::expected;
};
using Done = Answer<void>;

inline tl::unexpected<ApiError> refuse(ApiError error) { return tl::unexpected<ApiError>(std::move(error)); }

ApiError not_found(const ResourceInfo& info, std::string_view name);
ApiError already_exists(const ResourceInfo& info, std::string_view name);
ApiError conflict(const ResourceInfo& info, std::string_view name, std::string_view why);
// The resourceVersion in the request is not the current one.
ApiError modified_meanwhile(const ResourceInfo& info, std::string_view name);
ApiError invalid(const ResourceInfo& info, std::string_view name, std::vector<Cause> causes);
ApiError forbidden(const ResourceInfo& info, std::string_view name, std::string_view why);
ApiError bad_request(std::string message);
ApiError method_not_supported(const ResourceInfo& info, std::string_view verb);
ApiError unsupported_media_type(std::string message);
ApiError not_acceptable();
ApiError expired(std::string message);
ApiError too_many_requests(std::string message, int retry_after_seconds);
ApiError internal_error(std::string message);
ApiError unauthorized();
// For an unknown path.
ApiError no_such_path();

// Returns the Status object, with kind and apiVersion.
boost::json::value to_status(const ApiError& error);
// Converts the error for callers in this process.
Error to_error(const ApiError& error);

}  // namespace tenon::kubesim::apiserver

#define TRY_API(...)                                                                              \
  __extension__({                                                                                 \
    auto try_answer_ = (__VA_ARGS__);                                                             \
    if (!try_answer_) return ::tenon::kubesim::apiserver::refuse(std::move(try_answer_).error()); \
    ::tenon::kubesim::apiserver::take_answer(std::move(try_answer_));                             \
  })

namespace tenon::kubesim::apiserver {
template <class T>
T take_answer(Answer<T>&& answer) {
  return std::move(*answer);
}
inline void take_answer(Answer<void>&&) {}
}  // namespace tenon::kubesim::apiserver
