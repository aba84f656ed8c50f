// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "json/json.h"
#include "json/letters.h"
#include "json/stream.h"
#include "json/yaml.h"
#include "json/yaml_block.h"

namespace tenon::json {
namespace {

constexpr size_t kChunkBytes = 256 << 10;

// The lines of a text, and the piece that ends before the current line.
class Lines {
 public:
  explicit Lines(Source& source) : source_(source) {}

  // Returns the next line without its newline, valid until the next call; false: the end.
  Result<bool> next(std::string_view& line) {
    line_ = at_;
    size_t from = at_;
    while (true) {
      const void* found = std::memchr(buffer_.data() + from, '\n', buffer_.size() - from);
      if (found) {
        at_ = size_t(static_cast<const char*>(found) - buffer_.data()) + 1;
        line = std::string_view(buffer_).substr(line_, at_ - line_ - 1);
        return true;
      }
      from = buffer_.size() - piece_;
      if (!TRY(fill())) break;
    }
    at_ = buffer_.size();
    line = std::string_view(buffer_).substr(line_);
    return line_ < at_;
  }
  // Returns the text since cut(), without the current line.
  std::string_view piece() const { return std::string_view(buffer_).substr(piece_, line_ - piece_); }
  // Starts a new piece at the current line.
  void cut() { piece_ = line_; }
  // Returns the current line with its newline, if it has one.
  std::string_view whole_line() const { return std::string_view(buffer_).substr(line_, at_ - line_); }

 private:
  // Drops the text before the piece and reads more; false: the end.
  Result<bool> fill() {
    buffer_.erase(0, piece_);
    line_ -= piece_;
    piece_ = 0;
    const size_t size = buffer_.size();
    buffer_.resize(size + kChunkBytes);
    const size_t more = TRY(source_.read(buffer_.data() + size, kChunkBytes));
    buffer_.resize(size + more);
    return more > 0;
  }

  Source& source_;
  std::string buffer_;
  size_t piece_ = 0, line_ = 0, at_ = 0;
};

// Splits a text by its lines into documents, and those into items and the rest. A line at the margin of a list that
// begins with '-' begins an item in any case; if the text before it is incomplete, it does not parse.
class Splitter {
 public:
  Splitter(Source& source, Receiver& receiver) : lines_(source), receiver_(receiver), assembler_(receiver) {}

  Result<bool> run() {
    std::string_view line;
    while (TRY(lines_.next(line))) {
      if (!take(line)) return false;
    }
    return end_document();
  }

 private:
  enum class In { kDocument, kItemsBegin, kItems };

  bool take(std::string_view line) {
    if (line.starts_with("---")) {
      if (line != "---" || !end_document()) return false;
      return true;
    }
    if (line.starts_with("...") || line.starts_with('%') || line.starts_with("\xef\xbb\xbf")) return false;
    const size_t indent = line.find_first_not_of(' ');
    if (in_ != In::kDocument && indent != std::string_view::npos) {
      const bool dash = line[indent] == '-' && (line.size() == indent + 1 || line[indent + 1] == ' ');
      if (in_ == In::kItemsBegin) return dash && begin_items(indent);
      if (indent == margin_ && dash) return end_item() && begin_item();
      // A comment belongs to the item before it, because more items may follow. Only a key ends the items: other text
      // at the margin of the document could be the value of the key before them.
      if (indent <= margin_ && line[indent] != '#') {
        if (indent > 0 || !is_letter(line[0]) || !end_item()) return false;
        in_ = In::kDocument;
      }
    }
    if (in_ != In::kDocument) return in_ == In::kItems;
    if (line == "items:" && !items_taken_) return maybe_items();
    rest_ += lines_.whole_line();
    return true;
  }

  // Handles a key of the root, if the text before it is complete.
  bool maybe_items() {
    head_ = {};
    if (!rest_.empty()) {
      const size_t begin = rest_.find_first_not_of(" \n");
      if (begin != 0 && (begin == std::string::npos || rest_[begin - 1] != '\n')) return false;
      assembler_.start();
      if (!read_yaml_block(rest_, assembler_)) return false;
      if (!assembler_.finish()->is_object()) return false;
      head_ = assembler_.head();
    }
    if (receiver_.takes_items(head_)) {
      in_ = In::kItemsBegin;
    } else {
      rest_ += lines_.whole_line();
    }
    return true;
  }

  bool begin_items(size_t margin) {
    margin_ = margin;
    in_ = In::kItems;
    items_taken_ = true;
    return begin_item();
  }
  bool begin_item() {
    lines_.cut();
    return true;
  }
  bool end_item() {
    const std::string_view text = lines_.piece();
    assembler_.start();
    if (read_yaml_entry(text, assembler_)) {
      return !assembler_.doubtful() && receiver_.item(assembler_.finish(), head_);
    }
    bool anchors = false;
    auto read = parse_yaml_piece(text, 1, anchors);
    if (!read || anchors || read->size() != 1) return false;
    array* items = read->front().if_array();
    return items && items->size() == 1 &&
           receiver_.item(std::make_shared<const value>(std::move(items->front())), head_);
  }

  bool end_document() {
    if (in_ == In::kItemsBegin || (in_ == In::kItems && !end_item())) return false;
    const bool given = give_document();
    lines_.cut();
    rest_.clear();
    in_ = In::kDocument;
    items_taken_ = false;
    return given;
  }
  bool give_document() {
    assembler_.start();
    if (read_yaml_block(rest_, assembler_)) {
      return !assembler_.doubtful() && receiver_.document(assembler_.finish(), items_taken_);
    }
    bool anchors = false;
    auto read = parse_yaml_piece(rest_, 0, anchors);
    if (!read || anchors || read->size() > 1) return false;
    if (read->empty()) return !items_taken_;
    return receiver_.document(std::make_shared<const value>(std::move(read->front())), items_taken_);
  }

  Lines lines_;
  Receiver& receiver_;
  Assembler assembler_;
  In in_ = In::kDocument;
  Head head_;          // of the document, before its items
  std::string rest_;   // of the document, without its items
  size_t margin_ = 0;  // of the items
  bool items_taken_ = false;
};

}  // namespace

Result<bool> stream_yaml(Source& source, Receiver& receiver) { return Splitter(source, receiver).run(); }

}  // namespace tenon::json
