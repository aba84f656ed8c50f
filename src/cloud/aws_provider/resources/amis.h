// Resolves the images of a node class and picks the one that an instance type boots.
// parity: provider-aws pkg/providers/amifamily/ami.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "aws/ec2.h"
#include "aws/ssm.h"
#include "cloud/aws_provider/resources/ami_family.h"
#include "cloud/aws_provider/util/refreshed.h"
#include "model/instance_type.h"
#include "model/node_class.h"

namespace tenon::cloud {

inline constexpr Duration kAmiTtl = 1min;
inline constexpr Duration kPublicParameterTtl = 24h;
inline constexpr Duration kUserParameterTtl = 5min;
inline constexpr Duration kDeprecatedRecheck = 30min;  // a public parameter whose image is deprecated is read again

// Thread rule: any thread.
class Amis {
 public:
  struct Services {
    aws::Ec2& ec2;
    aws::Ssm& ssm;
    runtime::Runtime& runtime;
  };
  explicit Amis(Services services, Duration good_for = kAmiTtl);

  // Returns the images, newest first; empty if AWS returns no match. Cached by the class's uid and generation and the
  // Kubernetes version. Errors: those of the calls, and of check_aliases(); kNotFound, with its name: a parameter of
  // Ubuntu does not exist.
  Result<std::vector<model::ResolvedAmi>> resolve(const model::NodeClass& node_class,
                                                  const std::string& kubernetes_version, const std::stop_token& stop);

 private:
  // The variants that an image is for; its architecture is not known yet.
  struct Wanted {
    std::string image_id, parameter;
    std::vector<AmiVariant> variants;
  };
  Result<std::string> parameter(const std::string& name, TtlMap<std::string, std::string>& cache,
                                const std::stop_token& stop);
  Result<std::vector<Wanted>> of_ubuntu(const std::string& kubernetes_version, const std::stop_token& stop);
  Result<std::vector<Wanted>> by_alias(const std::string& alias, const std::string& kubernetes_version,
                                       const std::stop_token& stop);
  Result<std::vector<model::ResolvedAmi>> discover(const model::NodeClass& node_class,
                                                   const std::string& kubernetes_version, const std::stop_token& stop);
  Result<std::vector<aws::Image>> describe_terms(const std::vector<model::SelectorTerm>& terms,
                                                 const std::vector<std::string>& ids, const std::stop_token& stop);

  const Services services_;
  TtlMap<std::string, std::string> public_parameters_, user_parameters_;
  TtlMap<std::string, bool> rechecked_;  // public parameters
  TtlMap<std::string, std::vector<model::ResolvedAmi>> resolved_;
};

// Checks that every alias of the class can be resolved for this version. Errors: kInvalid. Pure.
Status check_aliases(const model::NodeClass& node_class, const std::string& kubernetes_version);

// An image with the requirements that it is for. Pure.
struct AmiCandidate {
  aws::Image image;
  std::vector<model::RequirementSpec> requirements;
};
// Returns the best image for each distinct set of requirements (not deprecated, then newest, then the larger name),
// newest first.
std::vector<model::ResolvedAmi> pick_amis(std::vector<AmiCandidate> candidates, Instant now);

// Picks the image that an instance type boots. Borrows the list. Pure.
class AmiChooser {
 public:
  explicit AmiChooser(const std::vector<model::ResolvedAmi>& amis);
  // Returns the first image that the type can boot; null if there is none.
  const model::ResolvedAmi* pick(const model::InstanceType& type) const;

 private:
  struct Entry {
    const model::ResolvedAmi* ami;
    model::Requirements requirements;
  };
  std::vector<Entry> entries_;
};

// Returns the filters for a selector term's tags ("*": the key alone). Pure; also used for subnets and security groups.
aws::Filters tag_filters(const model::StringMap& tags);

}  // namespace tenon::cloud
