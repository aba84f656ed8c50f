// Runs a fuzz driver on every file of a folder, unchanged and mutated: replay FOLDER [MUTATIONS [SEED]]. Without
// libFuzzer this is the search; the mutations are few, so that the test is fast, and the same every time.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr uint64_t kMutations = 200;          // of each file
constexpr uint64_t kMaxEdits = 6;             // in one mutation
constexpr size_t kMaxInputBytes = 64 * 1024;  // larger inputs are cut

void feed(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

// Makes one edit: a byte changed, inserted or removed, or a piece of this or another input copied in.
void edit(std::string& input, const std::vector<std::string>& corpus, tenon::Prng& prng) {
  const size_t at = prng.below(input.size() + 1);
  switch (prng.below(4)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(prng.below(256));
      return;
    case 1: input.insert(at, 1, static_cast<char>(prng.below(128))); return;
    case 2: input.erase(at, prng.below(8)); return;
    default: {
      const std::string& other = corpus[prng.below(corpus.size())];
      const size_t from = prng.below(other.size() + 1);
      input.insert(at, other.substr(from, prng.below(32)));
    }
  }
}

uint64_t number(std::string_view text) {
  uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [MUTATIONS [SEED]]\n", argv[0]);
    return 2;
  }
  std::vector<std::string> files, corpus;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    std::ifstream stream(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "%s holds no files\n", argv[1]);
    return 2;
  }
  const uint64_t mutations = argc > 2 ? number(argv[2]) : kMutations;
  tenon::Prng prng(argc > 3 ? number(argv[3]) : 1);
  for (const std::string& input : corpus) {
    feed(input);
    for (uint64_t i = 0; i < mutations; ++i) {
      std::string mutated = input;
      for (uint64_t edits = 1 + prng.below(kMaxEdits); edits > 0; --edits) edit(mutated, corpus, prng);
      mutated.resize(std::min(mutated.size(), kMaxInputBytes));
      feed(mutated);
    }
  }
  std::printf("%zu files, %llu mutations each\n", corpus.size(), static_cast<unsigned long long>(mutations));
  return 0;
}
