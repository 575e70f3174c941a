// SPDX-License-Identifier: Apache-2.0
// The kernel tables of all instruction sets, filled on first use. A set that this machine cannot run is never touched.
#include <vector>

#include "reyes/vm/decode.h"

namespace reyes::vm {

namespace {

struct Table {
  std::vector<KernelSet> sets = std::vector<KernelSet>(kKernelSlots);
  KernelTable table{};

  explicit Table(Isa isa) {
    table.sets = sets.data();
    if (isa == Isa::kSse4) {
      sse4::addArithmetic(table), sse4::addCombined(table), sse4::addMath(table), sse4::addGeometry(table);
      sse4::addNoise(table), sse4::addNoise3(table), sse4::addDerivatives(table), sse4::addHelpers(table);
    } else if (isa == Isa::kAvx2) {
      avx2::addArithmetic(table), avx2::addCombined(table), avx2::addMath(table), avx2::addGeometry(table);
      avx2::addNoise(table), avx2::addNoise3(table), avx2::addDerivatives(table), avx2::addHelpers(table);
    } else {
      avx512::addArithmetic(table), avx512::addCombined(table), avx512::addMath(table), avx512::addGeometry(table);
      avx512::addNoise(table), avx512::addNoise3(table), avx512::addDerivatives(table), avx512::addHelpers(table);
    }
  }
};

}  // namespace

const KernelTable& kernelTable(Isa isa) {
  switch (isa) {
    case Isa::kAvx512: {
      static const Table t(Isa::kAvx512);
      return t.table;
    }
    case Isa::kAvx2: {
      static const Table t(Isa::kAvx2);
      return t.table;
    }
    default: {
      static const Table t(Isa::kSse4);
      return t.table;
    }
  }
}

}  // namespace reyes::vm
