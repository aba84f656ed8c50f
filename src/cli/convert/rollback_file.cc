// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/rollback_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace tenon::cli {
namespace {

std::string cause() { return std::generic_category().message(errno); }

class File {
 public:
  File(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool open() const { return descriptor_ >= 0; }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }
  bool sync() const { return ::fsync(descriptor_) == 0; }

 private:
  const int descriptor_;
};

}  // namespace

Result<std::optional<std::string>> read_rollback_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    if (error) return fail(Code::kInvalid, path + ": " + error.message());
    return std::optional<std::string>();
  }
  if (!std::filesystem::is_regular_file(path, error)) return fail(Code::kInvalid, path + ": is not a file");
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) return fail(Code::kInvalid, path + ": cannot be read");
  return std::optional(std::move(text));
}

Status write_rollback_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  {
    const File file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.open() || !file.write(text) || !file.sync()) return fail(Code::kInvalid, temporary + ": " + cause());
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return fail(Code::kInvalid, path + ": " + cause());
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  const File directory(folder, O_RDONLY | O_DIRECTORY);
  if (!directory.open() || !directory.sync()) return fail(Code::kInvalid, folder + ": " + cause());
  return ok();
}

}  // namespace tenon::cli
