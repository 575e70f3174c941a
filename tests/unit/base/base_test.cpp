// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <set>

#include "reyes/base/arena.h"
#include "reyes/base/bound.h"
#include "reyes/base/diag.h"
#include "reyes/base/half.h"
#include "reyes/base/hash.h"
#include "reyes/base/isa.h"
#include "reyes/base/matrix.h"
#include "reyes/base/name.h"
#include "reyes/base/parallel.h"
#include "reyes/base/stats.h"

using namespace reyes;

TEST_CASE("matrices follow the row-vector convention of RI") {
  const Vec3 p{1, 2, 3};
  CHECK(transformPoint(Matrix4::translate({10, 0, 0}) * Matrix4::scale({2, 2, 2}), p).x == doctest::Approx(22));
  const Vec3 r = transformPoint(Matrix4::rotate(90, {0, 0, 1}), {1, 0, 0});
  CHECK(r.x == doctest::Approx(0).epsilon(1e-6));
  CHECK(r.y == doctest::Approx(1));
  const Matrix4 m = Matrix4::rotate(33, {1, 2, 3}) * Matrix4::translate({4, 5, 6}) * Matrix4::scale({1, -2, 3});
  const Vec3 back = transformPoint(inverse(m), transformPoint(m, p));
  for (int i = 0; i < 3; ++i) CHECK(back[i] == doctest::Approx(p[i]).epsilon(1e-5));
  CHECK(mirrors(m));
  CHECK(isSingular(Matrix4::scale({1, 0, 1})));
  CHECK_FALSE(isSingular(m));
}

TEST_CASE("perspective puts 45 degrees at 1 for fov 90 and depth in 0..1") {
  const Matrix4 m = Matrix4::perspective(90, 1, 100);
  CHECK(transformPoint(m, {5, 0, 5}).x == doctest::Approx(1));
  CHECK(transformPoint(m, {0, 0, 1}).z == doctest::Approx(0));
  CHECK(transformPoint(m, {0, 0, 100}).z == doctest::Approx(1));
}

TEST_CASE("skew leans the first direction towards the second by the angle") {
  const Vec3 p = transformPoint(Matrix4::skew(45, {0, 1, 0}, {1, 0, 0}), {0, 1, 0});
  CHECK(p.x == doctest::Approx(1));
  CHECK(p.y == doctest::Approx(1));
}

TEST_CASE("normals transform by the inverse transpose") {
  const Matrix4 m = Matrix4::scale({1, 4, 1});
  const Vec3 n = normalize(transformNormal(inverse(m), {1, 1, 0}));
  CHECK(std::fabs(dot(n, transformVector(m, {1, -1, 0}))) < 1e-6f);
}

TEST_CASE("half conversion is exact both ways for every half, and rounds to nearest even") {
  for (uint32_t i = 0; i < 65536; ++i) {
    const Half h{static_cast<uint16_t>(i)};
    const float f = toFloat(h);
    if (std::isnan(f)) continue;
    CHECK(toHalf(f).bits == h.bits);
  }
  CHECK(toFloat(toHalf(65519.0f)) == 65504.0f);
  CHECK(std::isinf(toFloat(toHalf(65520.0f))));
  CHECK(toFloat(toHalf(1.0f + 0x1p-11f)) == 1.0f);
  CHECK(toFloat(toHalf(1.0f + 3 * 0x1p-11f)) == 1.0f + 0x1p-9f);
}

TEST_CASE("names are interned, ordered by text, safe from many threads") {
  CHECK(Name("abc") == Name(std::string("abc")));
  CHECK_FALSE(Name("abc") == Name("abd"));
  CHECK(Name("abc") < Name("abd"));
  CHECK(Name().empty());
  Parallel pool(4);
  std::atomic<int> bad{0};
  pool.forEach(2000, [&](int i) {
    if (!(Name(std::to_string(i % 50)) == std::to_string(i % 50).c_str())) ++bad;
  });
  CHECK(bad == 0);
}

