// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/shadow_kernels.h"

namespace reyes::texture {

namespace sse4 {
extern const ShadowKernels kShadowKernels;
}
namespace avx2 {
extern const ShadowKernels kShadowKernels;
}
namespace avx512 {
extern const ShadowKernels kShadowKernels;
}

const ShadowKernels& shadowKernels(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return avx512::kShadowKernels;
    case Isa::kAvx2:
      return avx2::kShadowKernels;
    default:
      return sse4::kShadowKernels;
  }
}

}  // namespace reyes::texture
