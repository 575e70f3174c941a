// SPDX-License-Identifier: Apache-2.0
// Speed of the compiler. Lines: name value unit reference ratio (below 1 is within what is wanted).
//   sl.compile   the standard shader that takes longest, headers and all, against 30 ms
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "reyes/sl/compiler.h"

using namespace reyes;

int main(int, char** argv) {
  namespace fs = std::filesystem;
  // From the source tree, or from beside the program in its build folder.
  const fs::path source = fs::path(__FILE__).parent_path().parent_path().parent_path() / "shaders";
  if (!fs::is_directory(source)) return std::fprintf(stderr, "%s: no shaders\n", argv[0]), 1;
  sl::CompileOptions options;
  options.includePaths = {(source / "include").string()};
  double longest = 0;
  for (const auto& entry : fs::directory_iterator(source)) {
    if (entry.path().extension() != ".sl") continue;
    double best = 1e30;
    for (int k = 0; k < 5; ++k) {
      Diagnostics diag;
      diag.setPrinter({});
      const auto start = std::chrono::steady_clock::now();
      if (!sl::compileFile(entry.path().string(), options, diag).program) return 1;
      best =
          std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    longest = std::max(longest, best);
  }
  std::printf("sl.compile %.3f ms 30 %.4f\n", longest, longest / 30);
  return 0;
}
