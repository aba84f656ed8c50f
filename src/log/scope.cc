// SPDX-License-Identifier: Apache-2.0
#include "log/scope.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

namespace tenon::log {
namespace {

thread_local const Scope* current_scope = nullptr;

uint64_t next_number() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

void fill(std::string& field, const std::string& by) {
  if (field.empty()) field = by;
}

}  // namespace

Scope::Scope(Fields fields) : fields_(std::move(fields)), number_(next_number()), outer_(set_current(this)) {}
Scope::~Scope() { set_current(outer_); }

const Scope* Scope::current() { return current_scope; }
const Scope* Scope::set_current(const Scope* scope) { return std::exchange(current_scope, scope); }

void Scope::add_to(Line& line) const {
  Fields& f = line.fields;
  line.reconciliation = number_;
  fill(f.controller, fields_.controller);
  fill(f.node_pool, fields_.node_pool);
  fill(f.node_claim, fields_.node_claim);
  fill(f.node, fields_.node);
  fill(f.provider_id, fields_.provider_id);
  if (f.controller != fields_.controller) return;
  fill(f.name, fields_.name);
  fill(f.ns, fields_.ns);
  fill(f.kind, fields_.kind);
}

Fields reconciliation_of(const std::string& controller, const std::string& key) {
  struct Part {
    std::string_view name, kind;
    bool kinds;  // what is before a slash in a key is a kind, no namespace
  };
  static constexpr std::array<Part, 6> kParts{{{"nodeclaim", "NodeClaim", false},
                                               {"node", "Node", false},
                                               {"nodepool", "NodePool", true},
                                               {"static", "NodePool", true},
                                               {"nodeclass", "EC2NodeClass", true},
                                               {"status", "", true}}};
  Fields fields{.controller = controller};
  const size_t slash = key.find('/');
  const std::string before = slash == std::string::npos ? "" : key.substr(0, slash);
  fields.name = slash == std::string::npos ? key : key.substr(slash + 1);
  const std::string name = controller.substr(0, controller.find('.'));
  const auto part = std::find_if(kParts.begin(), kParts.end(), [&](const Part& one) { return one.name == name; });
  if (part != kParts.end()) fields.kind = part->kind;
  if (part == kParts.end() || !part->kinds) {
    fields.ns = before;
  } else if (!before.empty()) {  // "provisioner/default", "NodeClaim/default-x"
    fields.kind = before == "provisioner" ? "Provisioner" : before == "awsnodetemplate" ? "AWSNodeTemplate" : before;
  }
  if (fields.kind == "NodeClaim") fields.node_claim = fields.name;
  if (fields.kind == "Node") fields.node = fields.name;
  if (fields.kind == "NodePool" || fields.kind == "Provisioner") fields.node_pool = fields.name;
  return fields;
}

}  // namespace tenon::log
