// SPDX-License-Identifier: Apache-2.0
#include "cli/process/log_sampler.h"

#include <charconv>

#include "base/text.h"

namespace tenon::cli {
namespace {

bool read_number(std::string_view text, int64_t least, int64_t& out) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  return problem == std::errc() && end == text.data() + text.size() && out >= least;
}

}  // namespace

Result<Sampling> parse_sampling(std::string_view text) {
  Sampling sampling;
  if (text == "off") {
    sampling.off = true;
    return sampling;
  }
  const auto [first, every] = cut(text, ':');
  if (!read_number(first, 1, sampling.first) || !read_number(every, 0, sampling.every)) {
    return fail(Code::kInvalid,
                "log sampling \"" + std::string(text) + "\": must be off or FIRST:EVERY, such as 100:100");
  }
  return sampling;
}

bool LogSampler::admit(log::Level level, const std::string& message, Instant now) {
  if (sampling_.off) return true;
  if (counts_.size() >= kMaxMessagesSampled) counts_.clear();
  Count& count = counts_[std::to_string(static_cast<int>(level)) + message];
  if (now >= count.until) count = {now + kSamplingWindow, 0};
  const int64_t number = ++count.lines;
  if (number <= sampling_.first) return true;
  return sampling_.every > 0 && (number - sampling_.first) % sampling_.every == 0;
}

}  // namespace tenon::cli
