// SPDX-License-Identifier: Apache-2.0
// Sets the locale of the environment when it is loaded, as plug-ins of other programs do. tests/cli/faults_test.py has
// it loaded before the program.
#include <clocale>
#include <cstdio>
#include <locale>
#include <stdexcept>

namespace {
struct UseLocale {
  UseLocale() {
    try {
      std::locale::global(std::locale(""));
    } catch (const std::runtime_error&) {
      std::fputs("the locale of the environment is not on this machine\n", stderr);
    }
  }
};
const UseLocale kUseLocale;
}  // namespace
