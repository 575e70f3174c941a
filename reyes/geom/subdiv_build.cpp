// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/subdiv_build.h"

#include <opensubdiv/far/patchTableFactory.h>
#include <opensubdiv/far/ptexIndices.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefinerFactory.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "reyes/geom/subdiv_patches.h"
#include "reyes/geom/subdiv_refinery.h"

namespace reyes::geom {
namespace {

namespace Sdc = OpenSubdiv::Sdc;
using Refiner = Far::TopologyRefiner;
using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;

/// How deep extraordinary vertices, semi-sharp creases, and the ends of sharp ones, where the limit converges slowest,
/// are isolated before Gregory patches take over: 1e-5 of the mesh's size from the limit.
constexpr int kSmoothLevel = 4, kSharpLevel = 8, kDartLevel = 10;

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
  o.SetFVarLinearInterpolation(rules.faceVaryingBoundary == 0   ? Sdc::Options::FVAR_LINEAR_ALL
                               : rules.faceVaryingBoundary == 2 ? Sdc::Options::FVAR_LINEAR_NONE
                               : rules.faceVaryingBoundary == 3 ? Sdc::Options::FVAR_LINEAR_BOUNDARIES
                               : rules.propagateCorners         ? Sdc::Options::FVAR_LINEAR_CORNERS_PLUS2
                                                                : Sdc::Options::FVAR_LINEAR_CORNERS_PLUS1);
  o.SetCreasingMethod(rules.chaikin ? Sdc::Options::CREASE_CHAIKIN : Sdc::Options::CREASE_UNIFORM);
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
  const Sdc::SchemeType scheme = rules.scheme == SubdivScheme::kLoop       ? Sdc::SCHEME_LOOP
                                 : rules.scheme == SubdivScheme::kBilinear ? Sdc::SCHEME_BILINEAR
                                                                           : Sdc::SCHEME_CATMARK;
  return std::unique_ptr<Refiner>(Factory::Create(d, Factory::Options(scheme, schemeOptions(rules))));
}

/// Faces of the geometry in control order, holes left out, and where each ptex face went. Quads are one face, but for
/// those of Loop surfaces (there are none).
std::vector<int> listFaces(const Refiner& refiner, SubdivTopology& topology) {
  const Far::PtexIndices ptex(refiner);
  std::vector<int> faceOfPtex(static_cast<size_t>(ptex.GetNumFaces()), -1);
  const bool loop = refiner.GetSchemeType() == Sdc::SCHEME_LOOP;
  for (int f = 0; f < static_cast<int>(topology.mesh.sourceFace.size()); ++f) {
    if (refiner.GetLevel(0).IsFaceHole(f)) continue;
    const int n = topology.mesh.size(f), first = ptex.GetFaceId(f);
    for (int k = 0; k < (n == 4 ? 1 : n); ++k) {
      if (!loop || k == 0) faceOfPtex[static_cast<size_t>(first + k)] = static_cast<int>(topology.faces.size());
      topology.faces.push_back({f, n == 4 ? -1 : k});
    }
  }
  return faceOfPtex;
}

bool isSmooth(const PrimvarData& d) {
  return d.spec.storage == Storage::kFaceVarying || d.spec.storage == Storage::kFaceVertex;
}

bool semiSharp(const SubdivRules& rules) {
  const auto soft = [](float s) { return s > 0 && s < 10; };
  return std::any_of(rules.creaseSharpness.begin(), rules.creaseSharpness.end(), soft) ||
         std::any_of(rules.cornerSharpness.begin(), rules.cornerSharpness.end(), soft);
}

/// True where a crease ends at a vertex that nothing else makes sharp: there the surface turns from one into two.
bool hasDarts(const SubdivRules& rules) {
  std::map<int, int> sharpEdges;
  for (const int v : rules.creasePairs) ++sharpEdges[v];
  return std::any_of(sharpEdges.begin(), sharpEdges.end(), [](const auto& v) { return v.second == 1; });
}

/// Edges of the control mesh by their numbers in the refiner, and how many of its parts are not manifold.
void readBase(SubdivTopology& topology, SubdivRefinery& refinery) {
  ControlMesh& mesh = topology.mesh;
  const Far::TopologyLevel& base = refinery.refiner->GetLevel(0);
  mesh.edgeCount = base.GetNumEdges();
  mesh.edges.resize(mesh.vertices.size());
  for (int f = 0; f < base.GetNumFaces(); ++f) {
    const Far::ConstIndexArray edges = base.GetFaceEdges(f);
    for (int k = 0; k < edges.size(); ++k) mesh.edges[static_cast<size_t>(mesh.corner(f, k))] = edges[k];
  }
  for (int e = 0; e < base.GetNumEdges(); ++e) refinery.nonManifoldEdges += base.IsEdgeNonManifold(e);
  for (int v = 0; v < base.GetNumVertices(); ++v)
    if (base.GetVertexFaces(v).size() > 0) refinery.nonManifoldVertices += base.IsVertexNonManifold(v);
}

/// Patches of all topologies. False where a face has none.
bool makePatches(const SubdivRules& rules, int channels, const std::vector<int>& faceOfPtex, SubdivTopology& topology,
                 SubdivRefinery& refinery) {
  if (rules.scheme == SubdivScheme::kBilinear) {
    topology.sets.push_back(bilinearPatches(topology));
    return true;
  }
  Far::PatchTableFactory::Options options(hasDarts(rules) ? kDartLevel : semiSharp(rules) ? kSharpLevel : kSmoothLevel);
  options.SetEndCapType(Far::PatchTableFactory::Options::ENDCAP_GREGORY_BASIS);
  options.useInfSharpPatch = true;
  options.generateVaryingTables = false;
  options.generateVaryingLocalPoints = false;
  options.generateFVarTables = channels > 0;
  options.generateFVarLegacyLinearPatches = false;
  options.generateLegacySharpCornerPatches = false;
  Refiner::AdaptiveOptions adaptive = options.GetRefineAdaptiveOptions();
  // Ends of creases count as smooth, and converge slowest of all.
  adaptive.SetSecondaryLevel(hasDarts(rules) ? kDartLevel : kSmoothLevel);
  refinery.refiner->RefineAdaptive(adaptive);
  refinery.table.reset(Far::PatchTableFactory::Create(*refinery.refiner, options));
  if (!refinery.table) return false;
  const int faces = static_cast<int>(topology.faces.size()), perPtex = rules.scheme == SubdivScheme::kLoop ? 3 : 1;
  for (int channel = -1; channel < channels; ++channel)
    topology.sets.push_back(collectPatches(*refinery.table, channel, faceOfPtex, perPtex, faces));
  for (int f = 0; f < faces; ++f)
    if (topology.sets[0].of(f).empty()) return false;
  return true;
}

/// All that topology depends on, as numbers.
std::vector<int> keyOf(const SubdivRules& rules, const ControlMesh& mesh,
                       const std::vector<FaceVaryingTopology>& channels) {
  std::vector<int> key = {
      static_cast<int>(rules.scheme), rules.boundary, rules.faceVaryingBoundary, rules.propagateCorners,
      rules.smoothTriangles,          rules.chaikin,  mesh.vertexCount};
  const auto add = [&](const std::vector<int>& list) {
    key.push_back(static_cast<int>(list.size()));
    key.insert(key.end(), list.begin(), list.end());
  };
  const auto addFloats = [&](const std::vector<float>& list) {
    key.push_back(static_cast<int>(list.size()));
    for (const float f : list) {
      int bits;
      std::memcpy(&bits, &f, sizeof bits);
      key.push_back(bits);
    }
  };
  add(rules.creasePairs), addFloats(rules.creaseSharpness);
  add(rules.corners), addFloats(rules.cornerSharpness);
  add(rules.holes);
  add(mesh.firstCorner), add(mesh.vertices), add(mesh.sourceFace), add(mesh.sourceCorner);
  for (const FaceVaryingTopology& c : channels) add(c.indices);
  return key;
}

SubdivCache::Entry makeEntry(const SubdivRules& rules, const ControlMesh& mesh,
                             const std::vector<FaceVaryingTopology>& channels) {
  const auto topology = std::make_shared<SubdivTopology>();
  const auto refinery = std::make_shared<SubdivRefinery>();
  topology->mesh = mesh;
  refinery->mesh = &topology->mesh;
  refinery->refiner = makeRefiner(rules, mesh, channels);
  if (!refinery->refiner) return {};
  readBase(*topology, *refinery);
  const std::vector<int> faceOfPtex = listFaces(*refinery->refiner, *topology);
  if (topology->faces.empty()) return {};
  if (!makePatches(rules, static_cast<int>(channels.size()), faceOfPtex, *topology, *refinery)) return {};
  topology->findOwners();
  return {{}, topology, refinery};
}

}  // namespace

