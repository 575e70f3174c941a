// SPDX-License-Identifier: Apache-2.0
// Every bucket is handed out once, whoever asks, and threads that keep pace stay in parts of their own.
#include "reyes/render/bucket_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

using reyes::render::BucketQueue;

TEST_CASE("bucket queue: places and buckets are one to one, row after row") {
  for (const int threads : {1, 2, 3, 4, 16})
    for (const int columns : {1, 2, 5, 40}) {
      constexpr int kRows = 3;
      const BucketQueue q(columns, kRows, threads);
      std::set<int> seen;
      for (int j = 0; j < kRows; ++j)
        for (int i = 0; i < columns; ++i) {
          const int order = q.orderAt(i, j);
          CHECK(order / columns == j);
          CHECK(q.rowOf(order) == j);
          CHECK(q.columnOf(order) == i);
          seen.insert(order);
        }
      CHECK(seen.size() == static_cast<size_t>(columns) * kRows);
      for (int j = 0; j < kRows; ++j) {
        int last = -1;
        for (int i = columns / 3; i < columns; ++i) last = std::max(last, q.orderAt(i, j));
        CHECK(q.lastOf(columns / 3, columns - 1, j) == last);
      }
    }
}

TEST_CASE("bucket queue: one thread goes to and fro") {
  BucketQueue q(3, 2, 1);
  std::vector<int> columns;
  for (int order, expected = 0; q.take(0, order); ++expected) {
    CHECK(order == expected);
    columns.push_back(q.columnOf(order));
  }
  CHECK(columns == std::vector<int>{0, 1, 2, 2, 1, 0});
}

TEST_CASE("bucket queue: two threads that keep pace meet in the middle of each row") {
  BucketQueue q(8, 3, 2);
  int order;
  for (int row = 0; row < 3; ++row)
    for (int step = 0; step < 4; ++step) {
      REQUIRE(q.take(0, order));
      CHECK(q.columnOf(order) == step);
      REQUIRE(q.take(1, order));
      CHECK(q.columnOf(order) == 7 - step);
      CHECK(q.rowOf(order) == row);
    }
  CHECK(!q.take(0, order));
}

TEST_CASE("bucket queue: who is done helps, from the end that lies beside its own part") {
  BucketQueue q(8, 1, 2);
  int order;
  std::vector<int> columns;
  while (q.take(1, order)) columns.push_back(q.columnOf(order));
  CHECK(columns == std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0});
}

TEST_CASE("bucket queue: with many threads at once every bucket is taken once") {
  for (const int threads : {2, 3, 7}) {
    constexpr int kColumns = 37, kRows = 200;
    BucketQueue q(kColumns, kRows, threads);
    std::vector<std::atomic<int>> taken(kColumns * kRows);
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (int order; q.take(t, order);) ++taken[static_cast<size_t>(order)];
      });
    for (std::thread& t : all) t.join();
    CHECK(std::all_of(taken.begin(), taken.end(), [](const std::atomic<int>& n) { return n == 1; }));
  }
}

TEST_CASE("bucket queue: nothing to do") {
  BucketQueue q(0, 5, 4);
  int order;
  CHECK(!q.take(0, order));
}
