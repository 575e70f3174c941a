// SPDX-License-Identifier: Apache-2.0
// Which instruction set the kernels use, chosen once at start-up. Kernel files (*.isa.cpp) are compiled once per set
// into namespace reyes::...::REYES_ISA; every set gives the same bits (docs/decisions/0001).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reyes {

enum class Isa { kSse4, kAvx2, kAvx512 };

/// The best set this machine runs.
Isa bestIsa();
/// The sets this machine runs, slowest first.
std::vector<Isa> supportedIsas();
/// "sse4", "avx2", "avx512".
const char* isaName(Isa isa);
/// Parses isaName(), and "scalar" for the lowest set; false if unknown or not runnable here.
bool parseIsa(std::string_view text, Isa& out);

}  // namespace reyes
