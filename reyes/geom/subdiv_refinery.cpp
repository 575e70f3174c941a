// SPDX-License-Identifier: Apache-2.0
// Values of a control mesh taken to the points of its patches. Kept for as long as the same topology may come again.
#include <algorithm>

#include "reyes/geom/subdiv_refinery.h"

namespace reyes::geom {
namespace {

template <int N>
struct Values {
  float v[N];
  void Clear(void* = nullptr) { std::fill_n(v, N, 0.0f); }
  void AddWithWeight(const Values& o, float w) {
    for (int c = 0; c < N; ++c) v[c] += o.v[c] * w;
  }
};

/// Values of the control mesh taken through all levels and on to the patches' own points, N components from `first`.
template <int N>
void refineComponents(const Far::TopologyRefiner& refiner, const Far::PatchTable& table, int channel,
                      const std::vector<float>& in, int width, int first, std::vector<float>& out) {
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

}  // namespace

/// The corners of a control mesh, the middles of its edges and faces.
std::vector<float> SubdivRefinery::middles(const std::vector<float>& in, size_t width) const {
  const ControlMesh& m = *mesh;
  std::vector<float> out(in.begin(),
                         in.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(m.vertexCount) * width));
  out.resize((static_cast<size_t>(m.vertexCount + m.edgeCount) + m.sourceFace.size()) * width);
  const auto at = [&](int v, size_t c) -> float& { return out[static_cast<size_t>(v) * width + c]; };
  for (int f = 0; f < static_cast<int>(m.sourceFace.size()); ++f)
    for (size_t c = 0; c < width; ++c) {
      float sum = 0;
      for (int k = 0; k < m.size(f); ++k) {
        at(m.vertexCount + m.edge(f, k), c) = (at(m.vertex(f, k), c) + at(m.vertex(f, k + 1), c)) * 0.5f;
        sum += at(m.vertex(f, k), c);
      }
      at(m.vertexCount + m.edgeCount + f, c) = sum / static_cast<float>(m.size(f));
    }
  return out;
}

std::vector<float> SubdivRefinery::refine(int channel, const std::vector<float>& in, int width) const {
  if (!table) return middles(in, static_cast<size_t>(width));
  const int points = channel < 0
                         ? refiner->GetNumVerticesTotal() + table->GetNumLocalPoints()
                         : refiner->GetNumFVarValuesTotal(channel) + table->GetNumLocalPointsFaceVarying(channel);
  std::vector<float> out(static_cast<size_t>(points) * static_cast<size_t>(width));
  int c = 0;
  for (; c + 3 <= width; c += 3) refineComponents<3>(*refiner, *table, channel, in, width, c, out);
  for (; c < width; ++c) refineComponents<1>(*refiner, *table, channel, in, width, c, out);
  return out;
}

}  // namespace reyes::geom
