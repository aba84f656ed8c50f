// The query protocol (EC2, IAM, STS): form requests, XML responses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "aws/client.h"

namespace pugi {
class xml_document;
class xml_node;
}  // namespace pugi

namespace tenon::aws {

using Tags = std::map<std::string, std::string, std::less<>>;

// The parameters of one call. Empty strings are omitted, because AWS treats them as absent; tag values are not.
class Form {
 public:
  Form(std::string_view action, std::string_view version);
  Form& set(const std::string& name, std::string_view value);
  Form& set(const std::string& name, const char* value) { return set(name, std::string_view(value)); }
  Form& set(const std::string& name, int64_t value);
  Form& set(const std::string& name, bool value);
  Form& list(const std::string& name, const std::vector<std::string>& values);  // Name.1, Name.2, …
  Form& tags(const std::string& name, const Tags& tags);                        // Name.1.Key, Name.1.Value, …
  std::string encode() const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

// An XML response. The pointer makes it movable in spite of the parser's immovable state.
class XmlReply {
 public:
  explicit XmlReply(std::unique_ptr<pugi::xml_document> document);
  XmlReply(XmlReply&&) noexcept;
  XmlReply& operator=(XmlReply&&) noexcept;
  ~XmlReply();
  pugi::xml_node root() const;  // <DescribeSubnetsResponse>

 private:
  std::unique_ptr<pugi::xml_document> document_;
};

struct QueryOptions {
  int max_attempts = 0;  // as in Operation
  bool anonymous = false;
};
// Errors: those of Client::call; kInternal if the answer is not XML.
Result<XmlReply> query(Client& client, const Service& service, const Form& form, const std::stop_token& stop,
                       QueryOptions options = {});

// Reads <Response><Errors><Error><Code>… (EC2) and <ErrorResponse><Error><Code>… (IAM, STS).
ServiceError read_xml_error(const http::Response& response);

// Helpers to read responses. Missing elements read as empty, 0, false.
std::string text_at(const pugi::xml_node& node, const char* child);
int64_t int_at(const pugi::xml_node& node, const char* child);
double double_at(const pugi::xml_node& node, const char* child);
bool bool_at(const pugi::xml_node& node, const char* child);
Instant time_at(const pugi::xml_node& node, const char* child);                   // the epoch if missing
std::vector<std::string> texts_at(const pugi::xml_node& node, const char* list);  // the <item>s or <member>s
Tags tags_at(const pugi::xml_node& node, const char* list);                       // <tagSet> or <Tags>

}  // namespace tenon::aws
