// SPDX-License-Identifier: Apache-2.0
#include "aws/ec2_wire.h"

#include <pugixml.hpp>

#include "aws/errors.h"

namespace tenon::aws::ec2_wire {

void add_filters(Form& form, const Filters& filters) {
  int number = 0;
  for (const Filter& filter : filters) {
    const std::string at = "Filter." + std::to_string(++number);
    form.set(at + ".Name", std::string_view(filter.name));
    form.list(at + ".Value", filter.values);
  }
}

void add_tag_specifications(Form& form, const std::string& name, const std::vector<TagSpecification>& specifications) {
  int number = 0;
  for (const TagSpecification& specification : specifications) {
    const std::string at = name + "." + std::to_string(++number);
    form.set(at + ".ResourceType", std::string_view(specification.resource_type));
    form.tags(at + ".Tag", specification.tags);
  }
}

Status judge_dry_run(const Result<XmlReply>& reply) {
  if (reply) return fail(Code::kInternal, "ec2: a dry run was performed for real");
  if (mentions(reply.error(), "DryRunOperation")) return ok();
  return fail(reply.error());
}

Status for_each_item(Client& client, const Form& form, const char* list,
                     const std::function<void(const pugi::xml_node&)>& take, const std::stop_token& stop) {
  std::string token;
  for (int page = 0; page < kMaxPages; ++page) {
    Form paged = form;
    paged.set("NextToken", std::string_view(token));
    const XmlReply reply = TRY(query(client, kEc2, paged, stop));
    for (const pugi::xml_node item : reply.root().child(list)) take(item);
    token = text_at(reply.root(), "nextToken");
    if (token.empty()) return ok();
  }
  return fail(Code::kInternal, std::string("ec2: more than 1000 pages of ") + list);
}

}  // namespace tenon::aws::ec2_wire
