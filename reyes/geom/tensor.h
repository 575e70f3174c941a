// SPDX-License-Identifier: Apache-2.0
// Grids of control values turned into Bezier grids, direction by direction. Called by the patch and NURBS factories.
#pragma once

#include <vector>

namespace reyes::geom {

/// Items of `width` floats, nu x nv of them, u fastest. A Map gives for each of its pieces() the values firstNew(piece)
/// to lastValue() that are its own: place() of each among outputs, and value() of controls at in[i * stride].
template <class MapU, class MapV>
std::vector<float> tensorToBezier(const MapU& u, const MapV& v, int nu, int nv, int width,
                                  const std::vector<float>& in) {
  const size_t w = static_cast<size_t>(width), columns = static_cast<size_t>(u.outputs);
  const std::vector<double> from(in.begin(), in.end());
  // Along u, then along v.
  std::vector<double> half(columns * static_cast<size_t>(nv) * w);
  for (size_t j = 0; j < static_cast<size_t>(nv); ++j)
    for (int s = 0; s < u.pieces(); ++s)
      for (int k = u.firstNew(s); k <= u.lastValue(); ++k)
        for (size_t c = 0; c < w; ++c)
          half[(j * columns + static_cast<size_t>(u.place(s, k))) * w + c] =
              u.value(s, k, &from[j * static_cast<size_t>(nu) * w + c], width);
  std::vector<float> out(columns * static_cast<size_t>(v.outputs) * w);
  for (int s = 0; s < v.pieces(); ++s)
    for (int k = v.firstNew(s); k <= v.lastValue(); ++k)
      for (size_t i = 0; i < columns; ++i)
        for (size_t c = 0; c < w; ++c)
          out[(static_cast<size_t>(v.place(s, k)) * columns + i) * w + c] =
              static_cast<float>(v.value(s, k, &half[i * w + c], u.outputs * width)) + 0.0f;
  return out;
}

}  // namespace reyes::geom
