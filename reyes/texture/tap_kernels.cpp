// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/tap_kernels.h"

namespace reyes::texture {

namespace sse4 {
const TapKernels& kernels();
}
namespace avx2 {
const TapKernels& kernels();
}
namespace avx512 {
const TapKernels& kernels();
}

const TapKernels& tapKernels(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return avx512::kernels();
    case Isa::kAvx2:
      return avx2::kernels();
    default:
      return sse4::kernels();
  }
}

}  // namespace reyes::texture
