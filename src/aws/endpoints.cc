// SPDX-License-Identifier: Apache-2.0
#include "aws/endpoints.h"

#include <array>

#include "base/text.h"

namespace tenon::aws {
namespace {

struct Partition {
  std::string_view name, region_prefix, suffix;
  std::string_view iam_host, iam_region;
  std::string_view dual_suffix;     // of hosts that support IPv6 as well; empty: none
  std::string_view pricing_region;  // with the price list; empty: none, or by the region (commercial)
};
// The last row is the commercial partition: all other regions.
constexpr std::array<Partition, 8> kPartitions = {{
    {"aws-cn", "cn-", "amazonaws.com.cn", "iam.cn-north-1.amazonaws.com.cn", "cn-north-1",
     "api.amazonwebservices.com.cn", "cn-northwest-1"},
    {"aws-us-gov", "us-gov-", "amazonaws.com", "iam.us-gov.amazonaws.com", "us-gov-west-1", "api.aws", ""},
    {"aws-eusc", "eusc-", "amazonaws.eu", "iam.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1",
     "api.amazonwebservices.eu", "eusc-de-east-1"},
    {"aws-iso-b", "us-isob-", "sc2s.sgov.gov", "iam.us-isob-east-1.sc2s.sgov.gov", "us-isob-east-1", "",
     "us-isob-east-1"},
    {"aws-iso-f", "us-isof-", "csp.hci.ic.gov", "iam.us-isof-south-1.csp.hci.ic.gov", "us-isof-south-1", "",
     "us-isof-south-1"},
    {"aws-iso-e", "eu-isoe-", "cloud.adc-e.uk", "iam.eu-isoe-west-1.cloud.adc-e.uk", "eu-isoe-west-1", "",
     "eu-isoe-west-1"},
    {"aws-iso", "us-iso-", "c2s.ic.gov", "iam.us-iso-east-1.c2s.ic.gov", "us-iso-east-1", "api.aws.ic.gov",
     "us-iso-east-1"},
    {"aws", "", "amazonaws.com", "iam.amazonaws.com", "us-east-1", "api.aws", ""},
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

bool is_on(const Environment& environment, const std::string& variable) {
  return to_lower(environment(variable)) == "true";
}

struct Variant {
  bool fips = false, dual_stack = false;
};

// Returns IAM's one endpoint; the plain one where AWS documents no variant.
std::string global_host(const Partition& partition, Variant variant) {
  if (partition.iam_host == "iam.us-gov.amazonaws.com") {
    return variant.dual_stack ? "iam.us-gov.api.aws" : std::string(partition.iam_host);  // supports FIPS in any case
  }
  if (partition.iam_host != "iam.amazonaws.com") return std::string(partition.iam_host);
  const std::string name = variant.fips ? "iam-fips" : "iam";
  return name + (variant.dual_stack ? ".global.api.aws" : ".amazonaws.com");
}

// parity: botocore data/*/endpoint-rule-set-1.json
std::string regional_host(const Service& service, const std::string& region, const Partition& partition,
                          Variant variant) {
  const std::string prefix(service.prefix);
  if (variant.dual_stack && !partition.dual_suffix.empty()) {
    return prefix + (variant.fips ? "-fips." : ".") + region + "." + std::string(partition.dual_suffix);
  }
  const std::string rest = "." + region + "." + std::string(partition.suffix);
  const bool government = partition.region_prefix == "us-gov-";
  const bool named = service.id == kPricing.id || service.id == kZonalShift.id;
  if (!variant.fips || (government && !named)) return prefix + rest;  // in GovCloud, nearly all endpoints are FIPS
  if (service.id == kEks.id && partition.region_prefix.empty()) return "fips." + prefix + rest;
  return prefix + "-fips" + rest;
}

}  // namespace

std::string_view dns_suffix(std::string_view region) { return partition_of(region).suffix; }

std::string_view partition_name(std::string_view region) { return partition_of(region).name; }

std::string_view pricing_region(std::string_view region) {
  const Partition& partition = partition_of(region);
  if (!partition.region_prefix.empty()) return partition.pricing_region;
  if (region.starts_with("ap-")) return "ap-south-1";
  return region.starts_with("eu-") ? "eu-central-1" : "us-east-1";
}

Endpoint resolve_endpoint(const Service& service, std::string_view region, const Environment& environment) {
  const Partition& partition = partition_of(region);
  std::string_view home = service.id == kPricing.id ? pricing_region(region) : region;
  if (home.empty()) home = region;  // no endpoint exists there
  Endpoint endpoint{override_of(service, environment), std::string(service.global ? partition.iam_region : home)};
  if (!endpoint.url.empty()) return endpoint;
  const Variant variant{is_on(environment, "AWS_USE_FIPS_ENDPOINT"), is_on(environment, "AWS_USE_DUALSTACK_ENDPOINT")};
  endpoint.url = "https://" + (service.global ? global_host(partition, variant)
                                              : regional_host(service, endpoint.region, partition, variant));
  return endpoint;
}

}  // namespace tenon::aws
