// SPDX-License-Identifier: Apache-2.0
// Speed of the shading machine, in ratios to hand-written loops of the same run.
// Lines: name value unit reference ratio (time of the machine / time of the loop; below 1 is faster than it).
//   vm.plastic         a shader of 33 operations on 16 x 16 points, against one fused loop that the compiler vectorises
//   for AVX2 vm.plastic_scalar  the same, against plain scalar C++, point by point vm.noise           four octaves of
//   3D noise (AVX2), against the fused loop around a scalar Perlin noise vm.noise_*         the same with other
//   instruction sets vm.branch          an if whose points go both ways, half and half, against both sides and a choice
//   between them
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "reyes/base/hash.h"
#include "reyes/base/noise.h"
#include "reyes/sl/compiler.h"
#include "reyes/vm/machine.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

constexpr int kSide = 16, kPoints = kSide * kSide, kStride = kPoints + 16;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Best time of a run of f, nanoseconds a point.
template <class F>
double best(F&& f) {
  double least = 1e30;
  for (const double end = now() + 0.4; now() < end;) {
    const double t = now();
    for (int k = 0; k < 50; ++k) f();
    least = std::min(least, (now() - t) / 50);
  }
  return least * 1e9 / kPoints;
}

void line(const char* name, double value, double reference) {
  std::printf("%s %.4g ns/point %.4g %.3f\n", name, value, reference, value / reference);
}

/// Grid variables: P N I L Cl, and the result.
struct Planes {
  alignas(64) float P[3][kStride], N[3][kStride], I[3][kStride], L[3][kStride], Cl[3][kStride], Ci[3][kStride];
  alignas(64) float s[kStride], t[kStride];

  Planes() {
    uint64_t k = 0;
    for (auto* v : {&P, &N, &I, &L, &Cl})
      for (auto& plane : *v)
        for (float& x : plane) x = toUnitFloat(mix64(++k)) * 2 - 0.8f;
    for (float& x : s) x = toUnitFloat(mix64(++k));
    for (float& x : t) x = toUnitFloat(mix64(++k));
  }
};

constexpr float kKa = 0.2f, kKd = 0.7f, kKs = 0.5f;
constexpr float kCs[3] = {0.9f, 0.5f, 0.3f}, kWhite[3] = {1, 1, 0.9f}, kOther[3] = {0.2f, 0.3f, 0.8f};

// The shader: two layers of colour by smoothstep, diffuse, a highlight (n.h)^16 and a rim: 33 operations on points as
// written, and what the compiler makes of them. There is no light loop: the light comes in two parameters.
const char* const kPlastic = R"(
surface plastic33(float Ka = 0.2, Kd = 0.7, Ks = 0.5; color base = color(0.9, 0.5, 0.3);
                  color other = color(0.2, 0.3, 0.8); color white = color(1, 1, 0.9);
                  varying vector L = 0; varying color Cl = 0;)
{
    normal Nf = faceforward(normalize(N), I);
    vector V = -normalize(I);
    vector Ln = normalize(L);
    vector H = normalize(Ln + V);
    float a = smoothstep(0.25, 0.75, s);
    float b = smoothstep(0.25, 0.75, t) * a;
    color c = mix(mix(base, other, a), white, b);
    float d = max(Nf . Ln, 0) * Kd + Ka;
    float h = max(Nf . H, 0);
    h *= h; h *= h; h *= h; h *= h;
    float rim = clamp(1 - Nf . V, 0, 1);
    Ci = Cl * d * c + Cl * (h * Ks) * white + c * rim;
}
)";

struct V {
  float x, y, z;
};
[[gnu::always_inline]] inline V norm(V a) {
  const float l2 = a.x * a.x + a.y * a.y + a.z * a.z;
  const float s = l2 > 0 ? 1.0f / std::sqrt(l2) : 0.0f;
  return {a.x * s, a.y * s, a.z * s};
}
[[gnu::always_inline]] inline float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
[[gnu::always_inline]] inline float smooth(float lo, float hi, float x) {
  const float t = (x - lo) / (hi - lo);
  return x < lo ? 0.0f : x >= hi ? 1.0f : t * t * (3.0f - 2.0f * t);
}
[[gnu::always_inline]] inline float mixed(float a, float b, float x) { return (1.0f - x) * a + x * b; }

