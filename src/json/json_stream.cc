// SPDX-License-Identifier: Apache-2.0
#include <boost/json/basic_parser_impl.hpp>
#include <memory>

#include "json/assembler.h"
#include "json/json.h"
#include "json/stream.h"

namespace tenon::json {
namespace {

constexpr size_t kChunkBytes = 256 << 10;

// The callbacks of the parser. A callback that returns false must set the error.
class Handler {
 public:
  using error_code = boost::json::error_code;
  using text_view = boost::json::string_view;
  static constexpr size_t max_object_size = size_t(-1), max_array_size = size_t(-1), max_key_size = size_t(-1),
                          max_string_size = size_t(-1);

  explicit Handler(Receiver& receiver) : receiver_(receiver), document_(receiver), item_(receiver) {}

  bool on_document_begin(error_code&) {
    document_.start();
    items_taken_ = false;  // the rest is as in the beginning after a document that was accepted
    return true;
  }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return begin(false); }
  bool on_array_begin(error_code&) {
    if (!next_is_items_) return begin(true);
    next_is_items_ = false;
    in_items_ = items_taken_ = true;
    return true;
  }
  bool on_object_end(size_t, error_code& error) { return end(error); }
  bool on_array_end(size_t, error_code& error) {
    if (in_items_ && item_depth_ == 0) {
      in_items_ = false;
      return true;
    }
    return end(error);
  }

  bool on_key_part(text_view part, size_t, error_code&) { return add_part(part); }
  bool on_key(text_view last, size_t, error_code&) {
    const text_view name = with_parts(last);
    if (!in_items_ && document_.depth() == 1 && name == "items" && !items_taken_ &&
        receiver_.takes_items(document_.head())) {
      next_is_items_ = true;  // if its value is a list
    } else {
      assembler().key(name);
    }
    parts_.clear();
    return true;
  }
  bool on_string_part(text_view part, size_t, error_code&) { return add_part(part); }
  bool on_string(text_view last, size_t, error_code& error) {
    const bool go_on = scalar(error, [&](Assembler& to) { to.text(with_parts(last)); });
    parts_.clear();
    return go_on;
  }

  bool on_number_part(text_view, error_code&) { return true; }
  bool on_int64(int64_t n, text_view, error_code& error) {
    return scalar(error, [&](Assembler& to) { to.integer(n); });
  }
  bool on_uint64(uint64_t n, text_view, error_code& error) {
    return scalar(error, [&](Assembler& to) { to.natural(n); });
  }
  bool on_double(double n, text_view, error_code& error) {
    return scalar(error, [&](Assembler& to) { to.real(n); });
  }
  bool on_bool(bool truth, error_code& error) {
    return scalar(error, [&](Assembler& to) { to.boolean(truth); });
  }
  bool on_null(error_code& error) {
    return scalar(error, [&](Assembler& to) { to.null(); });
  }
  bool on_comment_part(text_view, error_code&) { return true; }
  bool on_comment(text_view, error_code&) { return true; }

  // Call it after the end of the text.
  bool hand_over() {
    if (document_.doubtful()) return false;
    SharedValue whole = document_.finish();
    return whole->is_null() || receiver_.document(std::move(whole), items_taken_);
  }

 private:
  Assembler& assembler() { return in_items_ ? item_ : document_; }

  bool add_part(text_view part) {
    if (!assembler().skips()) parts_ += part;
    return true;
  }
  text_view with_parts(text_view last) {
    if (parts_.empty()) return last;
    parts_ += last;
    return parts_;
  }

  // The next value belongs to the document or to an item, which may begin here.
  void open_item() {
    if (next_is_items_) {
      next_is_items_ = false;
      document_.key("items");
    }
    if (in_items_ && item_depth_ == 0) item_.start();
  }
  bool begin(bool is_array) {
    open_item();
    assembler().begin(is_array);
    if (in_items_) ++item_depth_;
    return true;
  }
  bool end(error_code& error) {
    assembler().end();
    return !in_items_ || --item_depth_ > 0 || give_item(error);
  }
  template <class Add>
  bool scalar(error_code& error, Add add) {
    open_item();
    add(assembler());
    return !in_items_ || item_depth_ > 0 || give_item(error);
  }
  bool give_item(error_code& error) {
    if (!item_.doubtful() && receiver_.item(item_.finish(), document_.head())) return true;
    error = boost::json::error::extra_data;  // any error: it is not shown
    return false;
  }

  Receiver& receiver_;
  Assembler document_, item_;
  std::string parts_;      // of a string that arrives in several pieces
  size_t item_depth_ = 0;  // open containers of the item
  bool next_is_items_ = false, in_items_ = false, items_taken_ = false;
};

boost::json::parse_options deep() {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  return options;
}

bool only_space(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

struct JsonReader::Parser : boost::json::basic_parser<Handler> {
  using basic_parser::basic_parser;
};

JsonReader::JsonReader(Receiver& receiver) : receiver_(receiver) {}
JsonReader::~JsonReader() = default;

bool JsonReader::read(std::string_view text) {
  if (parser_)
    parser_->reset();
  else
    parser_ = std::make_unique<Parser>(deep(), receiver_);
  boost::json::error_code error;
  const size_t size = parser_->write_some(false, text.data(), text.size(), error);
  const bool accepted = !error && only_space(text.substr(size)) && parser_->handler().hand_over();
  if (!accepted) parser_.reset();  // it may hold parts of the text
  return accepted;
}

bool stream_json(std::string_view text, Receiver& receiver) { return JsonReader(receiver).read(text); }

Result<bool> stream_json(Source& source, Receiver& receiver) {
  boost::json::basic_parser<Handler> parser(deep(), receiver);
  const auto chunk = std::make_unique_for_overwrite<char[]>(kChunkBytes);
  boost::json::error_code error;
  bool done = false;
  while (true) {
    const size_t size = TRY(source.read(chunk.get(), kChunkBytes));
    if (size == 0) break;
    size_t from = 0;
    if (!done) {
      from = parser.write_some(true, chunk.get(), size, error);
      if (error) return false;
      done = parser.done();
    }
    if (!only_space({chunk.get() + from, size - from})) return false;
  }
  if (!done) {
    parser.write_some(false, nullptr, 0, error);
    if (error) return false;
  }
  return parser.handler().hand_over();
}

}  // namespace tenon::json
