// SPDX-License-Identifier: Apache-2.0
#include "cli/profiling/pprof.h"

#include <charconv>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace tenon::cli {
namespace {

// The numbers of fields in profile.proto.
enum : int {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
};

// Writes one protobuf message.
class Message {
 public:
  Message& number(int field, uint64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(value);
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    out_ += value;
    return *this;
  }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  void append(const Message& other) { out_ += other.out_; }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

class Strings {
 public:
  uint64_t index(const std::string& text) {
    const auto [at, added] = index_.try_emplace(text, all_.size());
    if (added) all_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_{""};
  std::map<std::string, uint64_t> index_{{"", 0}};
};

std::string value_type(Strings& strings, const char* type, const char* unit) {
  return Message().number(1, strings.index(type)).number(2, strings.index(unit)).text();
}

// Returns the number of the mapping, from 1; 0: none.
uint64_t mapping_of(uint64_t address, const std::vector<Mapping>& mappings) {
  for (size_t i = 0; i < mappings.size(); ++i) {
    if (mappings[i].start <= address && address < mappings[i].limit) return i + 1;
  }
  return 0;
}

bool read_hex(std::string_view text, uint64_t& out) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<Mapping> parse_mappings(std::string_view text) {
  std::vector<Mapping> found;
  for (const std::string_view line : split(text, '\n')) {
    // "55d0c0a00000-55d0c0b00000 r-xp 00100000 08:01 123   /usr/bin/tenon"
    std::istringstream words{std::string(line)};
    std::string range, access, offset, device, inode, file;
    words >> range >> access >> offset >> device >> inode >> file;
    const auto [start, limit] = cut(range, '-');
    Mapping mapping;
    if (access.size() < 3 || access[2] != 'x' || !file.starts_with('/')) continue;
    if (!read_hex(start, mapping.start) || !read_hex(limit, mapping.limit) || !read_hex(offset, mapping.offset))
      continue;
    mapping.file = file;
    found.push_back(std::move(mapping));
  }
  return found;
}

std::vector<Mapping> mappings() {
  std::stringstream text;
  text << std::ifstream("/proc/self/maps").rdbuf();
  return parse_mappings(text.str());
}

std::string encode_pprof(const CpuProfile& profile, const std::vector<Mapping>& mappings, int64_t unix_nanos,
                         const std::function<std::string(uint64_t)>& name_at) {
  Strings strings;
  Message out;
  const auto period = static_cast<uint64_t>(profile.period.count());
  out.bytes(kSampleType, value_type(strings, "samples", "count"));
  out.bytes(kSampleType, value_type(strings, "cpu", "nanoseconds"));
  std::map<uint64_t, uint64_t> location_of;  // address → number, from 1
  for (const auto& [stack, count] : profile.samples) {
    Message ids, values;
    for (const uint64_t address : stack)
      ids.varint(location_of.try_emplace(address, location_of.size() + 1).first->second);
    values.varint(static_cast<uint64_t>(count));
    values.varint(static_cast<uint64_t>(count) * period);
    out.bytes(kSample, Message().bytes(1, ids.text()).bytes(2, values.text()).text());
  }
  for (size_t i = 0; i < mappings.size(); ++i) {
    const Mapping& m = mappings[i];
    out.bytes(kMapping, Message()
                            .number(1, i + 1)
                            .number(2, m.start)
                            .number(3, m.limit)
                            .number(4, m.offset)
                            .number(5, strings.index(m.file))
                            .text());
  }
  std::map<std::string, uint64_t> function_of;  // name → number, from 1
  Message functions;
  for (const auto& [address, number] : location_of) {
    Message location;
    location.number(1, number);
    if (const uint64_t mapping = mapping_of(address, mappings)) location.number(2, mapping);
    location.number(3, address);
    if (const std::string name = name_at(address); !name.empty()) {
      const auto [function, added] = function_of.try_emplace(name, function_of.size() + 1);
      location.bytes(4, Message().number(1, function->second).text());  // a line without its number
      if (added)
        functions.bytes(kFunction, Message().number(1, function->second).number(2, strings.index(name)).text());
    }
    out.bytes(kLocation, location.text());
  }
  out.append(functions);
  out.number(kTimeNanos, static_cast<uint64_t>(unix_nanos));
  out.number(kDurationNanos, static_cast<uint64_t>(profile.lasted.count()));
  out.bytes(kPeriodType, value_type(strings, "cpu", "nanoseconds"));
  out.number(kPeriod, period);
  for (const std::string& text : strings.all()) out.bytes(kStringTable, text);
  return out.text();
}

}  // namespace tenon::cli
