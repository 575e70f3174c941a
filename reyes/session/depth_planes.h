// SPDX-License-Identifier: Apache-2.0
// Depth pictures that the repelling planes of a Blobby name, read and brought into the Blobby's object space. Called by
// SceneBuilder::blobby().
#pragma once

#include <memory>
#include <string>

#include "reyes/geom/blobby_repel.h"

namespace reyes::session {

/// Reads what shadow() reads; error text or "".
std::string readDepthPlane(const std::string& path, const Matrix4& worldFromObject,
                           std::shared_ptr<const geom::DepthPlane>& plane);

}  // namespace reyes::session
