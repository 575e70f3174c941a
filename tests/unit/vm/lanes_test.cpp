// SPDX-License-Identifier: Apache-2.0
// Masks, shared planes and jumps against the meaning of a program: a grid of points gives what each point gives alone.
#include <doctest/doctest.h>

#include <bit>

#include "grower.h"
#include "reyes/base/hash.h"

using namespace reyes;
using namespace reyes::vm;
using namespace reyes::vm::test;

namespace {

struct Watching : World {
  bool limited = false;
  void warn(const char* code, std::string_view, std::string_view, int) override {
    limited |= std::string_view(code) == "vm-loop-limit";
  }
};

float start(int point, int plane) {
  const uint64_t h = mix64(static_cast<uint64_t>(point * 100 + plane));
  return h % 3 ? toUnitFloat(h) * 4 - 2 : static_cast<float>(h >> 8 & 3);
}

/// Bits of all varying symbols at `count` points from `first` on; empty if a loop had to be stopped.
std::vector<uint32_t> run(const std::shared_ptr<const Program>& p, int first, int count, Isa isa,
                          GridInfo::Pack pack = GridInfo::Pack::kWhereWorth, int64_t* packed = nullptr) {
  Watching world;
  Instance instance(p);
  instance.initialise(world, isa);
  Machine m(isa);
  GridInfo grid{count, count, 1, 0.5f, 0.5f, 1, false, 3000};
  grid.pack = pack;
  m.begin(instance, grid);
  std::vector<std::vector<float>> memory;
  memory.reserve(p->symbols.size());
  const int stride = padLanes(count);
  for (const Symbol& s : p->symbols) {
    if (!s.varying) continue;
    const int planes = p->registers[s.reg].planes();
    std::vector<float>& v = memory.emplace_back(static_cast<size_t>(planes * stride));
    for (int c = 0; c < planes; ++c)
      for (int i = 0; i < count; ++i) v[static_cast<size_t>(c * stride + i)] = start(first + i, c + s.reg * 20);
    m.bindPlanes(s.name, v.data(), stride);
  }
  m.run(world);
  if (packed) *packed += m.stats().packed;
  std::vector<uint32_t> bits;
  for (int i = 0; i < count; ++i)
    for (const Symbol& s : p->symbols) {
      if (!s.varying) continue;
      const Value v = m.value(s.name);
      for (int c = 0; c < p->registers[s.reg].planes(); ++c) {
        const float f = v.plane(c)[i];
        bits.push_back(f != f ? 0x7fc00000u : std::bit_cast<uint32_t>(f));
      }
    }
  if (world.limited) bits.clear();
  return bits;
}

}  // namespace

TEST_CASE("a grid gives what each of its points gives alone") {
  int compared = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    std::vector<uint8_t> bytes(20 + mix64(seed) % 400);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(mix64(seed * 100003 + i) >> 13);
    const auto p = Grower(bytes.data(), bytes.size(), true).grow();
    if (!p) continue;
    constexpr int kPoints = 9;
    const std::vector<uint32_t> grid = run(p, 0, kPoints, bestIsa());
    std::vector<uint32_t> alone;
    bool limited = grid.empty();
    for (int i = 0; i < kPoints && !limited; ++i) {
      const std::vector<uint32_t> one = run(p, i, 1, bestIsa());
      limited |= one.empty();
      alone.insert(alone.end(), one.begin(), one.end());
    }
    if (limited) continue;
    ++compared;
    const bool same = grid == alone;
    CHECK_MESSAGE(same, "seed ", seed);
    if (!same) MESSAGE(disassemble(*p));
  }
  CHECK(compared > 500);
}

TEST_CASE("branches and loops give the same on their points packed together") {
  int64_t packed = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    std::vector<uint8_t> bytes(20 + mix64(seed) % 400);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(mix64(seed * 77773 + i) >> 13);
    const auto p = Grower(bytes.data(), bytes.size(), true).grow();
    if (!p) continue;
    constexpr int kPoints = 40;
    const std::vector<uint32_t> spread = run(p, 0, kPoints, bestIsa(), GridInfo::Pack::kNever);
    const std::vector<uint32_t> together = run(p, 0, kPoints, bestIsa(), GridInfo::Pack::kAlways, &packed);
    if (spread.empty() || together.empty()) continue;
    CHECK_MESSAGE(spread == together, "seed ", seed);
    if (spread != together) MESSAGE(disassemble(*p));
  }
  CHECK(packed > 100);
}
