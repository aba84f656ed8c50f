// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"
#include "kubesim/apiserver/admit/validation/rules.h"
#include "kubesim/apiserver/base/names.h"

namespace tenon::kubesim::apiserver::validation {
namespace {

void check_values(const Place& requirement) {
  requirement["values"].each([](const Place& item) { item.named(check_label_value); });
}

bool is_in(std::string_view op) { return op == "In" || op == "NotIn"; }
bool is_exists(std::string_view op) { return op == "Exists" || op == "DoesNotExist"; }

// Validates the values. Returns whether the operator is one of the four that all selectors have.
bool check_common_operator(const Place& requirement) {
  const std::string_view op = requirement["operator"].text();
  if (is_in(op) && requirement["values"].empty()) {
    requirement["values"].required("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (is_exists(op) && !requirement["values"].empty()) {
    requirement["values"].forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
  return is_in(op) || is_exists(op);
}

void unknown_operator(const Place& requirement) {
  const Place op = requirement["operator"];
  op.invalid(json::value(op.text()), "not a valid selector operator");
}

void check_expression(const Place& requirement, bool with_values) {
  const std::string_view op = requirement["operator"].text();
  if (op == "Gt" || op == "Lt") {
    if (requirement["values"].size() != 1) {
      requirement["values"].required("must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else if (!check_common_operator(requirement)) {
    unknown_operator(requirement);
  }
  requirement["key"].qualified();
  if (with_values) check_values(requirement);
}

void check_field(const Place& requirement) {
  if (!is_in(requirement["operator"].text())) {
    unknown_operator(requirement);
  } else if (requirement["values"].size() != 1) {
    requirement["values"].required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement["key"].text() != "metadata.name") requirement["key"].invalid("not a valid field selector key");
}

}  // namespace

void check_labels(const Place& labels) {
  labels.each_key([&](const Place& label, std::string_view key) {
    if (const auto wrong = check_qualified_name(key)) labels.invalid(json::value(key), *wrong);
    if (const auto wrong = check_label_value(label.text())) labels.invalid(label.value(), *wrong);
  });
}

void check_label_selector(const Place& selector) {
  if (!selector) return;
  check_labels(selector["matchLabels"]);
  selector["matchExpressions"].each([](const Place& requirement) {
    if (!check_common_operator(requirement)) unknown_operator(requirement);
    requirement["key"].qualified();
    check_values(requirement);
  });
}

void check_node_selector_term(const Place& term, bool with_values) {
  term["matchExpressions"].each([&](const Place& requirement) { check_expression(requirement, with_values); });
  term["matchFields"].each(check_field);
}

void check_node_selector(const Place& selector) {
  const Place terms = selector["nodeSelectorTerms"];
  if (terms.empty()) return terms.required("must have at least one node selector term");
  terms.each([](const Place& term) { check_node_selector_term(term, true); });
}

}  // namespace tenon::kubesim::apiserver::validation
