// SPDX-License-Identifier: Apache-2.0
#include "schema/schema.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "json/json.h"
#include "schema/causes.h"
#include "schema/defaults.h"
#include "schema/rules.h"
#include "schema/validate.h"

namespace tenon::schema {
namespace {

// Whether rules are skipped after this error: they could fail on a value that is missing or of the wrong type.
bool blocks_rules(const Cause& cause) {
  constexpr std::string_view reasons[] = {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong",
                                          "FieldValueTooMany", "FieldValueTypeInvalid"};
  return std::find(std::begin(reasons), std::end(reasons), cause.reason) != std::end(reasons);
}

// Objects whose uid is stored. If the set is full, it is cleared: the next write of each object evaluates all rules.
constexpr size_t kMaxApproved = 100'000;

void append(std::vector<Cause>& to, std::vector<Cause> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

struct CrdSchema::Impl {
  schema::Node::Ptr root;
  mutable std::mutex mutex;
  mutable std::unordered_set<std::string> approved;  // uids

  bool approved_before(const json::value& object) const {
    const std::string uid(json::string_at(object, {"metadata", "uid"}));
    const std::lock_guard lock(mutex);
    return approved.contains(uid);
  }
  void approve(const json::value& object) const {
    std::string uid(json::string_at(object, {"metadata", "uid"}));
    if (uid.empty()) return;
    const std::lock_guard lock(mutex);
    if (approved.size() >= kMaxApproved) approved.clear();
    approved.insert(std::move(uid));
  }
};

CrdSchema::CrdSchema(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
CrdSchema::~CrdSchema() = default;

Result<std::shared_ptr<const CrdSchema>> CrdSchema::compile(const json::value& open_api_v3_schema) {
  auto root = TRY(schema::compile_node(open_api_v3_schema));
  TRY(schema::compile_rules(*root));
  auto impl = std::make_unique<Impl>();
  impl->root = std::move(root);
  return std::shared_ptr<const CrdSchema>(new CrdSchema(std::move(impl)));
}

void CrdSchema::apply_defaults(json::value& object) const {
  schema::apply_defaults(object, *impl_->root);
  schema::drop_nulls(object, *impl_->root);
}

std::vector<std::string> CrdSchema::prune(json::value& object) const { return schema::prune(object, *impl_->root); }

std::vector<Cause> CrdSchema::validate(const json::value& object, const json::value* old_object) const {
  const schema::Node& root = *impl_->root;
  std::vector<Cause> causes = schema::validate_values(object, old_object, root);
  if (!old_object || schema::validate_lists(*old_object, root).empty())
    append(causes, schema::validate_lists(object, root));
  if (!root.rules_below) return causes;
  if (std::any_of(causes.begin(), causes.end(), blocks_rules)) {
    causes.push_back(
        schema::invalid("", nullptr,
                        "some validation rules were not checked because the object was invalid; correct the "
                        "existing errors to complete validation"));
    return causes;
  }
  const bool old_held = old_object != nullptr && impl_->approved_before(*old_object);
  append(causes, schema::validate_rules(object, old_object, old_held, root));
  if (causes.empty()) impl_->approve(object);
  if (causes.size() > schema::kMaxCauses) causes.resize(schema::kMaxCauses);
  return causes;
}

}  // namespace tenon::schema