TEST_CASE("diagnostics print once, count, and keep their impact") {
  Diagnostics d;
  std::vector<std::string> lines;
  d.setPrinter([&](const Diagnostic&, const std::string& s) { lines.push_back(s); });
  for (int i = 0; i < 3; ++i) d.error("rib-bad-nesting", {"a.rib", 3, 7}, "stray TransformEnd");
  d.warning("w", {}, "plain");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "a.rib:3:7: Error: stray TransformEnd [rib-bad-nesting]");
  CHECK(lines[1] == "Warning: plain [w]");
  d.printRepeats();
  CHECK(lines.back().find("3 times") != std::string::npos);
  CHECK(d.count(Severity::kError) == 1);
  CHECK(d.has(Impact::kPicture));
  CHECK_FALSE(d.has(Impact::kMemory));
}

TEST_CASE("a message is one line of bounded length, and a million of a kind fill neither log nor memory") {
  Diagnostics d;
  std::vector<std::string> lines;
  d.setPrinter([&](const Diagnostic&, const std::string& s) { lines.push_back(s); });
  d.error("long", {}, "a\nb\t" + std::string(100000, 'x'));
  CHECK(lines[0].starts_with("Error: a b x"));
  CHECK(lines[0].size() < 700);
  lines.clear();
  for (int i = 1; i <= 5000; ++i) d.error("many", {"a.rib", i, 1}, "fault");
  d.error("many", {"a.rib", 6000, 1}, "fault", Impact::kInput);
  CHECK(lines.size() < 100);
  CHECK(d.all().size() < 2000);
  CHECK(d.has(Impact::kInput));
  const size_t printed = lines.size();
  d.printRepeats();
  CHECK(lines.back() == "Error: " + std::to_string(5001 - printed) + " more of this kind [many]");
}

TEST_CASE("arena memory is aligned, zeroed and reused") {
  Arena a(1024);
  const auto s = a.make<float>(100);
  CHECK(reinterpret_cast<uintptr_t>(s.data()) % 64 == 0);
  s[99] = 5;
  a.make<char>(5000);
  const size_t reserved = a.bytesReserved();
  a.reset();
  CHECK(a.make<float>(100)[99] == 0);
  a.make<char>(5000);
  CHECK(a.bytesReserved() == reserved);
}

TEST_CASE("parallel loops visit each index once and every worker runs") {
  Parallel pool(3);
  std::vector<std::atomic<int>> seen(1000);
  pool.forEach(1000, [&](int i) { ++seen[static_cast<size_t>(i)]; });
  for (auto& s : seen) CHECK(s == 1);
  std::vector<std::atomic<int>> workers(3);
  pool.runWorkers([&](int w) { ++workers[static_cast<size_t>(w)]; });
  for (auto& w : workers) CHECK(w == 1);
  CHECK(availableThreads() >= 1);
}

TEST_CASE("hashes are uniform floats and do not collide on small keys") {
  std::set<uint64_t> all;
  double mean = 0;
  for (uint64_t x = 0; x < 100; ++x)
    for (uint64_t y = 0; y < 100; ++y) {
      const uint64_t h = hashCombine(x, y);
      all.insert(h);
      const float f = toUnitFloat(h);
      CHECK((f >= 0 && f < 1));
      mean += f;
    }
  CHECK(all.size() == 10000);
  CHECK(mean / 10000 == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("instruction sets parse by name") {
  Isa isa = Isa::kAvx512;
  CHECK(parseIsa("scalar", isa));
  CHECK(isa == Isa::kSse4);
  CHECK_FALSE(parseIsa("altivec", isa));
  for (const Isa i : supportedIsas()) CHECK(parseIsa(isaName(i), isa));
}

TEST_CASE("every counter and stage has a name") {
  for (int i = 0; i < static_cast<int>(Counter::kCount); ++i) CHECK(counterName(static_cast<Counter>(i))[0] != 0);
  for (int i = 0; i < static_cast<int>(Stage::kCount); ++i) CHECK(stageName(static_cast<Stage>(i))[0] != 0);
  CHECK(peakMemoryBytes() > 0);
}

TEST_CASE("bounds grow and transform") {
  Bound3 b;
  CHECK(b.empty());
  b.add(Vec3{0, 0, 0});
  b.add(Vec3{1, 2, 3});
  const Bound3 t = transformBound(Matrix4::translate({1, 1, 1}), b);
  CHECK(t.max == Vec3{2, 3, 4});
  CHECK(intersect({0, 0, 10, 10}, {5, 5, 20, 20}) == PixelRect{5, 5, 10, 10});
}
