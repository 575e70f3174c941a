// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/patch_kernels.h"

namespace reyes::geom {

namespace sse4 {
extern const PatchKernels kKernels;
}
namespace avx2 {
extern const PatchKernels kKernels;
}
namespace avx512 {
extern const PatchKernels kKernels;
}

const PatchKernels& patchKernels(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return avx512::kKernels;
    case Isa::kAvx2:
      return avx2::kKernels;
    default:
      return sse4::kKernels;
  }
}

const PatchKernels& patchKernels() {
  static const PatchKernels& kernels = patchKernels(bestIsa());
  return kernels;
}

}  // namespace reyes::geom
