// Builds one value from the events of a parser. Omits the members that the Receiver leaves out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "json/stream.h"

namespace tenon::json {

class Assembler {
 public:
  explicit Assembler(Receiver& receiver);

  void start();
  void begin(bool is_array);
  void end();
  void key(std::string_view name);
  void text(std::string_view text);
  void integer(int64_t number);
  void natural(uint64_t number);
  void real(double number);
  void boolean(bool truth);
  void null();
  void scalar(const boost::json::value& v);  // any of the above
  void whole(const boost::json::value& v);   // with all that it contains

  // Whether the next or the enclosing value is left out, so that only its syntax matters.
  bool skips() const { return skip_next_ || skipped_depth_ > 0; }
  size_t depth() const { return levels_.size() + skipped_depth_; }
  const Head& head() const { return head_; }
  // kind, apiVersion or metadata appeared after a member was left out: the choice of members may be wrong.
  bool doubtful() const { return doubtful_; }
  // Returns the value since start(), once.
  SharedValue finish();

 private:
  struct Blocks;
  class Arena;
  enum class Root { kOther, kKind, kApiVersion, kMetadata };
  struct Level {
    const std::vector<LeftOut>* rules = nullptr;
    size_t size = 0;
    bool is_array = false;
  };
  bool skip_scalar();  // if false, the scalar is counted
  void note_root(std::string_view name);

  Receiver& receiver_;
  const std::shared_ptr<Blocks> blocks_;
  std::shared_ptr<Arena> arena_;  // of the values in the stack
  boost::json::value_stack stack_;
  std::vector<Level> levels_;
  Head head_;
  Root root_ = Root::kOther;                          // the current member of the root
  const std::vector<LeftOut>* next_rules_ = nullptr;  // of the next value
  size_t skipped_depth_ = 0;
  bool skip_next_ = false, next_is_uid_ = false, left_something_ = false, doubtful_ = false;
};

}  // namespace tenon::json
