// SSM parameters, the price list and EKS.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "awssim/services/services.h"
#include "base/text.h"
#include "json/json.h"

namespace tenon::awssim {
namespace {

using json::array;
using json::object;
using json::value;

constexpr int64_t kProductsPerPage = 100;
constexpr std::string_view kOnDemandTerm = "JRTCKXETXF";
constexpr std::string_view kHourlyRate = "6YS6EN2CT7";

std::string input_string(const object& input, std::string_view key) {
  const value* v = input.if_contains(key);
  return v && v->is_string() ? std::string(v->get_string()) : std::string();
}

// The attributes of a type in the price list: those that callers filter on.
std::map<std::string, std::string, std::less<>> product_attributes(const World& world,
                                                                   const catalog::InstanceFacts& facts) {
  return {{"servicecode", "AmazonEC2"},
          {"serviceCode", "AmazonEC2"},
          {"regionCode", world.options.region},
          {"locationType", "AWS Region"},
          {"instanceType", facts.name},
          {"tenancy", facts.bare_metal ? "Dedicated" : "Shared"},
          {"operatingSystem", "Linux"},
          {"preInstalledSw", "NA"},
          {"capacitystatus", "Used"},
          {"marketoption", "OnDemand"},
          {"productFamily", facts.bare_metal ? "Compute Instance (bare metal)" : "Compute Instance"},
          {"vcpu", std::to_string(facts.vcpus)},
          {"memory", std::to_string(facts.memory_mib / 1024) + " GiB"},
          {"currentGeneration", facts.generation >= "5" ? "Yes" : "No"}};
}

// Ten decimals, as the price list writes them.
std::string list_price(model::Price price) {
  std::string usd = model::format_usd(price);
  if (usd.find('.') == usd.npos) usd += '.';
  while (usd.size() - usd.find('.') - 1 < 10) usd += '0';
  return usd;
}

// A stable, unique code of the product, as in the price list.
std::string sku_of(const std::string& instance_type) {
  uint64_t hash = 14695981039346656037u;
  for (unsigned char c : instance_type) hash = (hash ^ c) * 1099511628211u;
  std::string sku;
  constexpr std::string_view kLetters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  for (int i = 0; i < 12; ++i, hash >>= 5) sku += kLetters[hash & 31];
  return sku;
}

std::string product_text(const World& world, const catalog::InstanceFacts& facts, model::Price price) {
  auto attributes = product_attributes(world, facts);
  std::string sku = sku_of(facts.name);
  std::string term = sku + "." + std::string(kOnDemandTerm), rate = term + "." + std::string(kHourlyRate);
  object product{{"productFamily", attributes["productFamily"]}, {"sku", sku}};
  object shown;
  for (const auto& [key, text] : attributes)
    if (key != "productFamily" && key != "serviceCode") shown[key] = text;
  product["attributes"] = shown;
  object dimension{{"unit", "Hrs"},
                   {"beginRange", "0"},
                   {"endRange", "Inf"},
                   {"rateCode", rate},
                   {"appliesTo", array()},
                   {"description", "On Demand Linux " + facts.name + " Instance Hour"},
                   {"pricePerUnit", object{{"USD", list_price(price)}}}};
  object offer{{"sku", sku},
               {"offerTermCode", kOnDemandTerm},
               {"effectiveDate", "2026-07-01T00:00:00Z"},
               {"termAttributes", object()},
               {"priceDimensions", object{{rate, dimension}}}};
  return json::to_string(object{{"product", product},
                                {"serviceCode", "AmazonEC2"},
                                {"version", "20260720000000"},
                                {"publicationDate", "2026-07-20T00:00:00Z"},
                                {"terms", object{{"OnDemand", object{{term, offer}}}}}});
}

Outcome<bool> matches_filters(const std::map<std::string, std::string, std::less<>>& attributes, const object& input) {
  const value* filters = input.if_contains("Filters");
  if (!filters) return true;
  if (!filters->is_array()) return deny("InvalidParameterException", "Filters must be a list");
  bool all = true;
  for (const value& filter : filters->get_array()) {
    if (json::string_at(filter, {"Type"}) != "TERM_MATCH")
      return deny("InvalidParameterException", "Only filters of type TERM_MATCH are available");
    auto found = attributes.find(json::string_at(filter, {"Field"}));
    // As on AWS, a filter on an unknown field matches nothing.
    all = all && found != attributes.end() && found->second == json::string_at(filter, {"Value"});
  }
  return all;
}

object cluster_document(const World& world) {
  const FakeAwsOptions& options = world.options;
  array subnets, groups;
  for (const Subnet& subnet : world.subnets) subnets.emplace_back(subnet.id);
  for (const SecurityGroup& group : world.security_groups) groups.emplace_back(group.id);
  return object{{"name", options.cluster_name},
                {"arn", world.arn("eks", "cluster/" + options.cluster_name)},
                {"createdAt", epoch_seconds(world.roles.begin()->second.created_at)},
                {"version", options.kubernetes_version},
                {"endpoint", options.cluster_endpoint},
                {"roleArn", world.arn("iam", "role/EKSClusterRole-" + options.cluster_name)},
                {"resourcesVpcConfig", object{{"subnetIds", subnets},
                                              {"securityGroupIds", groups},
                                              {"clusterSecurityGroupId", world.security_groups.front().id},
                                              {"vpcId", kVpcId},
                                              {"endpointPublicAccess", true},
                                              {"endpointPrivateAccess", true}}},
                {"kubernetesNetworkConfig", object{{"serviceIpv4Cidr", kServiceCidr}, {"ipFamily", "ipv4"}}},
                {"status", "ACTIVE"},
                {"certificateAuthority", object{{"data", base64_encode(options.cluster_ca_pem)}}},
                {"platformVersion", "eks.1"},
                {"tags", object()}};
}

}  // namespace

Outcome<value> perform_ssm(World& world, std::string_view action, const object& input) {
  if (action != "GetParameter") return deny("InvalidAction", "The action is not available");
  std::string name = input_string(input, "Name");
  if (name.empty())
    return deny("ValidationException",
                "1 validation error detected: Value null at 'name' failed to satisfy "
                "constraint: Member must not be null");
  // An ARN names the same parameter: arn:aws:ssm:us-east-1::parameter/aws/service/…
  std::string path = name;
  if (auto at = path.find(":parameter/"); path.starts_with("arn:") && at != path.npos)
    path = path.substr(at + std::string_view(":parameter").size());
  std::lock_guard lock(world.mutex);
  auto found = world.parameters.find(path);
  if (found == world.parameters.end()) return deny("ParameterNotFound", "");
  return object{{"Parameter", object{{"Name", path},
                                     {"Type", "String"},
                                     {"Value", found->second},
                                     {"Version", 1},
                                     {"LastModifiedDate", epoch_seconds(world.images.at(found->second).created_at)},
                                     {"ARN", "arn:aws:ssm:" + world.options.region + "::parameter" + path},
                                     {"DataType", "aws:ec2:image"}}}};
}

Outcome<value> perform_pricing(World& world, std::string_view action, const object& input) {
  if (action != "GetProducts") return deny("InvalidAction", "The action is not available");
  if (input_string(input, "ServiceCode") != "AmazonEC2")
    return deny("InvalidParameterException", "ServiceCode must be AmazonEC2; there are no other prices here");
  std::string token = input_string(input, "NextToken");
  PageRequest request{.token = token, .max_results = 0, .limit = kProductsPerPage};
  if (const value* size = input.if_contains("MaxResults")) {
    if (!size->is_int64() || size->get_int64() < 1 || size->get_int64() > kProductsPerPage)
      return deny("InvalidParameterException", "MaxResults must be between 1 and 100");
    request.max_results = size->get_int64();
  }
  std::lock_guard lock(world.mutex);
  std::vector<std::string> names;
  for (const catalog::InstanceFacts* facts : world.types)
    if (world.on_demand_price(*facts) && AWS_TRY(matches_filters(product_attributes(world, *facts), input)))
      names.push_back(facts->name);
  auto page = page_of(names, request);
  if (!page) return deny("InvalidNextTokenException", "The pagination token is invalid");
  array products;
  for (size_t i = page->begin; i < page->end; ++i) {
    const catalog::InstanceFacts* facts = world.type(names[i]);
    products.emplace_back(product_text(world, *facts, *world.on_demand_price(*facts)));
  }
  object output{{"FormatVersion", "aws_v1"}, {"PriceList", products}};
  if (!page->next_token.empty()) output["NextToken"] = page->next_token;
  return output;
}

Outcome<value> perform_eks(World& world, std::string_view method, std::string_view path) {
  constexpr std::string_view kPrefix = "/clusters/";
  if (method != "GET" || !path.starts_with(kPrefix))
    return deny("InvalidRequestException", "The operation is not available", 404);
  std::string name = percent_decode(path.substr(kPrefix.size()));
  std::lock_guard lock(world.mutex);
  if (name != world.options.cluster_name)
    return deny("ResourceNotFoundException", "No cluster found for name: " + name + ".", 404);
  return object{{"cluster", cluster_document(world)}};
}

}  // namespace tenon::awssim
