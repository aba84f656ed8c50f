// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/base/data_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace tenon::kubesim::apiserver {
namespace {

Result<std::vector<std::string_view>> words_of(std::string_view line, const DataPlace& place) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return words;
    const bool quoted = line.front() == '"';
    if (quoted) line.remove_prefix(1);
    const size_t end = line.find(quoted ? '"' : ' ');
    if (quoted && end == std::string_view::npos) return fault(place, "a quote without its end");
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(words.back().size() + (quoted ? 1 : 0), line.size()));
    if (quoted && !line.empty() && line.front() != ' ') return fault(place, "no space behind a quote");
  }
}

}  // namespace

Result<std::vector<DataRecord>> read_records(const DataFile& file) {
  std::vector<DataRecord> records;
  size_t number = 0;
  for (const std::string_view line : split(file.text, '\n')) {
    const DataPlace place{file.name, ++number};
    if (line.find_first_of("\t\r") != std::string_view::npos) return fault(place, "a tab or a carriage return");
    if (trim(line).empty() || trim(line).front() == '#') continue;
    DataLine read{number, TRY(words_of(line, place))};
    if (line.front() != ' ') {
      records.push_back({std::move(read), {}});
    } else if (records.empty()) {
      return fault(place, "an indented line above the first record");
    } else {
      records.back().entries.push_back(std::move(read));
    }
  }
  return records;
}

tl::unexpected<Error> fault(const DataPlace& place, std::string_view cause) {
  std::string message = fmt::format("{}:{}: ", place.file, place.line);
  for (const std::string_view part : {place.record, place.field}) {
    if (!part.empty()) message += std::string(part) + ": ";
  }
  return fail(Code::kInvalid, message + std::string(cause));
}

std::string in_quotes(std::string_view word) { return "'" + std::string(word) + "'"; }

std::vector<DataFile> embedded_files(std::string_view folder,
                                     const std::vector<std::pair<std::string_view, std::string_view>>& files) {
  std::vector<DataFile> result;
  for (const auto& [name, text] : files) result.push_back({std::string(folder) + std::string(name), text});
  return result;
}

}  // namespace tenon::kubesim::apiserver
