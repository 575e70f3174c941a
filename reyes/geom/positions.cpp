// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/positions.h"

#include <cmath>

#include "reyes/base/format.h"

namespace reyes::geom {
namespace {

struct Source {
  const Param* param = nullptr;
  int width = 3;  ///< 1 for Pz
};

Source findSource(const ParamList& list) {
  if (const Param* p = list.find("P")) return {p, p->spec.type == Type::kHPoint ? 4 : 3};
  if (const Param* p = list.find("Pw")) return {p, 4};
  if (const Param* p = list.find("Pz")) return {p, 1};
  return {};
}

/// Heights over the unit square of parameters.
std::vector<float> fromHeights(const std::vector<float>& z, int columns, int rows) {
  std::vector<float> out;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      out.push_back(columns > 1 ? static_cast<float>(i) / static_cast<float>(columns - 1) : 0.0f);
      out.push_back(rows > 1 ? static_cast<float>(j) / static_cast<float>(rows - 1) : 0.0f);
      out.push_back(z[static_cast<size_t>(j * columns + i)]);
    }
  return out;
}

void findBad(Positions& p) {
  p.bad.assign(p.items, false);
  const size_t width = static_cast<size_t>(p.width);
  for (std::vector<float>& key : p.keys)
    for (size_t i = 0; i < p.items; ++i)
      for (size_t c = 0; c < width; ++c) {
        float& f = key[i * width + c];
        f += 0.0f;
        // Far beyond what float arithmetic on squares survives is no place to draw either.
        if (std::isfinite(f) && std::abs(f) < 1e18f && (c < 3 || f > 0)) continue;
        f = c < 3 ? 0.0f : 1.0f;
        p.bad[i] = p.anyBad = true;
      }
}

}  // namespace

std::optional<Positions> readPositions(const Context& context, Keys keys, size_t needed, bool exact,
                                       const char* request, int columns, int rows) {
  const Source first = keys.empty() ? Source() : findSource(keys[0]);
  if (!first.param || (first.width == 1 && columns * rows == 0)) {
    if (context.diag)
      context.diag->error("geom-no-position", context.loc,
                          format("{}: no \"P\" (nor \"Pw\") is given; nothing is drawn", request));
    return {};
  }
  Positions p;
  p.width = first.width == 4 ? 4 : 3;
  const size_t width = static_cast<size_t>(first.width), given = first.param->floats.size();
  if (given < needed * width || (exact && given != needed * width) || given % width != 0) {
    if (context.diag)
      context.diag->error("geom-bad-count", context.loc,
                          format("{}: \"{}\" needs {} values ({} points), {} given; {}", request,
                                 first.param->spec.name.str(), needed * width, needed, given,
                                 given < needed * width ? "nothing is drawn" : "the first ones are used"));
    if (given < needed * width) return {};
  }
  p.items = exact ? needed : given / width;
  for (const ParamList& list : keys) {
    const Source s = findSource(list);
    if (!s.param || s.width != first.width || s.param->floats.size() != given) {
      if (context.diag)
        context.diag->error(
            "geom-motion-mismatch", context.loc,
            format("{}: key {} of the motion block has other positions than the first; it does not move", request,
                   p.keys.size() + 1));
      p.keys.resize(1);
      break;
    }
    std::vector<float> values(s.param->floats.begin(),
                              s.param->floats.begin() + static_cast<std::ptrdiff_t>(p.items * width));
    if (first.width == 1) values = fromHeights(values, columns, rows);
    p.keys.push_back(std::move(values));
  }
  findBad(p);
  return p;
}

void reportDropped(const Context& context, const char* request, size_t faces) {
  if (faces > 0 && context.diag)
    context.diag->error("geom-not-finite", context.loc,
                        format("{}: {} faces have positions that are not finite numbers or weights that are not "
                               "positive; they are left out",
                               request, faces));
}

}  // namespace reyes::geom
