// SPDX-License-Identifier: Apache-2.0
#include "aws/errors.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"

namespace tenon::aws {
namespace {

struct Row {
  std::string_view code;
  Code meaning;
};
constexpr std::string_view kRequest = " (request ";
constexpr Row kRows[] = {
    {"AccessDenied", Code::kForbidden},
    {"AccessDeniedException", Code::kForbidden},
    {"AuthFailure", Code::kForbidden},
    {"AuthFailure.ServiceLinkedRoleCreationNotPermitted", Code::kForbidden},
    {"BandwidthLimitExceeded", Code::kThrottled},
    {"ConcurrentModification", Code::kConflict},
    {"DeleteConflict", Code::kConflict},
    {"EC2ThrottledException", Code::kThrottled},
    {"EntityAlreadyExists", Code::kAlreadyExists},
    {"ExpiredToken", Code::kForbidden},
    {"ExpiredTokenException", Code::kForbidden},
    {"IDPCommunicationError", Code::kUnavailable},
    {"IdempotentParameterMismatch", Code::kInvalid},
    {"IncompleteSignature", Code::kForbidden},
    {"InsufficientCapacity", Code::kInsufficientCapacity},
    {"InsufficientFreeAddressesInSubnet", Code::kInsufficientCapacity},
    {"InsufficientHostCapacity", Code::kInsufficientCapacity},
    {"InsufficientInstanceCapacity", Code::kInsufficientCapacity},
    {"InsufficientReservedInstanceCapacity", Code::kInsufficientCapacity},
    {"InternalError", Code::kUnavailable},
    {"InternalFailure", Code::kUnavailable},
    {"InternalServerError", Code::kUnavailable},
    {"InvalidAMIID.NotFound", Code::kNotFound},
    {"InvalidCapacityReservationId.NotFound", Code::kNotFound},
    {"InvalidClientTokenId", Code::kForbidden},
    {"InvalidGroup.NotFound", Code::kNotFound},
    {"InvalidIdentityToken", Code::kForbidden},
    {"InvalidInstanceID.NotFound", Code::kNotFound},
    {"InvalidLaunchTemplateId.NotFound", Code::kNotFound},
    {"InvalidLaunchTemplateName.AlreadyExistsException", Code::kAlreadyExists},
    {"InvalidLaunchTemplateName.NotFoundException", Code::kNotFound},
    {"InvalidPlacementGroup.Unknown", Code::kNotFound},
    {"InvalidSignatureException", Code::kForbidden},
    {"InvalidSubnetID.NotFound", Code::kNotFound},
    {"LimitExceeded", Code::kQuota},
    {"LimitExceededException", Code::kThrottled},
    {"MaxFleetCountExceeded", Code::kQuota},
    {"MaxSpotInstanceCountExceeded", Code::kQuota},
    {"MissingAuthenticationToken", Code::kForbidden},
    {"NoSuchEntity", Code::kNotFound},
    {"OptInRequired", Code::kForbidden},
    {"ParameterNotFound", Code::kNotFound},
    {"PendingVerification", Code::kQuota},
    {"PriorRequestNotComplete", Code::kThrottled},
    {"ProvisionedThroughputExceededException", Code::kThrottled},
    {"QueueDoesNotExist", Code::kNotFound},
    {"RequestExpired", Code::kForbidden},
    {"RequestLimitExceeded", Code::kThrottled},
    {"RequestThrottled", Code::kThrottled},
    {"RequestThrottledException", Code::kThrottled},
    {"RequestTimeTooSkewed", Code::kForbidden},
    {"RequestTimeout", Code::kTimeout},
    {"RequestTimeoutException", Code::kTimeout},
    {"ReservationCapacityExceeded", Code::kInsufficientCapacity},
    {"ResourceInUseException", Code::kConflict},
    {"ResourceNotFoundException", Code::kNotFound},
    {"ServerInternal", Code::kUnavailable},
    {"ServiceUnavailable", Code::kUnavailable},
    {"ServiceUnavailableException", Code::kUnavailable},
    {"SignatureDoesNotMatch", Code::kForbidden},
    {"SlowDown", Code::kThrottled},
    {"ThrottledException", Code::kThrottled},
    {"Throttling", Code::kThrottled},
    {"ThrottlingException", Code::kThrottled},
    {"TooManyRequestsException", Code::kThrottled},
    {"TransactionInProgressException", Code::kThrottled},
    {"Unavailable", Code::kUnavailable},
    {"UnauthorizedOperation", Code::kForbidden},
    {"UnfulfillableCapacity", Code::kInsufficientCapacity},
    {"UnrecognizedClientException", Code::kForbidden},
    {"VcpuLimitExceeded", Code::kQuota},
};

Code by_status(int status) {
  if (status == 401 || status == 403) return Code::kForbidden;
  // Only an AWS code proves that an object does not exist; without one, a proxy or a wrong endpoint responded.
  if (status == 404) return Code::kUnavailable;
  if (status == 408) return Code::kTimeout;
  if (status == 409) return Code::kConflict;
  if (status == 429) return Code::kThrottled;
  if (status >= 500 || status == 0) return Code::kUnavailable;
  return Code::kInvalid;
}

const Row* find(std::string_view code) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.code == code; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

Code classify(std::string_view aws_code, int http_status) {
  if (const Row* row = find(aws_code)) return row->meaning;
  if (aws_code.ends_with(".NotFound") || aws_code.ends_with(".NotFoundException")) return Code::kNotFound;
  if (aws_code.ends_with(".AlreadyExists") || aws_code.ends_with(".Duplicate")) return Code::kAlreadyExists;
  if (aws_code.ends_with("LimitExceeded")) return Code::kQuota;
  return by_status(http_status);
}

bool is_throttling(std::string_view aws_code) {
  const Row* row = find(aws_code);
  return row != nullptr && row->meaning == Code::kThrottled;
}

bool is_transient(std::string_view aws_code, int http_status) {
  const Row* row = find(aws_code);
  if (row != nullptr && (row->meaning == Code::kUnavailable || row->meaning == Code::kTimeout)) return true;
  // An error that AWS names is final even as a 5xx: Fleet reports insufficient capacity with 503.
  if (row != nullptr) return false;
  return http_status == 429 || http_status == 500 || http_status == 502 || http_status == 503 || http_status == 504;
}

bool may_be_clock_skew(std::string_view aws_code) {
  constexpr std::array<std::string_view, 7> kCodes = {
      "RequestTimeTooSkewed",  "RequestExpired", "RequestInTheFuture", "InvalidSignatureException",
      "SignatureDoesNotMatch", "AuthFailure",    "AccessDenied",
  };
  return std::find(kCodes.begin(), kCodes.end(), aws_code) != kCodes.end();
}

namespace {

// AWS answers a wrong signature with the request that it has received, session token included.
std::string without_quoted_request(const std::string& message) {
  for (const std::string_view quoted : {"The Canonical String", "The String-to-Sign"}) {
    if (const size_t at = message.find(quoted); at != std::string::npos)
      return std::string(trim(std::string_view(message).substr(0, at)));
  }
  return message;
}

}  // namespace

Error to_error(std::string_view operation, const ServiceError& error, int http_status) {
  std::string text(operation);
  text += ": " + (error.code.empty() ? "HTTP " + std::to_string(http_status) : error.code);
  if (!error.message.empty()) text += ": " + without_quoted_request(error.message);
  if (!error.request_id.empty()) text += std::string(kRequest) + error.request_id + ")";
  return Error{classify(error.code, http_status), std::move(text)};
}

std::string without_request(const std::string& message) {
  const size_t begin = message.rfind(kRequest);
  return begin == std::string::npos || message.back() != ')' ? message : message.substr(0, begin);
}

bool mentions(const Error& error, std::string_view aws_code) {
  return error.message.find(aws_code) != std::string::npos;
}

}  // namespace tenon::aws
