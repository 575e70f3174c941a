// SPDX-License-Identifier: Apache-2.0
// Speed of whole frames of hair and points on one thread, 16 samples a pixel, from opening nodes to filtered pixels;
// and of hundreds of thousands of small quadrics of all kinds, from the first byte of the file to the last pixel.
// Lines: name value unit reference ratio; the references are the goals. geom.curves counts diced segments, geom.points
// points, geom.quadrics primitives; geom.quadrics.bytes is what the process grew by, a primitive, with 400 as the
// limit.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "reyes/base/format.h"
#include "reyes/base/parallel.h"
#include "reyes/session/session.h"

using namespace reyes;

namespace {

const std::string kHead =
    "Format 640 480 1\nPixelSamples 4 4\nPixelFilter \"gaussian\" 2 2\nProjection \"perspective\" \"fov\" [30]\n"
    "Display \"none\" \"null\" \"rgba\"\nTranslate 0 0 8\nWorldBegin\nLightSource \"ambientlight\" 1 \"intensity\" "
    "[0.1]\n"
    "LightSource \"distantlight\" 2 \"intensity\" [0.9] \"from\" [4 6 -5] \"to\" [0 0 0]\n";

class Numbers {
 public:
  double operator()(double lo, double hi) { return lo + (hi - lo) * static_cast<double>(random_() % 100000) / 100000; }

 private:
  std::mt19937 random_{11};
};

/// Thin curves, a patch of fur seen from above.
std::string curves(int n) {
  Numbers r;
  std::string counts, p, c;
  for (int i = 0; i < n; ++i) {
    const double x = r(-1.6, 1.6), y = r(-1.2, 1.2), dx = r(-0.3, 0.3), dy = r(-0.3, 0.3);
    counts += "4 ";
    for (int k = 0; k < 4; ++k) p += format("{:.4f} {:.4f} {:.4f} ", x + dx * k * k / 9, y + dy * k * k / 9, -0.15 * k);
    c += format("{:.3f} {:.3f} {:.3f} ", r(0, 1), r(0, 1), r(0, 1));
  }
  return kHead + "Surface \"plastic\"\nCurves \"cubic\" [" + counts + "] \"nonperiodic\" \"P\" [" + p +
         "] \"constantwidth\" [0.006] \"uniform color Cs\" [" + c + "]\nWorldEnd\n";
}

std::string points(int n) {
  Numbers r;
  std::string p, w;
  for (int i = 0; i < n; ++i) {
    p += format("{:.4f} {:.4f} {:.4f} ", r(-1.8, 1.8), r(-1.3, 1.3), r(-1, 1));
    w += format("{:.4f} ", r(0.004, 0.012));
  }
  return kHead + "Surface \"matte\"\nPoints \"P\" [" + p + "] \"varying float width\" [" + w + "]\nWorldEnd\n";
}

/// A cloud of tiny quadrics, each with a transform of its own; a part of it is out of the frame.
std::string quadrics(int n) {
  static constexpr const char* kKinds[] = {
      "Sphere 1 -1 1 360", "Cone 1 1 360",         "Cylinder 1 -1 1 360", "Hyperboloid 1 0 -1 .5 .5 1 360",
      "Disk 0 1 360",      "Torus 1 .4 0 360 360", "Paraboloid 1 0 1 360"};
  Numbers r;
  std::string all = kHead + "Surface \"matte\"\n";
  for (int i = 0; i < n; ++i)
    all += format("TransformBegin\nTranslate {:.4f} {:.4f} {:.4f}\nScale .01 .01 .01\n{}\nTransformEnd\n", r(-3, 3),
                  r(-2, 2), r(-2, 2), kKinds[i % 7]);
  return all + "WorldEnd\n";
}

double peakBytes() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_maxrss) * 1024;
}

/// The fastest of several frames; `whole`: seconds of the fastest run, with reading the file.
render::RenderResult fastest(const std::string& rib, const std::string& file, int runs = 3, double* whole = nullptr) {
  std::ofstream(file) << rib;
  render::RenderResult best;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    Diagnostics diag;
    Parallel parallel(1);
    session::SessionOptions options;
    options.parallel = &parallel;
    options.isa = bestIsa();
    options.diag = &diag;
    options.installedShaderFolders = {REYES_SOURCE_DIR "/shaders"};
    session::Session session(options);
    session.run({file});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (whole && (i == 0 || seconds < *whole)) *whole = seconds;
    if (session.frames().empty()) continue;
    const render::RenderResult& r = session.frames().back().result;
    if (i == 0 || r.seconds < best.seconds) best = r;
  }
  return best;
}

void line(const char* name, double value, const char* unit, double reference) {
  std::printf("%s %.4g %s %.4g %.3f\n", name, value, unit, reference, value / reference);
}

}  // namespace

int main() {
  const std::string file = (std::filesystem::temp_directory_path() / format("reyes-bench-{}.rib", getpid())).string();
  {
    const int n = 300000;
    fastest(quadrics(100), file);
    const std::string scene = quadrics(n);
    const double before = peakBytes();
    double seconds = 0;
    fastest(scene, file, 2, &seconds);
    line("geom.quadrics", n / seconds / 1e6, "Mprimitives/s", 0.1);
    line("geom.quadrics.bytes", (peakBytes() - before) / n, "B", 400);
  }
  const render::RenderResult hair = fastest(curves(20000), file);
  line("geom.curves", static_cast<double>(hair.stats.get(Counter::kMicropolygons)) / hair.seconds / 1e6, "Msegments/s",
       2);
  // So many that the pixels of an empty frame do not count for most of it.
  const int n = 1000000;
  const render::RenderResult dots = fastest(points(n), file);
  line("geom.points", n / dots.seconds / 1e6, "Mpoints/s", 4);
  std::filesystem::remove(file);
}
