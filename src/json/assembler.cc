// SPDX-License-Identifier: Apache-2.0
#include "json/assembler.h"

#include <algorithm>
#include <optional>

#include "json/json.h"

namespace tenon::json {
namespace {

constexpr size_t kBlockBytes = 16 << 10;  // memory of one object; larger objects allocate more

const LeftOut* rule_for(const std::vector<LeftOut>* rules, std::string_view name) {
  if (!rules) return nullptr;
  const auto at = std::find_if(rules->begin(), rules->end(), [&](const LeftOut& rule) { return rule.name == name; });
  return at == rules->end() ? nullptr : &*at;
}

}  // namespace

// Free blocks of released objects.
struct Assembler::Blocks {
  std::vector<std::unique_ptr<unsigned char[]>> free;
};

// One object and its memory. Most objects are released before the next one begins, so that blocks are reused. The
// owner of the object owns its memory: its parts neither count as users of the memory nor are freed one by one, which
// takes time.
class Assembler::Arena {
 public:
  explicit Arena(std::shared_ptr<Blocks> blocks)
      : blocks_(std::move(blocks)), block_(take(*blocks_)), memory_(block_.get(), kBlockBytes) {}
  ~Arena() { blocks_->free.push_back(std::move(block_)); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  boost::json::storage_ptr memory() { return &memory_; }
  const value& keep(value&& object) { return object_.emplace(std::move(object)); }

 private:
  static std::unique_ptr<unsigned char[]> take(Blocks& blocks) {
    if (blocks.free.empty()) return std::make_unique_for_overwrite<unsigned char[]>(kBlockBytes);
    auto block = std::move(blocks.free.back());
    blocks.free.pop_back();
    return block;
  }

  const std::shared_ptr<Blocks> blocks_;
  std::unique_ptr<unsigned char[]> block_;
  boost::json::monotonic_resource memory_;
  std::optional<value> object_;
};

Assembler::Assembler(Receiver& receiver) : receiver_(receiver), blocks_(std::make_shared<Blocks>()) {}

void Assembler::start() {
  arena_ = std::make_shared<Arena>(blocks_);
  stack_.reset(arena_->memory());
  levels_.clear();
  head_ = {};
  root_ = Root::kOther;
  next_rules_ = nullptr;
  skipped_depth_ = 0;
  skip_next_ = next_is_uid_ = left_something_ = doubtful_ = false;
}

void Assembler::begin(bool is_array) {
  if (skip_next_) {
    skip_next_ = false;
    skipped_depth_ = 1;
    return;
  }
  if (skipped_depth_ > 0) {
    ++skipped_depth_;
    return;
  }
  const std::vector<LeftOut>* rules = next_rules_;
  if (!levels_.empty() && levels_.back().is_array) {
    rules = levels_.back().rules;
    ++levels_.back().size;
  }
  next_rules_ = nullptr;
  next_is_uid_ = false;
  levels_.push_back({rules, 0, is_array});
}

void Assembler::end() {
  if (skipped_depth_ > 0) {
    --skipped_depth_;
    return;
  }
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.is_array)
    stack_.push_array(level.size);
  else
    stack_.push_object(level.size);
}

void Assembler::note_root(std::string_view name) {
  root_ = name == "kind"         ? Root::kKind
          : name == "apiVersion" ? Root::kApiVersion
          : name == "metadata"   ? Root::kMetadata
                                 : Root::kOther;
  if (root_ != Root::kOther && left_something_) doubtful_ = true;
  if (root_ == Root::kKind) head_.kind.clear();
  if (root_ == Root::kApiVersion) head_.api_version.clear();
  if (root_ == Root::kMetadata) head_.stored = false;
}

void Assembler::key(std::string_view name) {
  if (skipped_depth_ > 0) return;
  if (levels_.size() == 1) {
    note_root(name);
    levels_.back().rules = &receiver_.left_out(head_);
  }
  next_is_uid_ = levels_.size() == 2 && root_ == Root::kMetadata && name == "uid";
  const LeftOut* rule = rule_for(levels_.back().rules, name);
  if (rule && rule->inside.empty()) {
    skip_next_ = left_something_ = true;
    return;
  }
  next_rules_ = rule ? &rule->inside : nullptr;
  ++levels_.back().size;
  stack_.push_key(name);
}

bool Assembler::skip_scalar() {
  if (skipped_depth_ > 0) return true;
  if (skip_next_) {
    skip_next_ = false;
    return true;
  }
  if (!levels_.empty() && levels_.back().is_array) ++levels_.back().size;
  next_rules_ = nullptr;
  return false;
}

void Assembler::text(std::string_view text) {
  if (skip_scalar()) return;
  if (levels_.size() == 1 && root_ == Root::kKind) head_.kind = text;
  if (levels_.size() == 1 && root_ == Root::kApiVersion) head_.api_version = text;
  if (next_is_uid_) head_.stored = true;
  next_is_uid_ = false;
  stack_.push_string(text);
}
void Assembler::integer(int64_t number) {
  if (!skip_scalar()) stack_.push_int64(number);
}
void Assembler::natural(uint64_t number) {
  if (!skip_scalar()) stack_.push_uint64(number);
}
void Assembler::real(double number) {
  if (!skip_scalar()) stack_.push_double(number);
}
void Assembler::boolean(bool truth) {
  if (!skip_scalar()) stack_.push_bool(truth);
}
void Assembler::null() {
  if (!skip_scalar()) stack_.push_null();
}

void Assembler::scalar(const value& v) {
  switch (v.kind()) {
    case boost::json::kind::null: return null();
    case boost::json::kind::bool_: return boolean(v.get_bool());
    case boost::json::kind::int64: return integer(v.get_int64());
    case boost::json::kind::uint64: return natural(v.get_uint64());
    case boost::json::kind::double_: return real(v.get_double());
    default: return text(v.get_string());
  }
}

void Assembler::whole(const value& v) {
  if (const array* items = v.if_array()) {
    begin(true);
    for (const value& item : *items) whole(item);
    end();
  } else if (const object* members = v.if_object()) {
    begin(false);
    for (const auto& member : *members) {
      key(member.key());
      whole(member.value());
    }
    end();
  } else {
    scalar(v);
  }
}

SharedValue Assembler::finish() {
  const value& object = arena_->keep(stack_.release());
  return {std::move(arena_), &object};
}

}  // namespace tenon::json
