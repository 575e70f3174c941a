// SPDX-License-Identifier: Apache-2.0
// The Make requests: maps made of pictures, between the worlds that make and use them.
#include <algorithm>
#include <array>

#include "reyes/base/format.h"
#include "reyes/session/builder.h"
#include "reyes/session/frame_runner.h"
#include "reyes/texture/make_maps.h"
#include "reyes/texture/shadow_map.h"

namespace reyes::session {
namespace {
/// The picture of a Make request: one that this run made, else one of the texture path; its own name where it is
/// nowhere.
std::string pictureFile(Run& run, const SearchPaths& paths, const std::string& name, const SourceLoc& loc) {
  std::string path =
      run.made.count(name) ? name : findFile(name, folderOf(loc.file.str()), paths.texture, paths.dirMap);
  run.need("texture", name, path, loc);
  if (path.empty()) run.missing = true;
  if (path.empty() && run.options.checkOnly)
    run.diag.error("texture-missing", loc, format("picture '{}' is not found", name));
  return path.empty() ? name : path;
}

/// Runs `make` unless nothing is to be made, and tells the texture system.
template <class F>
void makeMap(Run& run, const char* request, const std::string& map, const SourceLoc& loc, const F& make) {
  run.need("output", map, map, loc);
  if (!run.options.checkOnly && !run.options.planOnly && !run.stops()) {
    const std::string error = make();
    if (!error.empty()) run.diag.error("map-not-made", loc, format("{} '{}': {}", request, map, error));
  }
  noteMade(run, map);
}

texture::MapOptions mapOptions(const Run& run, const std::string& sWrap, const std::string& tWrap,
                               const rib::FilterArg& filter) {
  texture::MapOptions o;
  if (!sWrap.empty()) o.sWrap = sWrap;
  if (!tWrap.empty()) o.tWrap = tWrap;
  if (!filter.name.empty()) o.filter = filter.name;
  o.threads = run.options.parallel->threads();
  return o;
}
}  // namespace

void SceneBuilder::makeTexture(const std::string& picture, const std::string& texture, const std::string& sWrap,
                               const std::string& tWrap, const rib::FilterArg& filter, const ParamList& /*params*/) {
  const std::string source = pictureFile(run_, options_.paths, picture, at());
  makeMap(run_, "MakeTexture", texture, at(),
          [&] { return texture::makeTexture(source, texture, mapOptions(run_, sWrap, tWrap, filter)); });
}

void SceneBuilder::makeBump(const std::string& picture, const std::string& texture, const std::string& sWrap,
                            const std::string& tWrap, const rib::FilterArg& filter, const ParamList& /*params*/) {
  const std::string source = pictureFile(run_, options_.paths, picture, at());
  makeMap(run_, "MakeBump", texture, at(),
          [&] { return texture::makeTexture(source, texture, mapOptions(run_, sWrap, tWrap, filter)); });
}

void SceneBuilder::makeLatLongEnvironment(const std::string& picture, const std::string& texture,
                                          const rib::FilterArg& filter, const ParamList& /*params*/) {
  const std::string source = pictureFile(run_, options_.paths, picture, at());
  makeMap(run_, "MakeLatLongEnvironment", texture, at(),
          [&] { return texture::makeLatLong(source, texture, mapOptions(run_, "", "", filter)); });
}

void SceneBuilder::makeCubeFaceEnvironment(rib::Strings faces, const std::string& texture, float fov,
                                           const rib::FilterArg& filter, const ParamList& /*params*/) {
  if (faces.size() != 6) return run_.diag.error("rib-bad-argument", at(), "MakeCubeFaceEnvironment needs six pictures");
  std::array<std::string, 6> sources;
  for (size_t i = 0; i < 6; ++i) sources[i] = pictureFile(run_, options_.paths, faces[i], at());
  makeMap(run_, "MakeCubeFaceEnvironment", texture, at(),
          [&] { return texture::makeCubeFace(sources, texture, fov, mapOptions(run_, "", "", filter)); });
}

void SceneBuilder::makeShadow(const std::string& picture, const std::string& texture, const ParamList& /*params*/) {
  // Six pictures around a point make a cube.
  std::array<std::string, 6> faces;
  size_t count = 0;
  for (size_t begin = 0, end = 0; begin <= picture.size(); begin = end + 1) {
    end = std::min(picture.find(',', begin), picture.size());
    if (count < 6) faces[count] = picture.substr(begin, end - begin);
    ++count;
  }
  if (count == 6) {
    for (std::string& face : faces) face = pictureFile(run_, options_.paths, face, at());
    return makeMap(run_, "MakeShadow", texture, at(), [&] { return texture::makeCubeShadow(faces, texture); });
  }
  const std::string source = pictureFile(run_, options_.paths, picture, at());
  makeMap(run_, "MakeShadow", texture, at(), [&] { return texture::makeShadow(source, texture); });
}

void SceneBuilder::makeOcclusion(rib::Strings /*pictures*/, const std::string& texture, const ParamList& /*params*/) {
  run_.notBuilt(at(), "MakeOcclusion", reyes::format("'{}' is not made", texture));
}

void SceneBuilder::makeBrickMap(rib::Strings /*pictures*/, const std::string& texture, const ParamList& /*params*/) {
  run_.notBuilt(at(), "MakeBrickMap", reyes::format("'{}' is not made", texture));
}

}  // namespace reyes::session
