// SPDX-License-Identifier: Apache-2.0
// noise: Perlin's published value, range, mean, period, continuity; cellnoise: constant in a cell.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reyes/base/hash.h"
#include "reyes/base/noise.h"
#include "reyes/vm/machine.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

/// result operands of `op` over n points; inputs are given as planes: floats, or triples as 3 planes.
std::vector<float> run(const std::string& op, const std::string& operands, std::vector<std::vector<float>> planes,
                       int outPlanes, Isa isa = bestIsa()) {
  std::string text = "shader surface \"t\"\n", code = op, symbols;
  const int n = static_cast<int>(planes[0].size()), stride = padLanes(n);
  int r = 0;
  for (const char c : operands) {
    text += "reg r" + std::to_string(r) + " varying " + (c == 't' ? "triple" : "float") + "\n";
    symbols += std::string("sym global ") + (c == 't' ? "point" : "float") + " r" + std::to_string(r) + " \"v" +
               std::to_string(r) + "\"\n";
    code += " r" + std::to_string(r++);
  }
  std::string error;
  const auto p = assemble(text + symbols + code + "\nend\n", error);
  REQUIRE_MESSAGE(p, error);
  Services services;
  Instance instance(p);
  instance.initialise(services, isa);
  Machine m(isa);
  m.begin(instance, {n, n, 1, 1, 1, 0, false, 1000});
  std::vector<float> out(static_cast<size_t>(outPlanes * stride));
  m.bindPlanes("v0", out.data(), stride);
  std::vector<std::vector<float>> memory;
  size_t used = 0;
  for (size_t k = 1; k < operands.size(); ++k) {
    const size_t width = operands[k] == 't' ? 3 : 1;
    std::vector<float>& v = memory.emplace_back();
    for (size_t c = 0; c < width; ++c) {
      planes[used + c].resize(static_cast<size_t>(stride));
      v.insert(v.end(), planes[used + c].begin(), planes[used + c].end());
    }
    used += width;
    m.bindPlanes(Name("v" + std::to_string(k)), memory.back().data(), stride);
  }
  m.run(services);
  std::vector<float> result;
  for (int c = 0; c < outPlanes; ++c)
    result.insert(result.end(), out.begin() + c * stride, out.begin() + c * stride + n);
  return result;
}

std::vector<float> numbers(float lo, float hi, uint64_t seed, int n = 4000) {
  std::vector<float> v;
  for (int i = 0; i < n; ++i) v.push_back(lo + (hi - lo) * toUnitFloat(mix64(static_cast<uint64_t>(i) * 7919 + seed)));
  return v;
}

/// Perlin's noise point by point, as he wrote it, in floats; `shift` moves the lattice.
float perlin(float x, float y, float z, const std::array<int, 3>& shift) {
  const auto& p = kPerlinPermutation;
  float f[3] = {x, y, z};
  uint32_t cell[3];
  for (size_t d = 0; d < 3; ++d) {
    const float whole = std::floor(f[d]);
    f[d] -= whole;
    if (!(f[d] >= 0 && f[d] < 1)) f[d] = 0;
    const double m = std::isfinite(whole) ? std::fmod(static_cast<double>(whole), 256.0) : 0;
    cell[d] = static_cast<uint32_t>(static_cast<int>(m) + 512 + shift[d]) & 255;
  }
  const auto fade = [](float t) { return t * t * t * (t * (t * 6 - 15) + 10); };
  const auto mix = [](float t, float a, float b) { return a + t * (b - a); };
  const auto corner = [&](uint32_t i, uint32_t j, uint32_t k) {
    const uint32_t a = p[(cell[0] + i) & 255], b = p[a + ((cell[1] + j) & 255)], h = p[b + ((cell[2] + k) & 255)] & 15u;
    const float cx = f[0] - static_cast<float>(i), cy = f[1] - static_cast<float>(j), cz = f[2] - static_cast<float>(k);
    const float u = h < 8 ? cx : cy, v = h < 4 ? cy : h == 12 || h == 14 ? cx : cz;
    return ((h & 1) != 0 ? -u : u) + ((h & 2) != 0 ? -v : v);
  };
  const float u = fade(f[0]), v = fade(f[1]), w = fade(f[2]);
  const auto plane = [&](uint32_t k) {
    return mix(v, mix(u, corner(0, 0, k), corner(1, 0, k)), mix(u, corner(0, 1, k), corner(1, 1, k)));
  };
  return mix(w, plane(0), plane(1)) * 0.5f + 0.5f;
}

}  // namespace

