// Finds the ends of values by counting brackets; json::parse() checks what is between them.
// SPDX-License-Identifier: Apache-2.0
#include "kube/list_reader.h"

#include <utility>

#include "json/json.h"

namespace tenon::kube {
namespace {

using json::value;

class Reader {
 public:
  using OnItems = std::function<void(std::vector<value> items)>;
  Reader(std::string_view text, size_t batch, const OnItems& on_items)
      : text_(text), batch_(batch), on_items_(on_items) {}

  Result<ListHead> read() {
    ListHead head;
    TRY(expect('{'));
    for (bool first = true; !take('}'); first = false) {
      if (!first) TRY(expect(','));
      skip_space();
      const value key = TRY(parse_next());
      if (!key.is_string()) return wrong("a name is missing");
      TRY(expect(':'));
      skip_space();
      if (key.get_string() == "items" && at() == '[') {
        TRY(read_items());
      } else {
        const value member = TRY(parse_next());
        if (key.get_string() != "metadata") continue;
        head.resource_version = json::string_at(member, {"resourceVersion"});
        head.next = json::string_at(member, {"continue"});
      }
    }
    skip_space();
    if (position_ != text_.size()) return wrong("text after the list");
    if (!delivered_ || !items_.empty()) on_items_(std::move(items_));
    return head;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail(Code::kInvalid, "offset " + std::to_string(position_) + ": " + what);
  }
  char at() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  void skip_space() {
    while (at() == ' ' || at() == '\n' || at() == '\t' || at() == '\r') ++position_;
  }
  bool take(char c) {
    skip_space();
    if (at() != c) return false;
    ++position_;
    return true;
  }
  Status expect(char c) {
    if (take(c)) return ok();
    return wrong(std::string("'") + c + "' is missing");
  }

  Status read_items() {
    TRY(expect('['));
    if (take(']')) return ok();
    do {
      skip_space();
      items_.push_back(TRY(parse_next()));
      if (items_.size() < batch_) continue;
      on_items_(std::exchange(items_, {}));
      delivered_ = true;
    } while (take(','));
    return expect(']');
  }

  // Parses the value that starts here and moves behind it.
  Result<value> parse_next() {
    const size_t begin = position_;
    TRY(skip_value());
    Result<value> parsed = json::parse(text_.substr(begin, position_ - begin));
    if (!parsed)
      return fail(Code::kInvalid, "in the value at offset " + std::to_string(begin) + ": " + parsed.error().message);
    return parsed;
  }

  Status skip_string() {
    for (++position_; position_ < text_.size(); ++position_) {
      if (text_[position_] == '\\') {
        ++position_;
      } else if (text_[position_] == '"') {
        ++position_;
        return ok();
      }
    }
    position_ = text_.size();
    return wrong("a string does not end");
  }

  Status skip_value() {
    if (at() == '"') return skip_string();
    if (at() != '{' && at() != '[') {
      const size_t begin = position_;
      while (position_ < text_.size() && std::string_view(",:]} \n\t\r").find(at()) == std::string_view::npos)
        ++position_;
      return position_ > begin ? ok() : Status(wrong("a value is missing"));
    }
    size_t depth = 0;
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '"') {
        TRY(skip_string());
        continue;
      }
      ++position_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return ok();
    }
    return wrong("the text ends within a value");
  }

  const std::string_view text_;
  const size_t batch_;
  const OnItems& on_items_;
  size_t position_ = 0;
  std::vector<value> items_;
  bool delivered_ = false;
};

// Receives the items of a list whose text json::stream_json() accepts.
class Items final : public json::Receiver {
 public:
  using OnItem = std::function<void(const value& item)>;
  Items(const std::vector<json::LeftOut>& left_out, const OnItem& on_item) : left_out_(left_out), on_item_(on_item) {}

  bool takes_items(const json::Head&) override { return true; }
  const std::vector<json::LeftOut>& left_out(const json::Head&) override { return left_out_; }
  bool item(json::SharedValue item, const json::Head&) override {
    on_item_(*item);
    ++count_;
    return true;
  }
  bool document(json::SharedValue list, bool) override {
    head_.resource_version = json::string_at(*list, {"metadata", "resourceVersion"});
    head_.next = json::string_at(*list, {"metadata", "continue"});
    return list->is_object();
  }

  size_t count() const { return count_; }  // of the items that were handed over
  const ListHead& head() const { return head_; }

 private:
  const std::vector<json::LeftOut>& left_out_;
  const OnItem& on_item_;
  size_t count_ = 0;
  ListHead head_;
};

}  // namespace

Result<ListHead> stream_list(std::string_view text, const std::vector<json::LeftOut>& left_out,
                             const std::function<void(const value& item)>& on_item) {
  Items items(left_out, on_item);
  if (json::stream_json(text, items)) return items.head();
  // A text that is wrong or unusual: the items that follow those that were handed over, or the words of the error.
  size_t known = items.count();
  return read_list(text, 1, [&](const std::vector<value>& next) {
    for (const value& item : next) {
      if (known > 0)
        --known;
      else
        on_item(item);
    }
  });
}

Result<ListHead> read_list(std::string_view text, size_t batch,
                           const std::function<void(std::vector<value> items)>& on_items) {
  return Reader(text, batch, on_items).read();
}

}  // namespace tenon::kube
