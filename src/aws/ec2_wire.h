// Shared by the files that implement ec2.h: paging and forms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "aws/ec2.h"
#include "aws/query_protocol.h"

namespace tenon::aws::ec2_wire {

inline constexpr std::string_view kVersion = "2016-11-15";
inline constexpr int kMaxPages = 1000;  // more pages mean that the tokens form a cycle

void add_filters(Form& form, const Filters& filters);
void add_tag_specifications(Form& form, const std::string& name, const std::vector<TagSpecification>& specifications);

// The error code DryRunOperation counts as success.
Status judge_dry_run(const Result<XmlReply>& reply);

// Calls until there is no nextToken; passes every <item> of the element `list` to `take`.
Status for_each_item(Client& client, const Form& form, const char* list,
                     const std::function<void(const pugi::xml_node&)>& take, const std::stop_token& stop);

template <class T>
Result<std::vector<T>> collect(Client& client, const Form& form, const char* list, T (*read)(const pugi::xml_node&),
                               const std::stop_token& stop) {
  std::vector<T> items;
  TRY(for_each_item(client, form, list, [&](const pugi::xml_node& item) { items.push_back(read(item)); }, stop));
  return items;
}

}  // namespace tenon::aws::ec2_wire
