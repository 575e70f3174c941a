// SPDX-License-Identifier: Apache-2.0
// Manifests of id mattes (Cryptomatte): which name an id is, as the JSON text of a header attribute. Written by
// render/, joined where tiles are.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "reyes/image/image.h"

namespace reyes::image {

/// {"name":"0123abcd",...} in the order of the escaped names. Names are UTF-8.
std::string writeIdManifest(const std::map<std::string, uint32_t>& ids);
/// The ids and unescaped names of one; false where it is none.
bool readIdManifest(const std::string& json, std::map<uint32_t, std::string>& out);
/// True for a header attribute that holds one.
bool isIdManifest(const std::string& attribute);
/// What either names, as writeIdManifest has it. False where one is no manifest, or they disagree about a name.
bool joinIdManifests(const std::string& a, const std::string& b, std::string& out);
/// The same of all manifests among attributes, into `into`: false, with the attribute's name, where they disagree.
bool joinIdManifests(const std::map<std::string, Attribute>& from, std::map<std::string, Attribute>& into,
                     std::string& failed);

}  // namespace reyes::image
