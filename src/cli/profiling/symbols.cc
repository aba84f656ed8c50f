// SPDX-License-Identifier: Apache-2.0
#include "cli/profiling/symbols.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

namespace tenon::cli {
namespace {

// An ELF file of 64 bits. Every read is within the file: a damaged one has fewer symbols.
class Elf {
 public:
  explicit Elf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    const auto* head = at<Elf64_Ehdr>(0);
    if (head != nullptr && std::memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == ELFCLASS64)
      head_ = head;
  }

  template <class T>
  const T* at(uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  // Returns the virtual address of the file's byte at `offset`, as its segments say.
  std::optional<uint64_t> address_of(uint64_t offset) const {
    for (size_t i = 0; head_ != nullptr && i < head_->e_phnum; ++i) {
      const auto* segment = at<Elf64_Phdr>(head_->e_phoff + i * sizeof(Elf64_Phdr));
      if (segment == nullptr || segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
      const uint64_t page = segment->p_offset & ~uint64_t{0xfff};  // a mapping begins with a page
      if (page <= offset && offset < segment->p_offset + segment->p_filesz)
        return segment->p_vaddr - segment->p_offset + offset;
    }
    return std::nullopt;
  }

  // Calls with each section of this type.
  template <class Visit>
  void sections(uint32_t type, const Visit& visit) const {
    for (size_t i = 0; head_ != nullptr && i < head_->e_shnum; ++i) {
      const auto* section = at<Elf64_Shdr>(head_->e_shoff + i * sizeof(Elf64_Shdr));
      if (section != nullptr && section->sh_type == type) visit(*section);
    }
  }
  const Elf64_Shdr* section(size_t index) const { return at<Elf64_Shdr>(head_->e_shoff + index * sizeof(Elf64_Shdr)); }
  std::string text(uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const char* begin = bytes_.data() + offset;
    return {begin, ::strnlen(begin, bytes_.size() - offset)};
  }

 private:
  std::vector<char> bytes_;
  const Elf64_Ehdr* head_ = nullptr;  // null: not an ELF file
};

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

}  // namespace

Symbols::Symbols(const std::vector<Mapping>& mappings) {
  for (const Mapping& mapping : mappings) read(mapping);
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
}

void Symbols::read(const Mapping& mapping) {
  const Elf elf(mapping.file);
  const auto first = elf.address_of(mapping.offset);
  if (!first) return;
  const uint64_t shift = mapping.start - *first;  // from the file's addresses to those of the process
  const size_t before = symbols_.size();
  const auto add = [&](const Elf64_Shdr& table) {
    const Elf64_Shdr* names = elf.section(table.sh_link);
    for (uint64_t i = 0; names != nullptr && i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto* symbol = elf.at<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
      if (symbol == nullptr) return;
      const uint64_t begin = symbol->st_value + shift;
      const bool code = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size > 0;
      if (!code || begin < mapping.start || begin >= mapping.limit) continue;
      symbols_.push_back({begin, begin + symbol->st_size, elf.text(names->sh_offset + symbol->st_name)});
    }
  };
  elf.sections(SHT_SYMTAB, add);
  if (symbols_.size() == before) elf.sections(SHT_DYNSYM, add);
}

std::string Symbols::name_at(uint64_t address) const {
  auto after = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                [](uint64_t a, const Symbol& symbol) { return a < symbol.begin; });
  if (after == symbols_.begin()) return {};
  const Symbol& symbol = *--after;
  return address < symbol.end ? demangled(symbol.name) : std::string();
}

}  // namespace tenon::cli
