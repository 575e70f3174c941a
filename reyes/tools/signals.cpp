// SPDX-License-Identifier: Apache-2.0
#include "reyes/tools/signals.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "reyes/image/image.h"
#include "reyes/tools/exit_status.h"

namespace reyes::tools {
namespace {

/// What signals have asked for: all that a handler can reach. One renderer a process.
struct Wishes {
  std::atomic<bool> checkpoint{false}, stop{false};
  std::atomic<int64_t> stopSeen{0};  ///< steady nanoseconds
};
Wishes wishes;

void cleanAndDie(int number) {
  image::removeTemporaries();
  signal(number, SIG_DFL);
  raise(number);
}

void noteCheckpoint(int) { wishes.checkpoint = true; }

void noteStop(int number) {
  if (!wishes.stop.exchange(true)) return;
  cleanAndDie(number);
}

void install(int number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  struct sigaction before {};
  sigaction(number, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);  // nohup stays in force
}

/// A file that may grow no further is a fault of writing it, not of the process.
void ignoreFileSize() { signal(SIGXFSZ, SIG_IGN); }

}  // namespace

void installSignalHandlers() {
  ignoreFileSize();
  // A second one stops at once.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) install(number, cleanAndDie, SA_RESETHAND);
}

void installCheckpointSignals() {
  ignoreFileSize();
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) install(number, noteStop, SA_RESTART);
  install(SIGHUP, noteCheckpoint, SA_RESTART);
}

bool checkpointAsked() { return wishes.checkpoint.exchange(false); }
bool stopAsked() { return wishes.stop.load(std::memory_order_relaxed); }

void leaveIfLate() {
  if (!stopAsked()) return;
  const auto sinceStart = std::chrono::steady_clock::now().time_since_epoch();
  const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(sinceStart).count();
  int64_t first = 0;
  if (wishes.stopSeen.compare_exchange_strong(first, now)) return;
  if (std::chrono::nanoseconds(now - first) < std::chrono::seconds(9)) return;
  image::removeTemporaries();
  _exit(kExitStopped);
}

}  // namespace reyes::tools
