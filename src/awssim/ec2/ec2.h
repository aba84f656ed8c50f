// EC2, version 2016-11-15: one function for each action. Each locks the world itself, writes the content of its answer,
// and changes nothing when it returns an error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awssim/account/wire.h"
#include "awssim/account/world.h"

namespace tenon::awssim::ec2 {

// Errors: InvalidAction, and those of the action. `out` receives the content of <ActionResponse>.
Outcome<void> perform(World& world, std::string_view action, const Params& params, Xml& out);

// ec2_catalog.cc
Outcome<void> describe_instance_types(World& world, const Params& params, Xml& out);
Outcome<void> describe_instance_type_offerings(World& world, const Params& params, Xml& out);
Outcome<void> describe_availability_zones(World& world, const Params& params, Xml& out);
Outcome<void> describe_spot_price_history(World& world, const Params& params, Xml& out);
// ec2_network.cc
Outcome<void> describe_subnets(World& world, const Params& params, Xml& out);
Outcome<void> describe_security_groups(World& world, const Params& params, Xml& out);
Outcome<void> describe_vpcs(World& world, const Params& params, Xml& out);
// ec2_reservations.cc
Outcome<void> describe_capacity_reservations(World& world, const Params& params, Xml& out);
Outcome<void> describe_placement_groups(World& world, const Params& params, Xml& out);
// ec2_images.cc
Outcome<void> describe_images(World& world, const Params& params, Xml& out);
// ec2_templates.cc
Outcome<void> create_launch_template(World& world, const Params& params, Xml& out);
Outcome<void> describe_launch_templates(World& world, const Params& params, Xml& out);
Outcome<void> delete_launch_template(World& world, const Params& params, Xml& out);
// ec2_fleet.cc
Outcome<void> create_fleet(World& world, const Params& params, Xml& out);
// ec2_instances.cc
Outcome<void> run_instances(World& world, const Params& params, Xml& out);
Outcome<void> describe_instances(World& world, const Params& params, Xml& out);
Outcome<void> describe_instance_status(World& world, const Params& params, Xml& out);
Outcome<void> terminate_instances(World& world, const Params& params, Xml& out);
// ec2_tags.cc
Outcome<void> create_tags(World& world, const Params& params, Xml& out);
Outcome<void> delete_tags(World& world, const Params& params, Xml& out);

// Writes one page of a filtered list, sorted by key: its items and the token of the next page.
template <class Item, class Each>
Outcome<void> write_page(Xml& out, std::string_view set, std::vector<std::pair<std::string, Item>> items,
                         const PageRequest& request, Each each) {
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> keys;
  for (const auto& [key, item] : items) keys.push_back(key);
  Page page = AWS_TRY(page_of(keys, request));
  out.element(set, [&] {
    for (size_t i = page.begin; i < page.end; ++i) out.element("item", [&] { each(items[i].second); });
  });
  if (!page.next_token.empty()) out.text("nextToken", page.next_token);
  return {};
}

}  // namespace tenon::awssim::ec2
