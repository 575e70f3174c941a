// SPDX-License-Identifier: Apache-2.0
#include "reyes/tools/progress.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "reyes/base/format.h"

namespace reyes::tools {
namespace {

constexpr int kHeartbeatSeconds = 60;

/// All that the timer's signal handler sees. One renderer a process.
struct Heartbeat {
  std::atomic<int> frame{0}, percent{0}, seconds{0};
  std::atomic<bool> spoken{false};  ///< another line was printed since the last beat
};
Heartbeat heartbeat;

char* append(char* to, const char* text) {
  while (*text) *to++ = *text++;
  return to;
}
char* append(char* to, int number) {
  if (number < 0) {
    *to++ = '-';
    number = -(number + 1) + 1;
  }
  char digits[12];
  int n = 0;
  do digits[n++] = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  while (n > 0) *to++ = digits[--n];
  return to;
}

/// Async-signal-safe: write() alone.
void beat(int) {
  const int saved = errno;
  heartbeat.seconds += kHeartbeatSeconds;
  if (!heartbeat.spoken.exchange(false)) {
    char line[96];
    char* p = append(line, "frame ");
    p = append(p, heartbeat.frame.load());
    p = append(p, ": ");
    p = append(p, heartbeat.percent.load());
    p = append(p, "% after ");
    p = append(p, heartbeat.seconds.load());
    p = append(p, " s\n");
    if (write(STDOUT_FILENO, line, static_cast<size_t>(p - line)) < 0) heartbeat.spoken = false;
  }
  errno = saved;
}

void setTimer(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = timer.it_interval.tv_sec = seconds;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

Progress::Progress(ProgressStyle style) : style_(style) {
  if (style == ProgressStyle::kAuto) style_ = isatty(STDOUT_FILENO) ? ProgressStyle::kBar : ProgressStyle::kNone;
  struct sigaction action {};
  action.sa_handler = beat;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  setTimer(kHeartbeatSeconds);
}

Progress::~Progress() {
  setTimer(0);
  signal(SIGALRM, SIG_IGN);
  clear();
}

void Progress::update(int frame, float done) {
  const int percent = std::clamp(static_cast<int>(done * 100), 0, 100);
  heartbeat.frame = frame;
  heartbeat.percent = percent;
  if (any_ && frame == frame_ && percent == percent_) return;
  const bool newFrame = !any_ || frame != frame_;
  any_ = true;
  frame_ = frame;
  percent_ = percent;
  if (style_ == ProgressStyle::kNone) return;
  heartbeat.spoken = true;
  if (style_ == ProgressStyle::kBar) return drawBar(frame, percent);
  if (style_ == ProgressStyle::kOpenJd) {
    if (newFrame) std::printf("openjd_status: frame %d\n", frame);
    std::printf("openjd_progress: %d\n", percent);
  } else {
    std::printf("R90000 %4d%%\n", percent);
  }
  std::fflush(stdout);
}

void Progress::drawBar(int frame, int percent) {
  constexpr int kWidth = 40;
  const int filled = percent * kWidth / 100;
  std::printf("\rframe %d [%s%s] %3d%%", frame, std::string(static_cast<size_t>(filled), '=').c_str(),
              std::string(static_cast<size_t>(kWidth - filled), ' ').c_str(), percent);
  std::fflush(stdout);
  barShown_ = true;
}

void Progress::clear() {
  if (!barShown_) return;
  std::printf("\r%70s\r", "");
  std::fflush(stdout);
  barShown_ = false;
}

}  // namespace reyes::tools
