// SPDX-License-Identifier: Apache-2.0
// Answers to attribute(), option(), rendererinfo() and rayinfo() from the scene.
#pragma once

#include <string_view>

#include "reyes/scene/view.h"
#include "reyes/scene/world.h"
#include "reyes/vm/services.h"

namespace reyes::shade {

bool queryAttribute(const scene::Attributes& attributes, std::string_view name, vm::QueryResult& out);
bool queryOption(const scene::World* world, const scene::View* view, std::string_view name, vm::QueryResult& out);
bool queryRenderer(std::string_view name, vm::QueryResult& out);
/// There are no rays here: depth 0, type "camera".
bool queryRay(std::string_view name, vm::QueryResult& out);

}  // namespace reyes::shade
