// SPDX-License-Identifier: Apache-2.0
#include "aws/endpoints.h"

#include <array>

#include "base/text.h"

namespace tenon::aws {
namespace {

struct Partition {
  std::string_view region_prefix, suffix;
  std::string_view iam_host, iam_region;
};
// The last row is the commercial partition, which every other region belongs to.
constexpr std::array<Partition, 7> kPartitions = {{
    {"cn-", "amazonaws.com.cn", "iam.cn-north-1.amazonaws.com.cn", "cn-north-1"},
    {"us-gov-", "amazonaws.com", "iam.us-gov.amazonaws.com", "us-gov-west-1"},
    {"us-isob-", "sc2s.sgov.gov", "iam.us-isob-east-1.sc2s.sgov.gov", "us-isob-east-1"},
    {"us-isof-", "csp.hci.ic.gov", "iam.us-isof-south-1.csp.hci.ic.gov", "us-isof-south-1"},
    {"eu-isoe-", "cloud.adc-e.uk", "iam.eu-isoe-west-1.cloud.adc-e.uk", "eu-isoe-west-1"},
    {"us-iso-", "c2s.ic.gov", "iam.us-iso-east-1.c2s.ic.gov", "us-iso-east-1"},
    {"", "amazonaws.com", "iam.amazonaws.com", "us-east-1"},
}};

const Partition& partition_of(std::string_view region) {
  for (const Partition& partition : kPartitions) {
    if (region.starts_with(partition.region_prefix)) return partition;
  }
  return kPartitions.back();
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::string override_of(const Service& service, const Environment& environment) {
  if (to_lower(environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")) == "true") return {};
  std::string variable = "AWS_ENDPOINT_URL_";
  for (const char c : service.id) variable += (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  const std::string own = environment(variable);
  return without_slash(own.empty() ? environment("AWS_ENDPOINT_URL") : own);
}

}  // namespace

std::string_view dns_suffix(std::string_view region) { return partition_of(region).suffix; }

std::string_view pricing_region(std::string_view region) {
  if (region.starts_with("ap-")) return "ap-south-1";
  if (region.starts_with("cn-")) return "cn-northwest-1";
  if (region.starts_with("eu-")) return "eu-central-1";
  return "us-east-1";
}

Endpoint resolve_endpoint(const Service& service, std::string_view region, const Environment& environment) {
  const Partition& partition = partition_of(region);
  const std::string_view home = service.id == kPricing.id ? pricing_region(region) : region;
  Endpoint endpoint{override_of(service, environment), std::string(service.global ? partition.iam_region : home)};
  if (!endpoint.url.empty()) return endpoint;
  if (service.global) {
    endpoint.url = "https://" + std::string(partition.iam_host);
  } else {
    endpoint.url =
        "https://" + std::string(service.prefix) + "." + endpoint.region + "." + std::string(partition.suffix);
  }
  return endpoint;
}

}  // namespace tenon::aws
