// SPDX-License-Identifier: Apache-2.0
#include "reyes/scene/view.h"

namespace reyes::scene {

Matrix4 View::screenFromCamera() const {
  const float farther = far > near ? far : near + 1;
  return perspective() ? Matrix4::perspective(fov, near, farther) : Matrix4::orthographic(near, farther);
}

Matrix4 View::rasterFromScreen() const {
  const float* w = screenWindow;
  Matrix4 r;
  const float sx = static_cast<float>(xResolution) / (w[1] - w[0]);
  const float sy = static_cast<float>(yResolution) / (w[2] - w[3]);
  r.m[0][0] = sx, r.m[1][1] = sy;
  r.m[3][0] = -w[0] * sx, r.m[3][1] = -w[3] * sy;
  return r;
}

}  // namespace reyes::scene