TEST_CASE("3D noise has the bits of the plain formula on every instruction set") {
  std::vector<float> x = numbers(-40, 300, 1, 5000), y = numbers(-700, 9, 2, 5000), z = numbers(-2, 2, 3, 5000);
  // Whole numbers, just below them, beyond the precision of floats, and what is no number.
  const float odd[] = {0,    -0.0f, 1,     -1,    255,    256, -256,     255.99998f, -1e-10f,  1e-40f,
                       1e9f, -1e9f, 3e38f, 1e20f, -1e20f, NAN, INFINITY, -INFINITY,  16777216, 0.99999994f};
  for (size_t i = 0; i < 20; ++i)
    for (size_t j = 0; j < 20; ++j)
      x[20 * i + j] = odd[i], y[20 * i + j] = odd[j], z[20 * i + j] = odd[(i + 3 * j) % 20];
  const std::array<int, 3> shifts[3] = {{0, 0, 0}, {101, 57, 203}, {31, 173, 89}};
  for (const Isa isa : supportedIsas()) {
    const auto f = run("noise_p", "ft", {x, y, z}, 1, isa), t = run("noise_t_p", "tt", {x, y, z}, 3, isa);
    size_t bad = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      bad += f[i] != perlin(x[i], y[i], z[i], shifts[0]);
      for (size_t k = 0; k < 3; ++k) bad += t[k * x.size() + i] != perlin(x[i], y[i], z[i], shifts[k]);
    }
    CHECK_MESSAGE(bad == 0, isaName(isa));
  }
}

TEST_CASE("3D noise is Perlin's of 2002") {
  const auto r = run("noise_p", "ft", {{3.14f}, {42}, {7}}, 1);
  CHECK(r[0] * 2 - 1 == doctest::Approx(0.13691995878400012).epsilon(1e-5));
  CHECK(run("noise_p", "ft", {{-5}, {2}, {9}}, 1)[0] == 0.5f);
}

TEST_CASE("noise stays in 0..1, has mean 0.5 and varies") {
  const auto a = numbers(-300, 300, 1), b = numbers(-300, 300, 2), c = numbers(-300, 300, 3), d = numbers(-300, 300, 4);
  const std::vector<std::vector<float>> all = {
      run("noise", "ff", {a}, 1), run("noise_ff", "fff", {a, b}, 1), run("noise_p", "ft", {a, b, c}, 1),
      run("noise_pf", "ftf", {a, b, c, d}, 1), run("noise_t_p", "tt", {a, b, c}, 3)};
  for (const auto& r : all) {
    double sum = 0, squares = 0;
    for (const float v : r) {
      CHECK_UNARY(v > -0.03f && v < 1.03f);
      sum += v, squares += (v - 0.5) * (v - 0.5);
    }
    CHECK(sum / static_cast<double>(r.size()) == doctest::Approx(0.5).epsilon(0.04));
    CHECK(std::sqrt(squares / static_cast<double>(r.size())) > 0.08);
  }
}

TEST_CASE("components of a triple differ, the first is the float") {
  const auto a = numbers(-30, 30, 5), b = numbers(-30, 30, 6), c = numbers(-30, 30, 7);
  const auto f = run("noise_p", "ft", {a, b, c}, 1), t = run("noise_t_p", "tt", {a, b, c}, 3);
  double product = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK_UNARY(f[i] == t[i]);
    product += (t[i] - 0.5) * (t[a.size() + i] - 0.5);
  }
  CHECK(std::fabs(product / static_cast<double>(a.size())) < 0.004);
}

TEST_CASE("pnoise repeats and agrees with noise inside the first period") {
  auto a = numbers(0, 4, 8), b = numbers(0, 6, 9), c = numbers(0, 3, 10);
  auto a2 = a, b2 = b, c2 = c;
  for (float& v : a2) v += 5;
  for (float& v : b2) v -= 14;
  for (float& v : c2) v += 8;
  const std::vector<float> p5(a.size(), 5), p7(a.size(), 7), p4(a.size(), 4);
  const auto x = run("pnoise_p", "ftt", {a, b, c, p5, p7, p4}, 1),
             y = run("pnoise_p", "ftt", {a2, b2, c2, p5, p7, p4}, 1);
  const auto z = run("noise_p", "ft", {a, b, c}, 1);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK_UNARY(std::fabs(x[i] - y[i]) < 1e-4f);
    CHECK_UNARY(x[i] == z[i]);
  }
}

TEST_CASE("noise is continuous over cell borders, also below zero") {
  std::vector<float> lo, hi;
  for (int i = -20; i < 20; ++i)
    lo.push_back(static_cast<float>(i) - 1e-4f), hi.push_back(static_cast<float>(i) + 1e-4f);
  const auto a = run("noise", "ff", {lo}, 1), b = run("noise", "ff", {hi}, 1);
  for (size_t i = 0; i < a.size(); ++i) CHECK_UNARY(std::fabs(a[i] - b[i]) < 1e-3f);
}

TEST_CASE("cellnoise is constant in a cell and uniform over cells") {
  const auto r = run("cellnoise_ff", "fff", {{1.1f, 1.9f, 2.1f, -0.5f, -0.1f, 0.1f}, {3, 3.5f, 3.5f, 0, 0.9f, 0}}, 1);
  CHECK(r[0] == r[1]);
  CHECK(r[1] != r[2]);
  CHECK(r[3] == r[4]);
  CHECK(r[4] != r[5]);
  std::vector<float> cells;
  for (int i = 0; i < 4000; ++i) cells.push_back(static_cast<float>(i));
  auto v = run("cellnoise", "ff", {cells}, 1);
  std::sort(v.begin(), v.end());
  for (int i = 0; i < 10; ++i) CHECK(v[static_cast<size_t>(400 * i)] == doctest::Approx(0.1 * i).epsilon(0.05));
}
