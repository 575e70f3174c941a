// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/subdiv_build.h"

#include <opensubdiv/far/patchTableFactory.h>
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/ptexIndices.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefinerFactory.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace reyes::geom {
namespace {

namespace Far = OpenSubdiv::Far;
namespace Sdc = OpenSubdiv::Sdc;
using Refiner = Far::TopologyRefiner;
using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;

/// How deep extraordinary vertices, and semi-sharp creases, are isolated before Gregory patches take over.
constexpr int kSmoothLevel = 4, kSharpLevel = 8;

template <int N>
struct Values {
  float v[N];
  void Clear(void* = nullptr) { std::fill_n(v, N, 0.0f); }
  void AddWithWeight(const Values& o, float w) {
    for (int c = 0; c < N; ++c) v[c] += o.v[c] * w;
  }
};

/// A facevarying primvar's own topology: corners of a vertex with equal values share one.
struct FaceVaryingTopology {
  size_t primvar = 0;
  std::vector<int> indices;   ///< a corner of the mesh
  std::vector<float> values;  ///< width floats each
  int count = 0;
};

FaceVaryingTopology weld(const ControlMesh& mesh, const PrimvarData& data, size_t primvar) {
  FaceVaryingTopology t;
  t.primvar = primvar;
  const size_t width = static_cast<size_t>(data.spec.width());
  std::vector<int> firstOfVertex(static_cast<size_t>(mesh.vertexCount), -1), next;
  for (size_t f = 0; f < mesh.sourceFace.size(); ++f)
    for (int k = 0; k < mesh.size(static_cast<int>(f)); ++k) {
      const float* value = &data.values[static_cast<size_t>(mesh.sourceCorner[f] + k) * width];
      int& first = firstOfVertex[static_cast<size_t>(mesh.vertex(static_cast<int>(f), k))];
      int found = first;
      while (found >= 0 && !std::equal(value, value + width, &t.values[static_cast<size_t>(found) * width]))
        found = next[static_cast<size_t>(found)];
      if (found < 0) {
        found = t.count++;
        t.values.insert(t.values.end(), value, value + width);
        next.push_back(first);
        first = found;
      }
      t.indices.push_back(found);
    }
  return t;
}

Sdc::Options schemeOptions(const SubdivRules& rules) {
  Sdc::Options o;
  o.SetVtxBoundaryInterpolation(rules.boundary == 0   ? Sdc::Options::VTX_BOUNDARY_NONE
                                : rules.boundary == 2 ? Sdc::Options::VTX_BOUNDARY_EDGE_ONLY
                                                      : Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
  o.SetFVarLinearInterpolation(rules.faceVaryingBoundary == 3   ? Sdc::Options::FVAR_LINEAR_ALL
                               : rules.faceVaryingBoundary != 1 ? Sdc::Options::FVAR_LINEAR_NONE
                               : rules.propagateCorners         ? Sdc::Options::FVAR_LINEAR_CORNERS_PLUS2
                                                                : Sdc::Options::FVAR_LINEAR_CORNERS_PLUS1);
  o.SetCreasingMethod(Sdc::Options::CREASE_UNIFORM);
  o.SetTriangleSubdivision(rules.smoothTriangles ? Sdc::Options::TRI_SUB_SMOOTH : Sdc::Options::TRI_SUB_CATMARK);
  return o;
}

std::unique_ptr<Refiner> makeRefiner(const SubdivRules& rules, const ControlMesh& mesh,
                                     const std::vector<FaceVaryingTopology>& channels) {
  std::vector<int> counts;
  for (int f = 0; f < static_cast<int>(mesh.sourceFace.size()); ++f) counts.push_back(mesh.size(f));
  std::vector<Far::TopologyDescriptor::FVarChannel> fvar(channels.size());
  for (size_t i = 0; i < channels.size(); ++i)
    fvar[i].numValues = channels[i].count, fvar[i].valueIndices = channels[i].indices.data();
  Far::TopologyDescriptor d;
  d.numVertices = mesh.vertexCount;
  d.numFaces = static_cast<int>(counts.size());
  d.numVertsPerFace = counts.data();
  d.vertIndicesPerFace = mesh.vertices.data();
  d.numCreases = static_cast<int>(rules.creaseSharpness.size());
  d.creaseVertexIndexPairs = rules.creasePairs.data();
  d.creaseWeights = rules.creaseSharpness.data();
  d.numCorners = static_cast<int>(rules.corners.size());
  d.cornerVertexIndices = rules.corners.data();
  d.cornerWeights = rules.cornerSharpness.data();
  d.numHoles = static_cast<int>(rules.holes.size());
  d.holeIndices = rules.holes.data();
  d.numFVarChannels = static_cast<int>(fvar.size());
  d.fvarChannels = fvar.data();
  const Sdc::SchemeType scheme = Sdc::SCHEME_CATMARK;
  return std::unique_ptr<Refiner>(Factory::Create(d, Factory::Options(scheme, schemeOptions(rules))));
}

/// Values of the control mesh taken through all levels and on to the patches' own points, N components from `first`.
template <int N>
void refineComponents(const Refiner& refiner, const Far::PatchTable& table, int channel, const std::vector<float>& in,
                      int width, int first, std::vector<float>& out) {
  const int base = channel < 0 ? refiner.GetLevel(0).GetNumVertices() : refiner.GetLevel(0).GetNumFVarValues(channel);
  const int total = channel < 0 ? refiner.GetNumVerticesTotal() : refiner.GetNumFVarValuesTotal(channel);
  const int local = channel < 0 ? table.GetNumLocalPoints() : table.GetNumLocalPointsFaceVarying(channel);
  std::vector<Values<N>> buffer(static_cast<size_t>(total + local));
  for (int i = 0; i < base; ++i)
    for (int c = 0; c < N; ++c) buffer[static_cast<size_t>(i)].v[c] = in[static_cast<size_t>(i * width + first + c)];
  Values<N>* source = buffer.data();
  const Far::PrimvarRefiner primvars(refiner);
  for (int level = 1; level <= refiner.GetMaxLevel(); ++level) {
    const Far::TopologyLevel& l = refiner.GetLevel(level - 1);
    Values<N>* target = source + (channel < 0 ? l.GetNumVertices() : l.GetNumFVarValues(channel));
    if (channel < 0)
      primvars.Interpolate(level, source, target);
    else
      primvars.InterpolateFaceVarying(level, source, target, channel);
    source = target;
  }
  if (local > 0) {
    if (channel < 0)
      table.ComputeLocalPointValues(buffer.data(), buffer.data() + total);
    else
      table.ComputeLocalPointValuesFaceVarying(buffer.data(), buffer.data() + total, channel);
  }
  for (size_t i = 0; i < buffer.size(); ++i)
    for (int c = 0; c < N; ++c)
      out[i * static_cast<size_t>(width) + static_cast<size_t>(first + c)] = buffer[i].v[c] + 0.0f;
}

std::vector<float> refine(const Refiner& refiner, const Far::PatchTable& table, int channel,
                          const std::vector<float>& in, int width) {
  const int points = channel < 0 ? refiner.GetNumVerticesTotal() + table.GetNumLocalPoints()
                                 : refiner.GetNumFVarValuesTotal(channel) + table.GetNumLocalPointsFaceVarying(channel);
  std::vector<float> out(static_cast<size_t>(points) * static_cast<size_t>(width));
  int c = 0;
  for (; c + 3 <= width; c += 3) refineComponents<3>(refiner, table, channel, in, width, c, out);
  for (; c < width; ++c) refineComponents<1>(refiner, table, channel, in, width, c, out);
  return out;
}

/// The patches of one topology, in order of the geometry's faces. faceOfPtex maps ptex faces to them, -1: none.
PatchSet collect(const Far::PatchTable& table, int channel, const std::vector<int>& faceOfPtex, int faces) {
  PatchSet set;
  set.faceFirst.assign(static_cast<size_t>(faces) + 1, 0);
  const auto forEach = [&](auto&& visit) {
    for (int array = 0; array < table.GetNumPatchArrays(); ++array)
      for (int patch = 0; patch < table.GetNumPatches(array); ++patch) {
        const Far::PatchParam where = table.GetPatchParam(array, patch);
        const int face = faceOfPtex[static_cast<size_t>(where.GetFaceId())];
        if (face >= 0) visit(array, patch, where, static_cast<size_t>(face));
      }
  };
  forEach([&](int, int, const Far::PatchParam&, size_t face) { ++set.faceFirst[face + 1]; });
  for (size_t f = 1; f < set.faceFirst.size(); ++f) set.faceFirst[f] += set.faceFirst[f - 1];
  std::vector<uint32_t> fill(set.faceFirst.begin(), set.faceFirst.end() - 1);
  set.patches.resize(set.faceFirst.back());
  forEach([&](int array, int patch, const Far::PatchParam& where, size_t face) {
    const Far::PatchParam param = channel < 0 ? where : table.GetPatchFVarPatchParam(array, patch, channel);
    const Far::ConstIndexArray cvs =
        channel < 0 ? table.GetPatchVertices(array, patch) : table.GetPatchFVarValues(array, patch, channel);
    SubPatch s;
    s.first = static_cast<uint32_t>(set.indices.size());
    s.size = where.GetParamFraction();
    s.u0 = static_cast<float>(where.GetU()) * s.size, s.v0 = static_cast<float>(where.GetV()) * s.size;
    s.gregory = channel < 0 ? table.GetPatchArrayDescriptor(array).GetType() == Far::PatchDescriptor::GREGORY_BASIS
                            : !param.IsRegular();
    s.boundary = static_cast<uint8_t>(param.GetBoundary());
    const int points = s.gregory ? 20 : 16;
    for (int k = 0; k < points; ++k) set.indices.push_back(cvs[k]);
    set.patches[fill[face]++] = s;
  });
  return set;
}

/// Faces of the geometry in control order, holes left out, and where each ptex face went.
std::vector<int> listFaces(const Refiner& refiner, SubdivData& data) {
  const Far::PtexIndices ptex(refiner);
  std::vector<int> faceOfPtex(static_cast<size_t>(ptex.GetNumFaces()), -1);
  for (int f = 0; f < static_cast<int>(data.mesh.sourceFace.size()); ++f) {
    if (refiner.GetLevel(0).IsFaceHole(f)) continue;
    const int n = data.mesh.size(f), first = ptex.GetFaceId(f);
    for (int k = 0; k < (n == 4 ? 1 : n); ++k) {
      faceOfPtex[static_cast<size_t>(first + k)] = static_cast<int>(data.faces.size());
      data.faces.push_back({f, n == 4 ? -1 : k});
    }
  }
  return faceOfPtex;
}

bool isSmooth(const PrimvarData& d) {
  return d.spec.storage == Storage::kFaceVarying || d.spec.storage == Storage::kFaceVertex;
}

}  // namespace

bool buildSubdiv(const SubdivRules& rules, SubdivData& data) {
  std::vector<FaceVaryingTopology> channels;
  for (size_t k = 0; k < data.primvars.size(); ++k)
    if (isSmooth(data.primvars[k]) && rules.faceVaryingBoundary != 3 && data.primvars[k].spec.type != Type::kString)
      channels.push_back(weld(data.mesh, data.primvars[k], k));
  const std::unique_ptr<Refiner> refiner = makeRefiner(rules, data.mesh, channels);
  if (!refiner) return false;

  // Edges of the control mesh by their numbers there.
  ControlMesh& mesh = data.mesh;
  const Far::TopologyLevel& base = refiner->GetLevel(0);
  mesh.edgeCount = base.GetNumEdges();
  mesh.edges.resize(mesh.vertices.size());
  for (int f = 0; f < base.GetNumFaces(); ++f) {
    const Far::ConstIndexArray edges = base.GetFaceEdges(f);
    for (int k = 0; k < edges.size(); ++k) mesh.edges[static_cast<size_t>(mesh.corner(f, k))] = edges[k];
  }
  const std::vector<int> faceOfPtex = listFaces(*refiner, data);
  if (data.faces.empty()) return false;

  // Patches.
  const bool semiSharp =
      std::any_of(rules.creaseSharpness.begin(), rules.creaseSharpness.end(),
                  [](float s) { return s > 0 && s < 10; }) ||
      std::any_of(rules.cornerSharpness.begin(), rules.cornerSharpness.end(), [](float s) { return s > 0 && s < 10; });
  Far::PatchTableFactory::Options options(semiSharp ? kSharpLevel : kSmoothLevel);
  options.SetEndCapType(Far::PatchTableFactory::Options::ENDCAP_GREGORY_BASIS);
  options.useInfSharpPatch = true;
  options.generateVaryingTables = false;
  options.generateVaryingLocalPoints = false;
  options.generateFVarTables = !channels.empty();
  options.generateFVarLegacyLinearPatches = false;
  options.generateLegacySharpCornerPatches = false;
  Refiner::AdaptiveOptions adaptive = options.GetRefineAdaptiveOptions();
  adaptive.SetSecondaryLevel(kSmoothLevel);
  refiner->RefineAdaptive(adaptive);
  const std::unique_ptr<Far::PatchTable> table(Far::PatchTableFactory::Create(*refiner, options));
  if (!table) return false;
  const int faces = static_cast<int>(data.faces.size());
  data.sets.push_back(collect(*table, -1, faceOfPtex, faces));
  for (int f = 0; f < faces; ++f)
    if (data.sets[0].of(f).empty()) return false;

  // Control values of positions and of smooth primvars.
  for (std::vector<float>& key : data.positions) key = refine(*refiner, *table, -1, key, 3);
  data.smooth.resize(data.primvars.size());
  for (size_t k = 0; k < data.primvars.size(); ++k) {
    const PrimvarData& d = data.primvars[k];
    if (d.spec.storage != Storage::kVertex || d.spec.type == Type::kString) continue;
    data.smooth[k].patchSet = 0;
    data.smooth[k].values = refine(*refiner, *table, -1, d.values, d.spec.width());
  }
  for (size_t c = 0; c < channels.size(); ++c) {
    SmoothPrimvar& s = data.smooth[channels[c].primvar];
    s.patchSet = static_cast<int>(data.sets.size());
    data.sets.push_back(collect(*table, static_cast<int>(c), faceOfPtex, faces));
    s.values = refine(*refiner, *table, static_cast<int>(c), channels[c].values,
                      data.primvars[channels[c].primvar].spec.width());
  }
  return true;
}

}  // namespace reyes::geom