SubdivBuilt buildSubdiv(const SubdivRules& rules, const ControlMesh& mesh, SubdivCache* cache, SubdivData& data) {
  std::vector<FaceVaryingTopology> channels;
  const bool linear = rules.faceVaryingBoundary == 0 || rules.scheme == SubdivScheme::kBilinear;
  for (size_t k = 0; k < data.primvars.size(); ++k)
    if (isSmooth(data.primvars[k]) && !linear && data.primvars[k].spec.type != Type::kString)
      channels.push_back(weld(mesh, data.primvars[k], k));

  // The topology: one that is known, or a new one.
  std::vector<int> key = keyOf(rules, mesh, channels);
  SubdivCache::Entry entry = cache ? cache->find(key) : SubdivCache::Entry();
  if (!entry.topology) {
    entry = makeEntry(rules, mesh, channels);
    if (!entry.topology) return {};
    entry.key = std::move(key);
    if (cache) cache->keep(entry);
  }
  const SubdivRefinery& refinery = *entry.refinery;
  data.topology = entry.topology;

  // Control values of positions and of smooth primvars.
  for (std::vector<float>& k : data.positions) k = refinery.refine(-1, k, 3);
  data.smooth.resize(data.primvars.size());
  for (size_t k = 0; k < data.primvars.size(); ++k) {
    const PrimvarData& d = data.primvars[k];
    if (d.spec.storage != Storage::kVertex || d.spec.type == Type::kString) continue;
    data.smooth[k].patchSet = 0;
    data.smooth[k].values = refinery.refine(-1, d.values, d.spec.width());
  }
  for (size_t c = 0; c < channels.size(); ++c) {
    SmoothPrimvar& s = data.smooth[channels[c].primvar];
    s.patchSet = static_cast<int>(c) + 1;
    s.values =
        refinery.refine(static_cast<int>(c), channels[c].values, data.primvars[channels[c].primvar].spec.width());
  }
  return {true, refinery.nonManifoldEdges, refinery.nonManifoldVertices};
}

}  // namespace reyes::geom
