// SPDX-License-Identifier: Apache-2.0
// Manifests of id mattes (Cryptomatte): which name an id is, as the JSON text of a header attribute. Written by
// render/, joined where tiles are.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace reyes::image {

/// {"name":"0123abcd",...} in the order of the escaped names. Names are UTF-8.
std::string writeIdManifest(const std::map<std::string, uint32_t>& ids);
/// True for a header attribute that holds one.
bool isIdManifest(const std::string& attribute);
/// What either names, as writeIdManifest has it. False where one is no manifest, or they disagree about a name.
bool joinIdManifests(const std::string& a, const std::string& b, std::string& out);

}  // namespace reyes::image
