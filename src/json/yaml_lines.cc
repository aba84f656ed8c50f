// SPDX-License-Identifier: Apache-2.0
#include "json/yaml_lines.h"

#include <yaml.h>

#include <memory>
#include <utility>

namespace tenon::json {
namespace {

// A mapping or a sequence that is open while the events are read.
struct Level {
  bool mapping = false;
  bool at_key = true;  // the next scalar of a mapping is a key
  size_t items = 0;
};

struct EventDeleter {
  void operator()(yaml_event_t* event) const {
    yaml_event_delete(event);
    delete event;
  }
};
using Event = std::unique_ptr<yaml_event_t, EventDeleter>;

class Reader {
 public:
  explicit Reader(std::string_view text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { yaml_parser_delete(&parser_); }

  // Returns null after the last event, and after an error.
  Event next() {
    auto* const raw = new yaml_event_t();
    if (yaml_parser_parse(&parser_, raw) == 0 || raw->type == YAML_STREAM_END_EVENT) {
      delete raw;
      return nullptr;
    }
    return Event(raw);
  }

 private:
  yaml_parser_t parser_{};
};

// "spec.labels[a.b/c].x[0]" → spec, labels, a.b/c, x, 0
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  std::string part;
  const auto end = [&] {
    if (!part.empty()) parts.push_back(std::exchange(part, {}));
  };
  for (size_t i = 0; i < path.size(); ++i) {
    const size_t close = path[i] == '[' ? path.find(']', i) : std::string_view::npos;
    if (close != std::string_view::npos) {
      end();
      parts.emplace_back(path.substr(i + 1, close - i - 1));
      i = close;
    } else if (path[i] == '.') {
      end();
    } else {
      part += path[i];
    }
  }
  end();
  return parts;
}

}  // namespace

YamlLines::YamlLines(std::string_view text) {
  Reader reader(text);
  std::vector<Level> levels;
  std::vector<std::string> path;
  size_t key_line = 0;
  const auto begin_value = [&](size_t line) {
    if (levels.empty()) return;
    Level& level = levels.back();
    if (!level.mapping) path.push_back(std::to_string(level.items++));
    documents_.back().emplace(path, level.mapping ? key_line : line);
  };
  const auto end_value = [&] {
    if (levels.empty()) return;
    path.pop_back();
    levels.back().at_key = true;
  };
  while (const Event event = reader.next()) {
    const size_t line = event->start_mark.line + 1;
    switch (event->type) {
      case YAML_DOCUMENT_START_EVENT: documents_.emplace_back(); break;
      case YAML_MAPPING_START_EVENT:
      case YAML_SEQUENCE_START_EVENT:
        if (levels.empty()) documents_.back().emplace(path, line);
        begin_value(line);
        levels.push_back({event->type == YAML_MAPPING_START_EVENT});
        break;
      case YAML_MAPPING_END_EVENT:
      case YAML_SEQUENCE_END_EVENT:
        levels.pop_back();
        end_value();
        break;
      case YAML_SCALAR_EVENT:
        if (!levels.empty() && levels.back().mapping && levels.back().at_key) {
          const auto& scalar = event->data.scalar;
          path.emplace_back(reinterpret_cast<const char*>(scalar.value), scalar.length);
          key_line = line;
          levels.back().at_key = false;
          break;
        }
        begin_value(line);
        end_value();
        break;
      case YAML_ALIAS_EVENT:
        begin_value(line);
        end_value();
        break;
      case YAML_DOCUMENT_END_EVENT:
        if (documents_.back().empty()) documents_.pop_back();  // an empty document does not count
        break;
      default: break;
    }
  }
}

size_t YamlLines::of(size_t document, std::string_view path) const {
  if (document == 0 || document > documents_.size()) return 0;
  const Lines& lines = documents_[document - 1];
  for (std::vector<std::string> parts = parts_of(path);; parts.pop_back()) {
    if (const auto at = lines.find(parts); at != lines.end()) return at->second;
    if (parts.empty()) return 1;
  }
}

}  // namespace tenon::json
