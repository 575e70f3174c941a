// SPDX-License-Identifier: Apache-2.0
// makeSubdivision(): checks the control mesh and reads the tags.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/geom/positions.h"
#include "reyes/geom/subdiv_build.h"

namespace reyes::geom {
namespace {

constexpr const char* kRequest = "SubdivisionMesh";

void report(const Context& context, const char* code, std::string text) {
  if (context.diag) context.diag->error(code, context.loc, std::move(text));
}

/// One tag's share of the arguments.
struct Tag {
  const std::string& name;
  std::span<const int> ints;
  std::span<const float> floats;
  std::span<const std::string> strings;
  int intOr(int fallback) const { return ints.empty() ? fallback : ints[0]; }
  /// One sharpness for all, or one each; 0 where too few are given; from 0 to 10, which is infinite.
  float sharpness(size_t k) const {
    const float s = floats.size() == 1 ? floats[0] : k < floats.size() ? floats[k] : 0.0f;
    return s > 0 ? std::min(s, 10.0f) : 0.0f;
  }
};

bool validVertices(const Context& context, const Tag& tag, int vertices) {
  for (const int v : tag.ints)
    if (v < 0 || v >= vertices) {
      report(context, "geom-bad-index",
             format("{}: tag \"{}\" names vertex {} of {}; the tag is left out", kRequest, tag.name, v, vertices));
      return false;
    }
  if (tag.floats.empty() || (tag.floats.size() > 1 && tag.floats.size() + 1 < tag.ints.size())) {
    report(context, "geom-bad-count",
           format("{}: tag \"{}\" has {} vertices but {} numbers for sharpness", kRequest, tag.name, tag.ints.size(),
                  tag.floats.size()));
    return false;
  }
  return true;
}

void badValue(const Context& context, const Tag& tag) {
  report(context, "geom-bad-tag", format("{}: tag \"{}\" has no such value; the default is used", kRequest, tag.name));
}

/// "interpolateboundary" and the like: an int of 0 to `most`.
void setChoice(const Context& context, const Tag& tag, int most, int fallback, int& value) {
  const int given = tag.intOr(fallback);
  if (given < 0 || given > most) return badValue(context, tag);
  value = given;
}

/// Words, or numbers where a request carries no words.
bool isWord(const Tag& tag, const char* word, int number) {
  return tag.strings.empty() ? tag.intOr(0) == number : tag.strings[0] == word;
}

/// keptFace: control face of a face of the request, -1 where it was dropped.
void applyTag(const Context& context, const Tag& tag, int vertices, const std::vector<int>& keptFace,
              SubdivRules& rules) {
  if (tag.name == "interpolateboundary") {
    setChoice(context, tag, 2, 1, rules.boundary);
  } else if (tag.name == "facevaryinginterpolateboundary") {
    setChoice(context, tag, 3, 1, rules.faceVaryingBoundary);
  } else if (tag.name == "facevaryingpropagatecorners") {
    rules.propagateCorners = tag.intOr(1) != 0;
  } else if (tag.name == "smoothtriangles") {
    rules.smoothTriangles = tag.strings.empty() ? tag.intOr(2) != 0 : tag.strings[0] == "smooth";
    if (!tag.strings.empty() && !rules.smoothTriangles && tag.strings[0] != "catmark" &&
        tag.strings[0] != "catmull-clark")
      badValue(context, tag);
  } else if (tag.name == "creasemethod") {
    rules.chaikin = isWord(tag, "chaikin", 1);
    if (!rules.chaikin && !isWord(tag, "normal", 0) && !isWord(tag, "uniform", 0)) badValue(context, tag);
  } else if (tag.name == "crease") {
    if (!validVertices(context, tag, vertices)) return;
    for (size_t k = 0; k + 1 < tag.ints.size(); ++k) {
      rules.creasePairs.insert(rules.creasePairs.end(), {tag.ints[k], tag.ints[k + 1]});
      rules.creaseSharpness.push_back(tag.sharpness(k));
    }
  } else if (tag.name == "corner") {
    if (!validVertices(context, tag, vertices)) return;
    for (size_t k = 0; k < tag.ints.size(); ++k) {
      rules.corners.push_back(tag.ints[k]);
      rules.cornerSharpness.push_back(tag.sharpness(k));
    }
  } else if (tag.name == "hole") {
    for (const int f : tag.ints) {
      if (f < 0 || static_cast<size_t>(f) >= keptFace.size())
        report(context, "geom-bad-index", format("{}: tag \"hole\" names face {} of {}", kRequest, f, keptFace.size()));
      else if (keptFace[static_cast<size_t>(f)] >= 0)
        rules.holes.push_back(keptFace[static_cast<size_t>(f)]);
    }
  } else {
    report(context, "geom-unknown-tag", format("{}: tag \"{}\" is not known; it has no effect", kRequest, tag.name));
  }
}

void readTags(const Context& context, const SubdivTags& tags, int vertices, const std::vector<int>& keptFace,
              SubdivRules& rules) {
  size_t ints = 0, floats = 0, strings = 0;
  const size_t each = !tags.names.empty() && tags.argCounts.size() >= 3 * tags.names.size() ? 3 : 2;
  for (size_t k = 0; k < tags.names.size(); ++k) {
    const bool counted = tags.argCounts.size() >= each * (k + 1);
    const int ni = counted ? tags.argCounts[each * k] : -1, nf = counted ? tags.argCounts[each * k + 1] : -1;
    const int ns = counted && each == 3 ? tags.argCounts[each * k + 2] : 0;
    if (ni < 0 || nf < 0 || ns < 0 || ints + static_cast<size_t>(ni) > tags.ints.size() ||
        floats + static_cast<size_t>(nf) > tags.floats.size() ||
        strings + static_cast<size_t>(ns) > tags.strings.size()) {
      report(context, "geom-bad-count",
             format("{}: the arguments of tag \"{}\" are not all there; it and later tags are left out", kRequest,
                    tags.names[k]));
      break;
    }
    applyTag(
        context,
        {tags.names[k], tags.ints.subspan(ints, static_cast<size_t>(ni)),
         tags.floats.subspan(floats, static_cast<size_t>(nf)), tags.strings.subspan(strings, static_cast<size_t>(ns))},
        vertices, keptFace, rules);
    ints += static_cast<size_t>(ni), floats += static_cast<size_t>(nf), strings += static_cast<size_t>(ns);
  }
}

/// Leaves out creases along no side of any face.
void filterCreases(const Context& context, const ControlMesh& mesh, SubdivRules& rules) {
  if (rules.creaseSharpness.empty()) return;
  const auto key = [](int a, int b) { return std::pair(std::min(a, b), std::max(a, b)); };
  std::vector<std::pair<int, int>> sides;
  for (int f = 0; f < static_cast<int>(mesh.sourceFace.size()); ++f)
    for (int k = 0; k < mesh.size(f); ++k) sides.push_back(key(mesh.vertex(f, k), mesh.vertex(f, k + 1)));
  std::sort(sides.begin(), sides.end());
  size_t kept = 0;
  for (size_t k = 0; k < rules.creaseSharpness.size(); ++k) {
    const int a = rules.creasePairs[2 * k], b = rules.creasePairs[2 * k + 1];
    if (!std::binary_search(sides.begin(), sides.end(), key(a, b))) continue;
    rules.creasePairs[2 * kept] = a, rules.creasePairs[2 * kept + 1] = b;
    rules.creaseSharpness[kept++] = rules.creaseSharpness[k];
  }
  if (kept < rules.creaseSharpness.size())
    report(context, "geom-bad-crease",
           format("{}: {} creases run along no side of a face; they are left out", kRequest,
                  rules.creaseSharpness.size() - kept));
  rules.creasePairs.resize(2 * kept);
  rules.creaseSharpness.resize(kept);
}

/// The faces that can be used; the others are counted and reported. keptFace: see applyTag().
std::vector<int> readFaces(const Context& context, SubdivScheme scheme, std::span<const int> counts,
                           std::span<const int> ids, const Positions& positions, ControlMesh& mesh) {
  std::vector<int> keptFace(counts.size(), -1);
  size_t badIndex = 0, badShape = 0, notFinite = 0, noTriangle = 0;
  mesh.firstCorner.push_back(0);
  size_t at = 0;
  for (size_t f = 0; f < counts.size(); at += static_cast<size_t>(counts[f]), ++f) {
    const std::span<const int> face = ids.subspan(at, static_cast<size_t>(counts[f]));
    const auto outside = [&](int v) { return v < 0 || static_cast<size_t>(v) >= positions.items; };
    std::vector<int> sorted(face.begin(), face.end());
    std::sort(sorted.begin(), sorted.end());
    if (std::any_of(face.begin(), face.end(), outside)) {
      ++badIndex;
    } else if (face.size() < 3 || face.size() > 250 ||
               std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      ++badShape;
    } else if (std::any_of(face.begin(), face.end(), [&](int v) { return positions.bad[static_cast<size_t>(v)]; })) {
      ++notFinite;
    } else if (scheme == SubdivScheme::kLoop && face.size() != 3) {
      ++noTriangle;
    } else {
      keptFace[f] = static_cast<int>(mesh.sourceFace.size());
      mesh.vertices.insert(mesh.vertices.end(), face.begin(), face.end());
      mesh.firstCorner.push_back(static_cast<int>(mesh.vertices.size()));
      mesh.sourceFace.push_back(static_cast<int>(f));
      mesh.sourceCorner.push_back(static_cast<int>(at));
    }
  }
  if (badIndex > 0)
    report(context, "geom-bad-index",
           format("{}: {} faces name a vertex outside of the {} given; they are left out", kRequest, badIndex,
                  positions.items));
  if (badShape > 0)
    report(context, "geom-bad-face",
           format("{}: {} faces have fewer than 3 or more than 250 corners, or a vertex twice; they are left out",
                  kRequest, badShape));
  if (noTriangle > 0)
    report(context, "geom-bad-face",
           format("{}: scheme \"loop\" takes triangles alone; {} other faces are left out", kRequest, noTriangle));
  reportDropped(context, kRequest, notFinite);
  return keptFace;
}

/// Homogeneous control points are projected: limits are taken of ordinary points.
void dropWeights(Positions& p) {
  if (p.width == 3) return;
  for (std::vector<float>& key : p.keys) {
    for (size_t i = 0; i < p.items; ++i)
      for (size_t c = 0; c < 3; ++c) key[i * 3 + c] = key[i * 4 + c] / key[i * 4 + 3];
    key.resize(p.items * 3);
  }
  p.width = 3;
}

SubdivScheme readScheme(const Context& context, const std::string& name) {
  if (name == "loop") return SubdivScheme::kLoop;
  if (name == "bilinear") return SubdivScheme::kBilinear;
  if (name != "catmull-clark" && name != "catmark")
    report(context, "geom-unsupported-scheme",
           format("{}: scheme \"{}\" is not known; catmull-clark is used", kRequest, name));
  return SubdivScheme::kCatmullClark;
}

void warnAboutMesh(const Context& context, const SubdivBuilt& built) {
  if (!context.diag) return;
  if (built.nonManifoldEdges + built.nonManifoldVertices > 0)
    context.diag->warning("geom-non-manifold", context.loc,
                          format("{}: {} edges have more than two faces or faces that run the same way, {} vertices "
                                 "join surfaces that meet nowhere else; the surface is sharp there",
                                 kRequest, built.nonManifoldEdges, built.nonManifoldVertices));
  if (!built.drawable)
    context.diag->warning(
        "geom-degenerate", context.loc,
        format("{}: no face is left to draw (faces at a boundary are drawn with tag \"interpolateboundary\" only)",
               kRequest));
}

}  // namespace

GeometryPtr makeSubdivision(const Context& context, const std::string& scheme, std::span<const int> vertexCounts,
                            std::span<const int> vertices, const SubdivTags& tags, Keys keys) {
  size_t corners = 0;
  bool negative = false;
  for (const int n : vertexCounts) negative = negative || n < 0, corners += static_cast<size_t>(std::max(0, n));
  if (negative || corners > vertices.size()) {
    report(context, "geom-bad-count",
           format("{}: the faces ask for {} vertices, {} given; nothing is drawn", kRequest, corners, vertices.size()));
    return nullptr;
  }
  SubdivRules rules;
  rules.scheme = readScheme(context, scheme);
  std::optional<Positions> positions = readPositions(context, keys, 1, false, kRequest);
  if (!positions) return nullptr;
  dropWeights(*positions);

  ControlMesh mesh;
  mesh.vertexCount = static_cast<int>(positions->items);
  const std::vector<int> keptFace = readFaces(context, rules.scheme, vertexCounts, vertices, *positions, mesh);
  if (mesh.sourceFace.empty()) return nullptr;
  ClassCounts counts;
  counts.uniform = vertexCounts.size();
  counts.varying = counts.vertex = positions->items;
  counts.faceVarying = corners;
  SubdivData data;
  data.primvars = readPrimvars(keys[0], counts, context.diag, context.loc, kRequest);
  data.positions = std::move(positions->keys);
  readTags(context, tags, mesh.vertexCount, keptFace, rules);
  filterCreases(context, mesh, rules);
  const SubdivBuilt built = buildSubdiv(rules, mesh, context.subdivCache, data);
  warnAboutMesh(context, built);
  if (!built.drawable) return nullptr;
  return std::make_shared<SubdivGeometry>(std::move(data), context.st);
}

}  // namespace reyes::geom
