// SPDX-License-Identifier: Apache-2.0
#include "aws/query_protocol.h"

#include <algorithm>
#include <pugixml.hpp>

#include "base/text.h"

namespace tenon::aws {
namespace {

// Encodes a blank as '+', as AWS's SDKs do: servers that encode the form again to verify its signature require it.
std::string form_encode(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    out += percent_encode(text.substr(begin, end - begin));
    if (end < text.size()) out += '+';
    begin = end + 1;
  }
  return out;
}

}  // namespace

Form::Form(std::string_view action, std::string_view version) {
  set("Action", action);
  set("Version", version);
}

Form& Form::set(const std::string& name, std::string_view value) {
  if (!value.empty()) parameters_.emplace_back(name, value);
  return *this;
}

Form& Form::set(const std::string& name, int64_t value) { return set(name, std::string_view(std::to_string(value))); }

Form& Form::set(const std::string& name, bool value) { return set(name, value ? "true" : "false"); }

Form& Form::list(const std::string& name, const std::vector<std::string>& values) {
  int number = 0;
  for (const std::string& value : values) set(name + "." + std::to_string(++number), std::string_view(value));
  return *this;
}

Form& Form::tags(const std::string& name, const Tags& tags) {
  int number = 0;
  for (const auto& [key, value] : tags) {
    const std::string at = name + "." + std::to_string(++number);
    set(at + ".Key", std::string_view(key));
    parameters_.emplace_back(at + ".Value", value);
  }
  return *this;
}

std::string Form::encode() const {
  std::string body;
  for (const auto& [name, value] : parameters_) {
    if (!body.empty()) body += '&';
    body += form_encode(name) + "=" + form_encode(value);
  }
  return body;
}

XmlReply::XmlReply(std::unique_ptr<pugi::xml_document> document) : document_(std::move(document)) {}
XmlReply::XmlReply(XmlReply&&) noexcept = default;
XmlReply& XmlReply::operator=(XmlReply&&) noexcept = default;
XmlReply::~XmlReply() = default;

pugi::xml_node XmlReply::root() const { return document_->document_element(); }

Result<XmlReply> query(Client& client, const Service& service, const Form& form, const std::stop_token& stop,
                       QueryOptions options) {
  const std::string body = form.encode();
  const std::string_view action = cut(cut(body, '&').first, '=').second;
  Operation operation{.service = service, .action = action};
  operation.headers.set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
  operation.body = body;
  operation.read_error = read_xml_error;
  operation.max_attempts = options.max_attempts;
  operation.anonymous = options.anonymous;
  const http::Response response = TRY(client.call(operation, stop));
  auto document = std::make_unique<pugi::xml_document>();
  const auto parsed = document->load_buffer(response.body.data(), response.body.size());
  if (!parsed) {
    return fail(Code::kInternal, std::string(service.id) + " " + std::string(action) +
                                     ": the answer is not XML: " + parsed.description());
  }
  return XmlReply(std::move(document));
}

ServiceError read_xml_error(const http::Response& response) {
  pugi::xml_document document;
  ServiceError error;
  if (!document.load_buffer(response.body.data(), response.body.size())) return error;
  const pugi::xml_node root = document.document_element();
  pugi::xml_node detail = root.child("Errors").child("Error");
  if (!detail) detail = root.child("Error");
  error.code = detail.child_value("Code");
  error.message = detail.child_value("Message");
  error.request_id = root.child_value("RequestID");
  if (error.request_id.empty()) error.request_id = root.child_value("RequestId");
  return error;
}

std::string text_at(const pugi::xml_node& node, const char* child) { return node.child_value(child); }
int64_t int_at(const pugi::xml_node& node, const char* child) { return node.child(child).text().as_llong(); }
double double_at(const pugi::xml_node& node, const char* child) { return node.child(child).text().as_double(); }
bool bool_at(const pugi::xml_node& node, const char* child) { return node.child(child).text().as_bool(); }

Instant time_at(const pugi::xml_node& node, const char* child) {
  return parse_rfc3339(node.child_value(child)).value_or(Instant{});
}

std::vector<std::string> texts_at(const pugi::xml_node& node, const char* list) {
  std::vector<std::string> values;
  for (const pugi::xml_node item : node.child(list)) values.emplace_back(item.child_value());
  return values;
}

Tags tags_at(const pugi::xml_node& node, const char* list) {
  Tags tags;
  for (const pugi::xml_node item : node.child(list)) {
    const bool capital = !item.child("Key").empty();
    tags[item.child_value(capital ? "Key" : "key")] = item.child_value(capital ? "Value" : "value");
  }
  return tags;
}

}  // namespace tenon::aws
