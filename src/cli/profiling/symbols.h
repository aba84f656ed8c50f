// Names of functions, from the symbol tables of the files that this process has mapped. A stripped file has only the
// symbols that it exports; its other addresses have no name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/profiling/pprof.h"

namespace tenon::cli {

class Symbols {
 public:
  // Reads each mapped file once; a file that cannot be read has no symbols.
  explicit Symbols(const std::vector<Mapping>& mappings);
  // Returns the demangled name of the function at this address of the process; empty: not known.
  std::string name_at(uint64_t address) const;

 private:
  struct Symbol {
    uint64_t begin = 0, end = 0;  // addresses of the process
    std::string name;             // mangled
  };
  void read(const Mapping& mapping);
  std::vector<Symbol> symbols_;  // by begin
};

}  // namespace tenon::cli
