// SPDX-License-Identifier: Apache-2.0
// Parsing of ASCII float arrays against std::from_chars over the same bytes, and of many small requests.
// Lines: name value unit reference ratio.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>

#include "reyes/base/format.h"
#include "reyes/rib/null_ri.h"
#include "reyes/rib/reader.h"

using namespace reyes;
using namespace reyes::rib;

namespace {
/// Megabytes a second of the best of several runs.
double rate(size_t bytes, const std::function<void()>& run) {
  double best = 1e30;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return static_cast<double>(bytes) / best / 1e6;
}

void parseAll(const std::string& rib) {
  Diagnostics diag;
  Declarations declarations;
  NullRi ri;
  std::istringstream in(rib);
  readRib(in, {}, declarations, ri, diag);
}

float fromCharsAll(const std::string& text) {
  const char* p = text.data();
  const char* end = p + text.size();
  float sum = 0, v = 0;
  while (p < end) {
    while (p < end && (*p == ' ' || *p == '\n')) ++p;
    p = std::from_chars(p, end, v).ptr;
    sum += v;
  }
  return sum;
}
}  // namespace

int main() {
  // Points of a mesh as exporters print them: six decimals, a few digits before the point.
  std::string numbers;
  uint32_t seed = 1;
  for (int i = 0; i < 1'999'998; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers += format("{:.6f}{}", (static_cast<double>(seed) / 4294967296.0 - 0.5) * 40, i % 3 == 2 ? '\n' : ' ');
  }
  const std::string rib = "PointsPolygons [3] [0 1 2] \"P\" [" + numbers + "]\n";
  const double mine = rate(rib.size(), [&] { parseAll(rib); });
  volatile float sink = 0;
  const double reference = rate(numbers.size(), [&] { sink = fromCharsAll(numbers); });
  std::printf("rib.parse %.1f MB/s %.1f %.2f\n", mine, reference, mine / reference);

  std::string small;
  for (int i = 0; i < 100'000; ++i)
    small += format(
        "AttributeBegin\nTranslate {} 0 1.5\nColor [1 0.5 0]\nSphere 1 -1 1 360 \"Kd\" [0.5]\nAttributeEnd\n", i);
  const double requests = rate(500'000, [&] { parseAll(small); });
  std::printf("rib.requests %.2f M/s 1 %.2f\n", requests, requests);
  return 0;
}
