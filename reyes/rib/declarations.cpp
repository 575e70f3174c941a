// SPDX-License-Identifier: Apache-2.0
// The table of Declare with the standard variables of RI 3.2 (appendix A) and of the standard shaders.
#include <unordered_map>

#include "reyes/rib/reader.h"

namespace reyes::rib {
namespace {

struct Standard {
  const char* declaration;
  const char* names;  ///< separated by blanks
};

constexpr Standard kStandard[] = {
    // Primitive variables
    {"vertex point", "P"},
    {"vertex float", "Pz"},
    {"vertex hpoint", "Pw"},
    {"varying normal", "N"},
    {"uniform normal", "Np"},
    {"varying color", "Cs Os"},
    {"varying float", "s t width"},
    {"varying float[2]", "st"},
    {"constant float", "constantwidth"},
    // Parameters of the standard shaders
    {"uniform float",
     "Ka Kd Ks Kr roughness intensity coneangle conedeltaangle beamdistribution mindistance maxdistance distance "
     "amplitude frequency fov samples width_ shadowbias"},
    {"uniform color", "lightcolor specularcolor background"},
    {"uniform point", "from to"},
    {"uniform string", "texturename"},
    // Displays and options
    {"uniform integer[2]", "origin"},
};

}  // namespace

struct Declarations::Impl {
  struct Entry {
    VarSpec spec;
    bool standard = false;
  };
  std::unordered_map<std::string, Entry> table;
};

Declarations::Declarations() : impl_(std::make_unique<Impl>()) {
  for (const Standard& s : kStandard) {
    const std::string names = s.names;
    for (size_t at = 0; at < names.size();) {
      size_t end = names.find(' ', at);
      if (end == std::string::npos) end = names.size();
      const std::string name = names.substr(at, end - at);
      VarSpec spec = *parseDeclaration(s.declaration);
      spec.name = Name(name);
      impl_->table[name] = {spec, true};
      at = end + 1;
    }
  }
}
Declarations::~Declarations() = default;
Declarations::Declarations(const Declarations& o) : impl_(std::make_unique<Impl>(*o.impl_)) {}

bool Declarations::declare(const std::string& name, const std::string& declaration) {
  std::optional<VarSpec> spec = parseDeclaration(declaration);
  if (!spec || name.empty()) return false;
  spec->name = Name(name);
  impl_->table[name] = {*spec, false};
  return true;
}

VarSpec Declarations::lookUp(const std::string& token) const {
  const auto it = impl_->table.find(token);
  if (it != impl_->table.end()) return it->second.spec;
  // A single word that names a type ("color") is a plain name.
  if (const auto spec = parseDeclaration(token); spec && !spec->name.empty()) return *spec;
  VarSpec unknown;
  unknown.name = Name(token);
  return unknown;
}

bool Declarations::isStandard(const std::string& token) const {
  const auto it = impl_->table.find(token);
  return it != impl_->table.end() && it->second.standard;
}

}  // namespace reyes::rib
