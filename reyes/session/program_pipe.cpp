// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/program_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

#include "reyes/base/format.h"

extern char** environ;

namespace reyes::session {
namespace {

using Clock = std::chrono::steady_clock;

void closeAll(std::initializer_list<int> files) {
  for (const int fd : files)
    if (fd >= 0) ::close(fd);
}

}  // namespace

/// What the program writes, as it comes.
class ProgramPipe::Buffer : public std::streambuf {
 public:
  Buffer(int fd, const ProgramLimits& limits)
      : fd_(fd), limits_(limits), start_(Clock::now()), errors_(limits.errorCount ? limits.errorCount() : 0) {}
  bool ended() const { return ended_; }  ///< the program closed its output
  /// Why it is given up, in words; empty if it is not.
  const std::string& fault() const { return fault_; }

 protected:
  int_type underflow() override {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    if (!wait() || !withinLimits()) return traits_type::eof();
    const ssize_t n = ::read(fd_, bytes_, sizeof bytes_);
    if (n <= 0) {
      ended_ = true;
      return traits_type::eof();
    }
    total_ += static_cast<double>(n);
    setg(bytes_, bytes_, bytes_ + n);
    return traits_type::to_int_type(*gptr());
  }

 private:
  bool wait() {
    if (ended_ || !fault_.empty()) return false;
    const auto until = Clock::now() + std::chrono::duration<double>(limits_.seconds);
    for (;;) {
      pollfd p{fd_, POLLIN, 0};
      if (::poll(&p, 1, 100) > 0) return true;
      if (limits_.stop && limits_.stop()) fault_ = "is stopped";
      if (Clock::now() > until) fault_ = format("was silent for {:g} s and is given up", limits_.seconds);
      if (!fault_.empty()) return false;
    }
  }
  bool withinLimits() {
    constexpr double kWhole = 10;
    const double took = std::chrono::duration<double>(Clock::now() - start_).count();
    if (limits_.stop && limits_.stop())
      fault_ = "is stopped";
    else if (total_ > limits_.megabytes * 1e6)
      fault_ = format("sent more than {:g} MB in one answer and is given up", limits_.megabytes);
    else if (took > kWhole * limits_.seconds)
      fault_ = format("has not ended its answer after {:g} s and is given up", kWhole * limits_.seconds);
    else if (limits_.errorCount && limits_.errorCount() - errors_ > limits_.errors)
      fault_ = format("sent more than {} wrong requests and is given up", limits_.errors);
    return fault_.empty();
  }

  int fd_;
  const ProgramLimits& limits_;
  Clock::time_point start_;
  double total_ = 0;
  int errors_;
  std::string fault_;
  bool ended_ = false;
  char bytes_[16 * 1024];
};

ProgramPipe::ProgramPipe(const std::string& command, const std::string& program) : program_(program) {
  std::istringstream in(command);
  for (std::string word; in >> word;) words_.push_back(word);
}

ProgramPipe::~ProgramPipe() {
  closeAll({toProgram_, fromProgram_});
  if (pid_ > 0) ending();
}

std::string ProgramPipe::start() {
  if (words_.empty()) return "names no program";
  // Its input is a socket, so that writing to a program that is gone is an error here and not a signal.
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
    const std::string why = std::strerror(errno);
    closeAll({in[0], in[1], out[0], out[1]});
    return format("no pipe: {}", why);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words_) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int code = ::posix_spawnp(&pid, program_.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  closeAll({in[1], out[1]});
  if (code != 0) {
    closeAll({in[0], out[0]});
    return format("cannot be started: {}", std::strerror(code));
  }
  pid_ = pid, toProgram_ = in[0], fromProgram_ = out[0];
  return "";
}

std::string ProgramPipe::ending() {
  int status = 0;
  pid_t got = 0;
  for (int i = 0; i < 100 && got == 0; ++i) {
    got = ::waitpid(pid_, &status, WNOHANG);
    if (got == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (got == 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status, 0);
  }
  pid_ = -1;
  if (WIFEXITED(status)) return format("it ended with status {}", WEXITSTATUS(status));
  return format("it ended by signal {}", WTERMSIG(status));
}

std::string ProgramPipe::request(const std::string& line, const ProgramLimits& limits,
                                 const std::function<void(std::istream&)>& read) {
  if (!failed_.empty()) return failed_;
  if (pid_ < 0) failed_ = start();
  if (!failed_.empty()) return failed_;
  const std::string text = line + "\n";
  for (size_t sent = 0; sent < text.size() && failed_.empty();) {
    const ssize_t n = ::send(toProgram_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) failed_ = format("takes no request: {}", ending());
    sent += static_cast<size_t>(std::max<ssize_t>(n, 0));
  }
  if (!failed_.empty()) return failed_;
  Buffer buffer(fromProgram_, limits);
  std::istream in(&buffer);
  read(in);
  failed_ = buffer.fault();
  if (buffer.ended())
    failed_ = format("closed its output before its answer was complete (byte 255 ends it); {}", ending());
  if (!failed_.empty() && pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ending();
  }
  return failed_;
}

}  // namespace reyes::session