/// The whole shader at point i.
[[gnu::always_inline]] inline void plasticPoint(Planes& p, int i) {
  V N = norm({p.N[0][i], p.N[1][i], p.N[2][i]});
  V I = norm({p.I[0][i], p.I[1][i], p.I[2][i]});
  const bool back = dot(I, N) > 0;
  N = {back ? -N.x : N.x, back ? -N.y : N.y, back ? -N.z : N.z};
  const V W{-I.x, -I.y, -I.z};
  const V L = norm({p.L[0][i], p.L[1][i], p.L[2][i]});
  const V H = norm({L.x + W.x, L.y + W.y, L.z + W.z});
  const float a = smooth(0.25f, 0.75f, p.s[i]), b = smooth(0.25f, 0.75f, p.t[i]) * a;
  float d = dot(N, L);
  d = (d > 0 ? d : 0) * kKd + kKa;
  float h = dot(N, H);
  h = h > 0 ? h : 0;
  h *= h, h *= h, h *= h, h *= h;
  h *= kKs;
  float rim = 1 - dot(N, W);
  rim = rim < 0 ? 0 : rim > 1 ? 1 : rim;
  for (int c = 0; c < 3; ++c) {
    const float base = mixed(mixed(kCs[c], kOther[c], a), kWhite[c], b);
    p.Ci[c][i] = p.Cl[c][i] * d * base + p.Cl[c][i] * h * kWhite[c] + base * rim;
  }
}

[[gnu::target("avx2"), gnu::optimize("O3"), gnu::noinline]] void plasticFused(Planes& p) {
#pragma GCC ivdep
  for (int i = 0; i < kPoints; ++i) plasticPoint(p, i);
}
[[gnu::optimize("no-tree-vectorize", "no-tree-slp-vectorize"), gnu::noinline]] void plasticScalar(Planes& p) {
  for (int i = 0; i < kPoints; ++i) plasticPoint(p, i);
}

const char* const kNoise = R"(shader surface "noise4"
reg r0 varying triple
reg r1 varying triple
reg r2 varying float
reg r3 varying float
reg r4 varying triple
reg r5 uniform float = 2
reg r6 uniform float = 0.5
reg r7 uniform float = 0.25
reg r8 uniform float = 0.125
reg r9 varying float
sym global point r0 "P"
sym global color r1 "Ci"
noise_p r2 r0
multf r4 r0 r5
noise_p r3 r4
madf r9 r3 r6 r2
multf r4 r4 r5
noise_p r3 r4
madf r9 r3 r7 r9
multf r4 r4 r5
noise_p r3 r4
madf r9 r3 r8 r9
tf r1 r9
end
)";

// Two colours of eight operations each; which one depends on s. kBranch works each out for its points, kBoth both for
// all points. Registers as declared in kBranchHead.
const char* const kBranchHead = R"(shader surface "branch"
reg r0 varying triple
reg r1 varying triple
reg r2 varying triple
reg r3 varying float
reg r4 uniform float = 0.5
reg r5 varying triple
reg r6 varying triple
reg r7 varying triple
reg r8 varying float
reg r9 varying triple
sym global point r0 "P"
sym global normal r1 "N"
sym global color r2 "Ci"
sym global float r3 "s"
)";
const char* const kSideA =
    "multf r5 r0 r3\naddt r5 r5 r1\nnormalize r5 r5\ndot r8 r5 r1\nmulf r8 r8 r8\nmultf r6 r5 r8\n"
    "addt r6 r6 r0\nmult OUT r6 r6\n";
const char* const kSideB =
    "mult r5 r0 r1\nsubt r5 r5 r0\nmultf r5 r5 r4\ncross r7 r5 r1\naddt r7 r7 r0\nnormalize r7 r7\n"
    "multf r7 r7 r3\naddt OUT r7 r1\n";
std::string side(std::string text, const char* out) { return text.replace(text.find("OUT"), 3, out); }
std::string branchText() {
  return std::string(kBranchHead) + "0 ltf r8 r3 r4\n1 if r8 ->10\n" + side(kSideA, "r2") + "10 else ->19\n" +
         side(kSideB, "r2") + "19 endif\n20 end\n";
}
std::string bothText() {
  return std::string(kBranchHead) + side(kSideA, "r6") + side(kSideB, "r9") + "ltf r8 r3 r4\nsel r2 r8 r6 r9\nend\n";
}

/// Two octaves of noise along the normal, for points with s < 0.5 or for all.
std::string rareText(bool branch) {
  const std::string body =
      "noise_p r8 r0\nmultf r6 r1 r8\nmultf r5 r0 r4\nnoise_p r8 r5\nmadtf r6 r1 r8 r6\naddt r2 r6 r0\n";
  std::string text(kBranchHead);
  return branch ? text + "0 ltf r8 r3 r4\n1 if r8 ->8\n" + body + "8 endif\n9 end\n" : text + body + "end\n";
}

float grad(int h, float x, float y, float z) {
  h &= 15;
  const float u = h < 8 ? x : y, v = h < 4 ? y : h == 12 || h == 14 ? x : z;
  return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}
