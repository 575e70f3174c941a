// SPDX-License-Identifier: Apache-2.0
// A depth map and percentage-closer filtering on it (Reeves, Salesin and Cook, SIGGRAPH 1987); of one view or of the
// six of a cube. Its depths come in strips of rows, which are read from the file when they are asked for and may go
// again (map_memory.h); what stays is the least and the greatest depth of every block.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "reyes/texture/map_memory.h"
#include "reyes/texture/shadow_map.h"
#include "reyes/texture/shadow_view.h"

namespace reyes::texture {

class ZMap final : public ShadowMap {
 public:
  /// Strips of `stripBytes`: small enough to be one of many, large enough that few areas reach into two.
  explicit ZMap(MapMemory& memory, int stripBytes = 1 << 20) : memory_(memory), stripBytes_(stripBytes) {}
  ~ZMap() override;
  ZMap(const ZMap&) = delete;
  ZMap& operator=(const ZMap&) = delete;

  /// Takes an EXR, or another picture, with a Z channel (or one channel alone) and its matrices, reading all of it
  /// once; error text or "".
  std::string open(const std::string& path);

  int look(const ShadowBatch& batch, const ShadowOptions& options, int channels, float* const* out) const override;
  int width() const override { return views_.faces()[0].display.width(); }
  int height() const override { return views_.faces()[0].display.height(); }
  int channels() const override { return 1; }
  const Matrix4& worldToCamera() const override { return views_.faces()[0].camera; }
  const Matrix4& worldToNdc() const override { return views_.faces()[0].ndc; }
  std::string error() const override;

 private:
  /// Rows of a face, and one depth more: what lies outside.
  struct Strip {
    std::vector<float> z;
  };
  /// The strips that a look-up has asked for: they stay until it is over.
  class Hand;
  /// Least and greatest depth of blocks of a face.
  struct Blocks {
    int across = 0;
    std::vector<float> least, greatest;
  };
  std::string readBlocks();
  std::shared_ptr<const Strip> strip(size_t face, int number) const;
  std::string load(size_t face, int number, Strip& to) const;
  int stripsOf() const { return (faceHeight() + stripRows_ - 1) / stripRows_; }
  int faceWidth() const { return views_.faces()[0].window.width(); }
  int faceHeight() const { return views_.faces()[0].window.height(); }
  void addBlocks(size_t face, int firstRow, const Strip& strip);
  bool blockRange(const ShadowArea& area, float& least, float& greatest) const;
  float occlusion(const ShadowArea& area, const ShadowPattern& pattern, uint32_t seed, const ShadowKernels& kernels,
                  Hand& hand) const;
  int darkAnywhere(const ShadowArea& area, const ShadowPattern& pattern, uint32_t seed, const ShadowKernels& kernels,
                   Hand& hand) const;

  static constexpr int kBlock = 8;
  MapMemory& memory_;
  const int stripBytes_;
  ShadowViews views_;
  std::string path_, channel_;
  bool rows_ = false;                          ///< the file can be read by rows
  int fileTop_ = 0;                            ///< its first row
  int stripRows_ = 1;                          ///< a multiple of kBlock, or all
  mutable std::deque<MapMemory::Page> pages_;  ///< face by face
  std::vector<Blocks> blocks_;
  int64_t fixedBytes_ = 0;
  mutable std::mutex errorMutex_;
  mutable std::string error_;
};

/// Strata for so many samples, as near a square as they come.
struct ShadowStrata {
  explicit ShadowStrata(int samples);
  ShadowPattern pattern() const { return {static_cast<int>(s.size()), s.data(), t.data(), stepS, stepT}; }
  std::vector<float> s, t;
  float stepS = 1, stepT = 1;
};

}  // namespace reyes::texture
