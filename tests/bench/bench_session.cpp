// SPDX-License-Identifier: Apache-2.0
// Speed of whole frames of hair and points on one thread, 16 samples a pixel, from opening nodes to filtered pixels.
// Lines: name value unit reference ratio; the references are the goals. geom.curves counts diced segments, geom.points
// points.
#include <unistd.h>

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

/// The fastest of three frames.
render::RenderResult fastest(const std::string& rib, const std::string& file) {
  std::ofstream(file) << rib;
  render::RenderResult best;
  for (int i = 0; i < 3; ++i) {
    Diagnostics diag;
    Parallel parallel(1);
    session::SessionOptions options;
    options.parallel = &parallel;
    options.isa = bestIsa();
    options.diag = &diag;
    options.installedShaderFolders = {REYES_SOURCE_DIR "/shaders"};
    session::Session session(options);
    session.run({file});
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
  const render::RenderResult hair = fastest(curves(20000), file);
  line("geom.curves", static_cast<double>(hair.stats.get(Counter::kMicropolygons)) / hair.seconds / 1e6, "Msegments/s",
       2);
  const int n = 200000;
  const render::RenderResult dots = fastest(points(n), file);
  line("geom.points", n / dots.seconds / 1e6, "Mpoints/s", 4);
  std::filesystem::remove(file);
}
