// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/grid_kernels.h"

namespace reyes::render {

namespace sse4 {
extern const GridKernels kGridKernels;
}
namespace avx2 {
extern const GridKernels kGridKernels;
}
namespace avx512 {
extern const GridKernels kGridKernels;
}

const GridKernels& gridKernels(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return avx512::kGridKernels;
    case Isa::kAvx2:
      return avx2::kGridKernels;
    default:
      return sse4::kGridKernels;
  }
}

const GridKernels& gridKernels() {
  static const GridKernels& kernels = gridKernels(bestIsa());
  return kernels;
}

}  // namespace reyes::render
