// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/isa.h"

namespace reyes {

Isa bestIsa() { return supportedIsas().back(); }

std::vector<Isa> supportedIsas() {
  std::vector<Isa> r{Isa::kSse4};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (avx2) r.push_back(Isa::kAvx2);
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    r.push_back(Isa::kAvx512);
#endif
  return r;
}

const char* isaName(Isa isa) { return isa == Isa::kSse4 ? "sse4" : isa == Isa::kAvx2 ? "avx2" : "avx512"; }

bool parseIsa(std::string_view text, Isa& out) {
  for (const Isa isa : supportedIsas())
    if (text == isaName(isa) || (isa == Isa::kSse4 && text == "scalar")) {
      out = isa;
      return true;
    }
  return false;
}

}  // namespace reyes
