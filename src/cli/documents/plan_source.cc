// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/plan_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace tenon::cli {
namespace {

constexpr size_t kMaxInputBytes = size_t{4} << 30;  // of one file, uncompressed: enough for a dump of 1,000,000 pods
constexpr size_t kBlockBytes = 256 << 10;
constexpr std::string_view kGzipMagic = "\x1f\x8b";

class TextSource final : public json::Source {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}
  Result<size_t> read(char* into, size_t size) override {
    const size_t count = text_.copy(into, size);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
};

class FileSource final : public json::Source {
 public:
  explicit FileSource(std::ifstream in) : in_(std::move(in)) {}
  Result<size_t> read(char* into, size_t size) override {
    errno = 0;
    in_.read(into, static_cast<std::streamsize>(size));
    if (in_.bad()) return fail(Code::kInvalid, errno ? std::strerror(errno) : "cannot be read");
    return static_cast<size_t>(in_.gcount());
  }

 private:
  std::ifstream in_;
};

class GunzipSource final : public json::Source {
 public:
  explicit GunzipSource(std::unique_ptr<json::Source> packed) : packed_(std::move(packed)), block_(kBlockBytes) {
    constexpr int kGzipWindow = 15 + 16;
    ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  GunzipSource(const GunzipSource&) = delete;
  GunzipSource& operator=(const GunzipSource&) = delete;
  ~GunzipSource() override {
    if (ready_) inflateEnd(&stream_);
  }

  Result<size_t> read(char* into, size_t size) override {
    if (!ready_) return fail(Code::kInternal, "out of memory");
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(std::min<size_t>(size, 1 << 30));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room && TRY(more_input())) {
      const int state = inflate(&stream_, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
        return fail(Code::kInvalid, "the gzip data is damaged");
      }
      at_end_ = state == Z_STREAM_END;
    }
    made_ += room - stream_.avail_out;
    if (made_ > kMaxInputBytes) return fail(Code::kInvalid, "is larger than 4 GiB uncompressed");
    return size_t{room - stream_.avail_out};
  }

 private:
  // Returns false at the end of the text. Another member may follow the end of a member; other bytes are ignored.
  Result<bool> more_input() {
    while (stream_.avail_in < kGzipMagic.size()) {
      const size_t left = stream_.avail_in;
      if (left > 0) std::memmove(block_.data(), stream_.next_in, left);
      const size_t size = TRY(packed_->read(block_.data() + left, block_.size() - left));
      stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
      stream_.avail_in = static_cast<uInt>(left + size);
      if (size == 0) break;
    }
    if (at_end_) {
      if (stream_.avail_in < kGzipMagic.size() || std::memcmp(stream_.next_in, kGzipMagic.data(), 2) != 0) return false;
      inflateReset(&stream_);
      at_end_ = false;
    }
    if (stream_.avail_in == 0) return fail(Code::kInvalid, "the gzip data ends too early");
    return true;
  }

  const std::unique_ptr<json::Source> packed_;
  std::vector<char> block_;
  z_stream stream_{};
  bool ready_ = false, at_end_ = false;  // at_end_: of a member
  size_t made_ = 0;
};

Result<std::unique_ptr<json::Source>> open_file(const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (in.is_open()) in.peek();  // a folder can be opened, but not read
  if (in.bad() || !in.is_open()) {
    return fail(errno == ENOENT ? Code::kNotFound : Code::kInvalid,
                file + ": " + (errno ? std::strerror(errno) : "cannot be read"));
  }
  in.clear();
  return std::make_unique<FileSource>(std::move(in));
}

}  // namespace

Result<std::unique_ptr<json::Source>> Sources::open_packed(const std::string& file) {
  std::error_code error;
  if (file != "-" && (std::filesystem::is_regular_file(file, error) || std::filesystem::is_directory(file, error))) {
    return open_file(file);
  }
  if (const auto at = kept_.find(file); at != kept_.end()) return std::make_unique<TextSource>(at->second);
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(standard_input_), {});
  } else {
    const auto source = TRY(open_file(file));
    text = TRY_IN(file, read_some(*source, kMaxInputBytes));
  }
  return std::make_unique<TextSource>(kept_.emplace(file, std::move(text)).first->second);
}

Result<std::unique_ptr<json::Source>> Sources::open(const std::string& file) {
  auto source = TRY(open_packed(file));
  const std::string magic = TRY_IN(file, read_some(*source, kGzipMagic.size()));
  source = TRY(open_packed(file));
  if (magic != kGzipMagic) return source;
  return std::make_unique<GunzipSource>(std::move(source));
}

Result<std::string> read_some(json::Source& source, size_t most) {
  std::string text;
  size_t used = 0;
  while (used < most) {
    text.resize(std::min(most, std::max(kBlockBytes, 2 * used)));
    const size_t count = TRY(source.read(text.data() + used, text.size() - used));
    used += count;
    if (count == 0) break;
  }
  text.resize(used);
  return text;
}

Result<size_t> ResumedSource::read(char* into, size_t size) {
  if (text_.empty()) return rest_.read(into, size);
  const size_t count = text_.copy(into, size);
  text_.remove_prefix(count);
  return count;
}

}  // namespace tenon::cli