float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
float blend(float t, float a, float b) { return a + t * (b - a); }
float perlin(float x, float y, float z) {
  const auto& p = kPerlinPermutation;
  const float fx = std::floor(x), fy = std::floor(y), fz = std::floor(z);
  const int X = static_cast<int>(fx) & 255, Y = static_cast<int>(fy) & 255, Z = static_cast<int>(fz) & 255;
  x -= fx, y -= fy, z -= fz;
  const float u = fade(x), v = fade(y), w = fade(z);
  const int A = p[static_cast<size_t>(X)] + Y, B = p[static_cast<size_t>(X + 1)] + Y;
  const auto at = [&](int i, int dz) { return p[static_cast<size_t>(p[static_cast<size_t>(i)] + Z + dz)]; };
  return blend(w,
               blend(v, blend(u, grad(at(A, 0), x, y, z), grad(at(B, 0), x - 1, y, z)),
                     blend(u, grad(at(A + 1, 0), x, y - 1, z), grad(at(B + 1, 0), x - 1, y - 1, z))),
               blend(v, blend(u, grad(at(A, 1), x, y, z - 1), grad(at(B, 1), x - 1, y, z - 1)),
                     blend(u, grad(at(A + 1, 1), x, y - 1, z - 1), grad(at(B + 1, 1), x - 1, y - 1, z - 1))));
}
[[gnu::noinline]] void noiseLoop(Planes& p) {
  for (int i = 0; i < kPoints; ++i) {
    float sum = 0, gain = 1, scale = 1;
    for (int k = 0; k < 4; ++k, gain *= 0.5f, scale *= 2)
      sum += gain * (perlin(p.P[0][i] * scale, p.P[1][i] * scale, p.P[2][i] * scale) * 0.5f + 0.5f);
    p.Ci[0][i] = p.Ci[1][i] = p.Ci[2][i] = sum;
  }
}

/// A shader on the planes.
struct Runner {
  Services services;
  std::unique_ptr<Instance> instance;
  Machine machine;

  /// `text` is a source, or the text of a program.
  Runner(const char* text, Isa isa) : machine(isa) {
    std::string error;
    Diagnostics diag;
    const auto program = std::string_view(text).substr(0, 7) == "shader " ? assemble(text, error)
                                                                          : sl::compileString(text, {}, diag).program;
    if (!program) std::fprintf(stderr, "%s\n", error.c_str());
    instance = std::make_unique<Instance>(program);
    instance->initialise(services, isa);
  }
  void run(Planes& p) {
    static const Name names[] = {"P", "N", "I", "L", "Cl", "Ci", "s", "t", "Ng"};
    float* const planes[] = {p.P[0], p.N[0], p.I[0], p.L[0], p.Cl[0], p.Ci[0], p.s, p.t, p.N[0]};
    machine.begin(*instance, {kPoints, kSide, kSide, 1, 1, 0, false, 1000});
    for (int i = 0; i < 9; ++i) machine.bindPlanes(names[i], planes[i], kStride);
    machine.run(services);
  }
};

/// Largest difference of Ci.
float difference(const Planes& a, const Planes& b) {
  float d = 0;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < kPoints; ++i) d = std::max(d, std::fabs(a.Ci[c][i] - b.Ci[c][i]));
  return d;
}

}  // namespace

int main() {
  static Planes a, b;
  const Isa best2 = bestIsa() == Isa::kSse4 ? Isa::kSse4 : Isa::kAvx2;
  Runner plastic(kPlastic, best2), noise(kNoise, best2);
  plastic.run(a), plasticFused(b);
  if (difference(a, b) > 1e-5f)
    return std::fprintf(stderr, "plastic differs by %g\n", static_cast<double>(difference(a, b))), 1;
  const double machine = best([&] { plastic.run(a); });
  line("vm.plastic", machine, best([&] { plasticFused(b); }));
  line("vm.plastic_scalar", machine, best([&] { plasticScalar(b); }));
  if (bestIsa() == Isa::kAvx512) {
    Runner wide(kPlastic, Isa::kAvx512);
    line("vm.plastic_avx512", best([&] { wide.run(a); }), machine);
  }

  const std::string branching = branchText(), straight = bothText();
  Runner branch(branching.c_str(), best2), both(straight.c_str(), best2);
  branch.run(a), both.run(b);
  if (difference(a, b) > 0) return std::fprintf(stderr, "branch differs\n"), 1;
  line("vm.branch", best([&] { branch.run(a); }), best([&] { both.run(b); }));

  for (int i = 0; i < kPoints; ++i) a.s[i] = i % 64 == 17 ? 0.25f : 0.75f;
  const std::string rare = rareText(true), always = rareText(false);
  Runner few(rare.c_str(), best2), all(always.c_str(), best2);
  line("vm.branch_64", best([&] { few.run(a); }), best([&] { all.run(a); }));

  noise.run(a), noiseLoop(b);
  if (difference(a, b) > 1e-4f)
    return std::fprintf(stderr, "noise differs by %g\n", static_cast<double>(difference(a, b))), 1;
  const double octaves = best([&] { noise.run(a); });
  const double loop = best([&] { noiseLoop(b); });
  line("vm.noise", octaves, loop);
  for (const Isa isa : supportedIsas()) {
    Runner other(kNoise, isa);
    if (isa != best2) line(("vm.noise_" + std::string(isaName(isa))).c_str(), best([&] { other.run(a); }), loop);
  }
  return 0;
}
