// SPDX-License-Identifier: Apache-2.0
#include "reyes/rib/special_requests.h"

#include <algorithm>
#include <limits>

#include "reyes/base/format.h"
#include "reyes/rib/arguments.h"

namespace reyes::rib::special {
namespace {

template <class... T>
bool readAll(Arguments& arguments, T&... values) {
  return (arguments.read(values) && ...);
}

/// Vertices that the positions of a parameter list describe; 0 and a fault where there are none.
int vertexCount(Arguments& arguments, const ParamList& params) {
  for (const char* name : {"P", "Pw", "Pz"})
    if (const Param* p = params.find(name)) {
      const size_t width = *name == 'P' && name[1] == 'w' ? 4 : name[1] == 'z' ? 1 : 3;
      return static_cast<int>(p->floats.size() / width);
    }
  arguments.fail("rib-missing-P", reyes::format("{} has no \"P\"", arguments.request()));
  return 0;
}

bool readBox(Arguments& arguments, std::vector<float>& box) {
  if (!arguments.read(box)) return false;
  if (box.size() == 6) return true;
  return arguments.fail("rib-bad-count",
                        reyes::format("{}: a box has 6 numbers, not {}", arguments.request(), box.size()));
}

/// True where the subdivision tags are next: an array, or a bare string that names a tag rather than a parameter.
bool tagsFollow(Arguments& arguments) {
  if (arguments.nextIs(TokenKind::kOpen)) return true;
  if (!arguments.nextIs(TokenKind::kString)) return false;
  const std::string& text = arguments.peek().text;
  for (const char* tag : {"hole", "crease", "corner", "interpolateboundary", "facevaryinginterpolateboundary",
                          "facevaryingpropagatecorners", "creasemethod", "smoothtriangles", "vertexedit"})
    if (text == tag) return true;
  return false;
}

struct Subdivision {
  std::string scheme;
  std::vector<int> counts, vertices, argCounts, ints;
  std::vector<std::string> tags, strings;
  std::vector<float> floats;
  ParamList params;
};

/// Both kinds of subdivision mesh; `perTag` argument counts a tag (2, or 3 with strings).
bool readSubdivision(Arguments& arguments, Subdivision& s, size_t perTag) {
  if (!readAll(arguments, s.scheme, s.counts, s.vertices)) return false;
  if (tagsFollow(arguments)) {
    if (!readAll(arguments, s.tags, s.argCounts, s.ints, s.floats)) return false;
    if (perTag == 3 && !arguments.read(s.strings)) return false;
  }
  if (!arguments.read(s.params) || !arguments.finish()) return false;

  // The counts must describe just the arguments that are there.
  size_t used[3] = {0, 0, 0};
  for (size_t i = 0; i < s.argCounts.size(); ++i) used[i % perTag] += static_cast<size_t>(std::max(0, s.argCounts[i]));
  const bool negative = std::any_of(s.argCounts.begin(), s.argCounts.end(), [](int n) { return n < 0; });
  if (!negative && s.argCounts.size() == perTag * s.tags.size() && used[0] <= s.ints.size() &&
      used[1] <= s.floats.size() && used[2] <= s.strings.size())
    return true;
  return arguments.fail("rib-bad-count", reyes::format("{}: its {} tags do not match their argument counts",
                                                       arguments.request(), s.tags.size()));
}

bool errorStyle(Arguments& arguments, Ri& ri, const char* style) {
  if (!arguments.finish()) return false;
  ri.errorHandler(style);
  return true;
}

}  // namespace

bool declare(Arguments& arguments, Ri& ri) {
  std::string name, declaration;
  if (!readAll(arguments, name, declaration) || !arguments.finish()) return false;
  if (!arguments.declarations().declare(name, declaration))
    return arguments.fail("rib-bad-declaration",
                          reyes::format("\"{}\" is no declaration of \"{}\"", declaration, name));
  arguments.forgetSpecs();
  ri.declare(name, declaration);
  return true;
}

bool format(Arguments& arguments, Ri& ri) {
  int x = 0, y = 0;
  float aspect = 1;
  if (!readAll(arguments, x, y)) return false;
  if (arguments.nextIs(TokenKind::kNumber) && !arguments.read(aspect)) return false;
  if (!arguments.finish()) return false;
  ri.format(x, y, aspect);
  return true;
}

bool depthOfField(Arguments& arguments, Ri& ri) {
  float fStop = std::numeric_limits<float>::infinity(), length = 1, distance = 1;
  const bool pinhole = !arguments.nextIs(TokenKind::kNumber) && !arguments.nextIs(TokenKind::kOpen);
  if (!pinhole && !readAll(arguments, fStop, length, distance)) return false;
  if (!arguments.finish()) return false;
  ri.depthOfField(fStop, length, distance);
  return true;
}

bool bound(Arguments& arguments, Ri& ri) {
  std::vector<float> box;
  if (!readBox(arguments, box) || !arguments.finish()) return false;
  ri.bound(box);
  return true;
}

bool detail(Arguments& arguments, Ri& ri) {
  std::vector<float> box;
  if (!readBox(arguments, box) || !arguments.finish()) return false;
  ri.detail(box);
  return true;
}

bool polygon(Arguments& arguments, Ri& ri) {
  ParamList params;
  if (!arguments.read(params) || !arguments.finish()) return false;
  const int count = vertexCount(arguments, params);
  if (count > 0) ri.polygon(count, params);
  return true;
}

bool points(Arguments& arguments, Ri& ri) {
  ParamList params;
  // RenderMan 3.1 gave the number of points first.
  int given = 0;
  if (arguments.nextIs(TokenKind::kNumber) && !arguments.read(given)) return false;
  if (!arguments.read(params) || !arguments.finish()) return false;
  const int count = vertexCount(arguments, params);
  if (count > 0) ri.points(count, params);
  return true;
}

bool patchMesh(Arguments& arguments, Ri& ri) {
  std::string type, wraps[2];
  int n[2] = {0, 0};
  ParamList params;
  if (!readAll(arguments, type, n[0], wraps[0], n[1], wraps[1], params) || !arguments.finish()) return false;
  for (std::string& wrap : wraps)
    if (wrap == "nowrap") wrap = "nonperiodic";  // an older exporter's word
  ri.patchMesh(type, n[0], wraps[0], n[1], wraps[1], params);
  return true;
}

bool subdivisionMesh(Arguments& arguments, Ri& ri) {
  Subdivision s;
  if (!readSubdivision(arguments, s, 2)) return false;
  ri.subdivisionMesh(s.scheme, s.counts, s.vertices, s.tags, s.argCounts, s.ints, s.floats, s.params);
  return true;
}

bool hierarchicalSubdivisionMesh(Arguments& arguments, Ri& ri) {
  Subdivision s;
  if (!readSubdivision(arguments, s, 3)) return false;
  ri.hierarchicalSubdivisionMesh(s.scheme, s.counts, s.vertices, s.tags, s.argCounts, s.ints, s.floats, s.strings,
                                 s.params);
  return true;
}

bool blobby(Arguments& arguments, Ri& ri) {
  int leaves = 0;
  std::vector<int> code;
  std::vector<float> floats;
  std::vector<std::string> strings;
  ParamList params;
  if (!readAll(arguments, leaves, code, floats)) return false;
  // The strings are often left out where there are none.
  if (arguments.nextIs(TokenKind::kOpen) && !arguments.read(strings)) return false;
  if (!arguments.read(params) || !arguments.finish()) return false;
  ri.blobby(leaves, code, floats, strings, params);
  return true;
}

bool procedural(Arguments& arguments, Ri& ri) {
  std::string type;
  std::vector<std::string> args;
  std::vector<float> box;
  if (!readAll(arguments, type, args) || !readBox(arguments, box) || !arguments.finish()) return false;
  ri.procedural(type, args, box);
  return true;
}

bool makeCubeFaceEnvironment(Arguments& arguments, Ri& ri) {
  std::vector<std::string> faces(6);
  std::string texture;
  float fov = 90;
  FilterArg filter;
  ParamList params;
  for (std::string& face : faces)
    if (!arguments.read(face)) return false;
  if (!readAll(arguments, texture, fov, filter, params) || !arguments.finish()) return false;
  ri.makeCubeFaceEnvironment(faces, texture, fov, filter, params);
  return true;
}

bool archiveRecord(Arguments& arguments, Ri& ri) {
  std::string type, text;
  if (!readAll(arguments, type, text) || !arguments.finish()) return false;
  ri.archiveRecord(type, text);
  return true;
}

bool unsupported(Arguments& arguments, Ri& ri) {
  ParamList params;
  if (!arguments.readRest(params) || !arguments.finish()) return false;
  ri.unsupported(arguments.request(), params);
  return true;
}

bool errorAbort(Arguments& arguments, Ri& ri) { return errorStyle(arguments, ri, "abort"); }
bool errorIgnore(Arguments& arguments, Ri& ri) { return errorStyle(arguments, ri, "ignore"); }
bool errorPrint(Arguments& arguments, Ri& ri) { return errorStyle(arguments, ri, "print"); }

}  // namespace reyes::rib::special
