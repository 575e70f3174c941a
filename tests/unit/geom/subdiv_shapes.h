// SPDX-License-Identifier: Apache-2.0
// Control meshes with what makes subdivision hard: extraordinary vertices of many valences, faces that are no quads,
// creases and corners of every kind, darts, holes, boundaries, fans. Used by tests of geom/ and of pictures.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/base/vec.h"

namespace reyes::geom::test {

struct SubdivShape {
  std::string name, scheme = "catmull-clark";
  bool closed = true, dart = false;  ///< dart: a sharp crease ends somewhere
  std::vector<int> counts, ids;
  std::vector<float> p;
  std::vector<int> creases;  ///< pairs of vertices
  std::vector<float> creaseSharpness;
  std::vector<int> corners;
  std::vector<float> cornerSharpness;
  std::vector<int> holes;

  int vertices() const { return static_cast<int>(p.size() / 3); }
  int add(double x, double y, double z) {
    p.insert(p.end(), {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
    return vertices() - 1;
  }
  void face(std::vector<int> corner) {
    counts.push_back(static_cast<int>(corner.size()));
    ids.insert(ids.end(), corner.begin(), corner.end());
  }
  void crease(std::vector<int> run, float sharpness) {
    for (size_t i = 0; i + 1 < run.size(); ++i) {
      creases.insert(creases.end(), {run[i], run[i + 1]});
      creaseSharpness.push_back(sharpness);
    }
  }
  void corner(int v, float sharpness) { corners.push_back(v), cornerSharpness.push_back(sharpness); }

  /// The request, with boundaries drawn.
  std::string rib() const {
    std::string tags = "\"interpolateboundary\"", args = "1 0", ints = "1", floats;
    for (size_t i = 0; i < creaseSharpness.size(); ++i) {
      tags += " \"crease\"", args += " 2 1";
      ints += format(" {} {}", creases[2 * i], creases[2 * i + 1]), floats += format(" {}", creaseSharpness[i]);
    }
    for (size_t i = 0; i < corners.size(); ++i) {
      tags += " \"corner\"", args += " 1 1";
      ints += format(" {}", corners[i]), floats += format(" {}", cornerSharpness[i]);
    }
    for (const int h : holes) tags += " \"hole\"", args += " 1 0", ints += format(" {}", h);
    const auto list = [](const auto& v) {
      std::string s;
      for (const auto x : v) s += format("{} ", x);
      return s;
    };
    return format("SubdivisionMesh \"{}\" [{}] [{}] [{}] [{}] [{}] [{}] \"P\" [{}]\n", scheme, list(counts), list(ids),
                  tags, args, ints, floats, list(p));
  }
};

/// A box of 2 x 2 x 2, faces outwards.
inline SubdivShape boxShape(std::string name) {
  SubdivShape s;
  s.name = std::move(name);
  for (int i = 0; i < 8; ++i) s.add((i & 1) * 2 - 1, (i >> 1 & 1) * 2 - 1, (i >> 2) * 2 - 1);
  for (const std::array<int, 4>& f :
       {std::array<int, 4>{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}})
    s.face({f[0], f[1], f[2], f[3]});
  return s;
}

/// A ring of `around` x `along` quads.
inline SubdivShape ringShape(std::string name, int around, int along) {
  SubdivShape s;
  s.name = std::move(name);
  for (int j = 0; j < around; ++j)
    for (int i = 0; i < along; ++i) {
      const double a = 2 * M_PI * j / around, b = 2 * M_PI * i / along, r = 1 + 0.45 * std::cos(b);
      s.add(r * std::cos(a), r * std::sin(a), 0.45 * std::sin(b));
    }
  for (int j = 0; j < around; ++j)
    for (int i = 0; i < along; ++i) {
      const int k = (j + 1) % around, l = (i + 1) % along;
      s.face({j * along + i, k * along + i, k * along + l, j * along + l});
    }
  return s;
}

/// n faces around one vertex of valence n, in a shallow cone; `corners` of each: 3 or 4.
inline SubdivShape fanShape(std::string name, int n, int corners) {
  SubdivShape s;
  s.name = std::move(name), s.closed = false;
  s.add(0, 0, 0.4);
  const int ring = corners == 3 ? n : 2 * n;
  for (int i = 0; i < ring; ++i) {
    const double a = 2 * M_PI * i / ring, r = corners == 4 && i % 2 ? 1.3 : 1;
    s.add(r * std::cos(a), r * std::sin(a), 0.1 * (i % 3));
  }
  for (int i = 0; i < n; ++i) {
    if (corners == 3)
      s.face({0, 1 + i, 1 + (i + 1) % n});
    else
      s.face({0, 1 + 2 * i, 2 + 2 * i, 1 + (2 * i + 2) % ring});
  }
  return s;
}

/// A double pyramid over n corners: triangles, valence n at both ends.
inline SubdivShape spindleShape(std::string name, int n) {
  SubdivShape s;
  s.name = std::move(name);
  s.add(0, 0, 1.2), s.add(0, 0, -1.2);
  for (int i = 0; i < n; ++i) s.add(std::cos(2 * M_PI * i / n), std::sin(2 * M_PI * i / n), 0);
  for (int i = 0; i < n; ++i) s.face({0, 2 + i, 2 + (i + 1) % n}), s.face({1, 2 + (i + 1) % n, 2 + i});
  return s;
}

/// A sheet of n x n quads, bent.
inline SubdivShape sheetShape(std::string name, int n) {
  SubdivShape s;
  s.name = std::move(name), s.closed = false;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) s.add(2.0 * i / n - 1, 2.0 * j / n - 1, 0.3 * std::sin(2.1 * i + 1.3 * j));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i;
      s.face({a, a + 1, a + n + 2, a + n + 1});
    }
  return s;
}

inline std::vector<SubdivShape> subdivShapes() {
  std::vector<SubdivShape> all;
  const auto put = [&](SubdivShape s) { all.push_back(std::move(s)); };
  put(boxShape("cube"));
  SubdivShape s = boxShape("cube, one rim sharp");
  s.crease({4, 5, 7, 6, 4}, 10), put(s);
  s = boxShape("cube, one rim half sharp");
  s.crease({4, 5, 7, 6, 4}, 2.5f), put(s);
  s = boxShape("cube, rims of two sharpnesses that cross");
  s.crease({4, 5, 7, 6, 4}, 1.3f), s.crease({0, 4, 5, 1, 0}, 3), put(s);
  s = boxShape("cube, a dart");
  s.crease({0, 1, 3}, 10), s.dart = true, put(s);
  s = boxShape("cube, corners of all kinds");
  s.corner(0, 10), s.corner(7, 1.5f), s.corner(5, 3), s.crease({0, 1}, 10), s.dart = true, put(s);
  s = boxShape("cube, all sharp");
  s.crease({0, 1, 3, 2, 0}, 10), s.crease({4, 5, 7, 6, 4}, 10);
  s.crease({0, 4}, 10), s.crease({1, 5}, 10), s.crease({2, 6}, 10), s.crease({3, 7}, 10), put(s);
  s = boxShape("cube with a hole");
  s.holes = {1}, s.closed = false, put(s);
  put(ringShape("ring", 6, 4));
  s = ringShape("ring, a crease around", 5, 5);
  s.crease({0, 5, 10, 15, 20, 0}, 4), put(s);
  put(fanShape("fan of three triangles", 3, 3)), put(fanShape("fan of nine triangles", 9, 3));
  put(fanShape("fan of five quads", 5, 4)), put(fanShape("fan of eleven quads", 11, 4));
  put(spindleShape("spindle of three", 3)), put(spindleShape("spindle of eight", 8));
  put(sheetShape("one quad", 1)), put(sheetShape("sheet", 3));
  s = sheetShape("sheet, a crease across", 4);
  s.crease({10, 11, 12, 13, 14}, 2), put(s);
  s = sheetShape("sheet, corners round", 2);
  s.corner(4, 2), put(s);
  // One face of seven corners with a boundary; and one beside quads.
  s = SubdivShape();
  s.name = "one face of seven corners", s.closed = false;
  std::vector<int> seven;
  for (int i = 0; i < 7; ++i)
    seven.push_back(s.add(std::cos(2 * M_PI * i / 7), std::sin(2 * M_PI * i / 7), 0.2 * (i % 2)));
  s.face(seven), put(s);
  for (const char* name : {"loop: spindle of three", "loop: spindle of four", "loop: spindle of nine"}) {
    s = spindleShape(name, name[17] == 't' ? 3 : name[17] == 'f' ? 4 : 9);
    s.scheme = "loop", put(s);
  }
  s = spindleShape("loop: a sharp belt", 6);
  s.scheme = "loop", s.crease({2, 3, 4, 5, 6, 7, 2}, 10), put(s);
  s = spindleShape("loop: a half sharp belt and a sharp end", 5);
  s.scheme = "loop", s.crease({2, 3, 4, 5, 6, 2}, 1.5f), s.corner(0, 10), put(s);
  s = fanShape("loop: a fan", 7, 3);
  s.scheme = "loop", put(s);
  return all;
}

}  // namespace reyes::geom::test
