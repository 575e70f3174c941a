// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/display/display.h"

namespace reyes::render {
namespace {

/// The line of `a` that `b` has otherwise, for people.
std::string firstDifference(std::string_view a, std::string_view b) {
  while (!a.empty()) {
    const std::string_view lineA = a.substr(0, a.find('\n')), lineB = b.substr(0, b.find('\n'));
    if (lineA != lineB) return format("{}, not {}", lineA.substr(0, 200), lineB.substr(0, 200));
    a.remove_prefix(std::min(a.size(), lineA.size() + 1)), b.remove_prefix(std::min(b.size(), lineB.size() + 1));
  }
  return "more lines than are known";
}

/// Fields of a message, a line each.
std::string packed(const Diagnostic& d) {
  const std::string& file = d.loc.file.str();
  return format("{}{}{}\n{}\n{}\n{}\n{}", static_cast<int>(d.severity), static_cast<int>(d.impact), d.code,
                file.find('\n') == std::string::npos ? file : "", d.loc.line, d.loc.column, d.text);
}

/// What another run is to be told: not what was wrong with this machine, or comes of being stopped.
bool lasts(const Diagnostic& d, bool stops) {
  if (d.severity < Severity::kWarning || d.code.starts_with("checkpoint-")) return false;
  if (d.impact == Impact::kEnvironment || d.impact == Impact::kMemory) return false;
  return !stops || !(d.code.starts_with("procedural-") || d.code.starts_with("rib-"));
}

void addMessage(CheckpointWriter& writer, const Diagnostic& d, bool stops) {
  if (!lasts(d, stops)) return;
  const std::string text = packed(d);
  writer.add(RecordKind::kMessage, 0, std::as_bytes(std::span(text)));
}

bool isCode(std::string_view s) {
  return !s.empty() && s.size() < 100 && s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == s.npos;
}

/// Digits to a number below 10^9.
int numberOf(std::string_view s) {
  int n = 0;
  for (const char c : s.substr(0, 9)) n = c >= '0' && c <= '9' ? 10 * n + (c - '0') : n;
  return n;
}

}  // namespace

Checkpoint::Checkpoint(const RenderOptions& options, std::string path, std::string words)
    : options_(options), path_(std::move(path)), words_(std::move(words)) {}

std::unique_ptr<Checkpoint> Checkpoint::of(const scene::View& view, const RenderOptions& options, OutputPlan& plan,
                                           const Buckets& buckets, Film& film) {
  const CheckpointOptions& wanted = options.checkpoint;
  if (wanted.seconds <= 0 && !wanted.recover) return nullptr;
  std::string path = checkpointPath(view);
  if (path.empty()) return nullptr;
  std::unique_ptr<Checkpoint> c(
      new Checkpoint(options, std::move(path), checkpointWords(view, options, plan, buckets)));
  c->parts_ = film.partsWanted();
  if (wanted.seconds > 0) c->writer_ = std::make_unique<CheckpointWriter>(c->path_, c->words_);
  c->messages_ = options.diag->all().size();
  if (wanted.recover) c->recover(plan, film);
  if (!c->writer_ || c->whole_) return c;
  film.keepIn(c->writer_.get());
  c->begin();
  return c;
}

void Checkpoint::begin() {
  last_ = std::chrono::steady_clock::now();
  ticker_ = std::make_unique<Ticker>(std::chrono::milliseconds(100), [this] { tick(); });
}

/// What there is of an earlier run. A file of something else is let alone until it is replaced.
void Checkpoint::recover(OutputPlan& plan, Film& film) {
  CheckpointReader reader;
  CheckpointRecord record;
  switch (reader.open(path_, words_)) {
    case CheckpointReader::Found::kNone:
      options_.diag->info("checkpoint-none", {}, format("there is no {}: the frame starts from the beginning", path_));
      return;
    case CheckpointReader::Found::kBroken:
      options_.diag->warning("checkpoint-broken", {},
                             format("{} is no checkpoint: the frame starts from the beginning", path_));
      return;
    case CheckpointReader::Found::kOther:
      options_.diag->warning("checkpoint-other", {},
                             format("{} is of another frame ({}): the frame starts from the beginning", path_,
                                    firstDifference(reader.otherWords(), words_)));
      return;
    case CheckpointReader::Found::kGood:
      break;
  }
  for (const Diagnostic& d : options_.diag->all()) known_.insert(Diagnostics::format(d));
  while (!whole_ && reader.next(record)) {
    if (!take(record, plan, film)) {
      options_.diag->warning(
          "checkpoint-broken", {},
          format("{} holds a record that does not fit the frame: it and those after it are left out", path_));
      break;
    }
    // Messages are added as those of this run.
    if (writer_ && record.kind != RecordKind::kMessage) writer_->add(record.kind, record.index, record.bytes);
  }
  if (reader.left() > 0 && !reader.cut() && !whole_)
    options_.diag->warning("checkpoint-broken", {},
                           format("{} is damaged: its last {} bytes are left out", path_, reader.left()));
  if (!whole_)
    options_.diag->info(
        "checkpoint-recovered", {},
        format("{}: {:.0f}% of the frame is there, the rest is rendered", path_,
               100.0 * static_cast<double>(recovered_) / static_cast<double>(std::max<size_t>(parts_, 1))));
}

bool Checkpoint::take(const CheckpointRecord& record, OutputPlan& plan, Film& film) {
  switch (record.kind) {
    case RecordKind::kPart:
      if (!film.restore(record.index, record.bytes)) return false;
      ++recovered_;
      return true;
    case RecordKind::kName:
      if (!plan.mattes || record.index >= kMatteKinds) return false;
      plan.mattes->addWritten(static_cast<MatteKind>(record.index),
                              std::string(reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size()));
      return true;
    case RecordKind::kMessage:
      return takeMessage(record);
    case RecordKind::kWhole:
      return whole_ = filesAreThere(plan);
  }
  return false;
}

bool Checkpoint::filesAreThere(const OutputPlan& plan) const {
  std::error_code error;
  return std::all_of(plan.displays.begin(), plan.displays.end(), [&](const PlannedDisplay& d) {
    return !d.display || display::formatOf(d.request.type, d.request.name) == "null" ||
           std::filesystem::exists(d.request.name, error);
  });
}

/// What the run before said of pixels that are not rendered again; it counts for the status of this one.
bool Checkpoint::takeMessage(const CheckpointRecord& record) {
  constexpr size_t kMost = 10000, kMostBytes = 1 << 16;
  if (++taken_ > kMost || record.bytes.size() > kMostBytes || record.bytes.size() < 2) return false;
  std::string_view rest(reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size());
  const int severity = rest[0] - '0', impact = rest[1] - '0';
  if (severity < static_cast<int>(Severity::kWarning) || severity > static_cast<int>(Severity::kError) || impact < 0 ||
      impact > static_cast<int>(Impact::kInternal))
    return false;
  rest.remove_prefix(2);
  std::string_view fields[4];
  for (std::string_view& f : fields) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return false;
    f = rest.substr(0, end), rest.remove_prefix(end + 1);
  }
  if (!isCode(fields[0])) return false;
  Diagnostic d{static_cast<Severity>(severity),
               static_cast<Impact>(impact),
               std::string(fields[0]),
               std::string(rest),
               {Name(std::string(fields[1])), numberOf(fields[2]), numberOf(fields[3])}};
  if (known_.insert(Diagnostics::format(d)).second) options_.diag->report(std::move(d));
  return true;
}

/// Every tenth of a second: is one wanted, has the time come, does the run stop?
void Checkpoint::tick() {
  const CheckpointOptions& wanted = options_.checkpoint;
  const bool asked = wanted.asked && wanted.asked();
  const bool stops = !stopSaved_ && options_.stop && options_.stop();
  const auto now = std::chrono::steady_clock::now();
  addMessages();
  if (!asked && !stops && std::chrono::duration<double>(now - last_).count() < wanted.seconds) return;
  last_ = now;
  stopSaved_ = stopSaved_ || stops;
  save();
}

void Checkpoint::addMessages() {
  const int count = options_.diag->count(Severity::kWarning) + options_.diag->count(Severity::kError);
  if (count == counted_) return;
  counted_ = count;
  const bool stops = options_.stop && options_.stop();
  const std::vector<Diagnostic> all = options_.diag->all();
  for (; messages_ < all.size(); ++messages_) addMessage(*writer_, all[messages_], stops);
}

bool Checkpoint::save() {
  addMessages();
  const std::string fault = writer_->save();
  if (!fault.empty()) {
    options_.diag->warning("checkpoint-cannot-write", {},
                           format("the checkpoint cannot be written, the frame goes on: {}", fault));
    return false;
  }
  return true;
}

void Checkpoint::end(bool done) {
  ticker_.reset();
  if (done) return removeCheckpoint(path_, words_);
  if (!writer_) return;
  save();
  if (writer_->saved())
    options_.diag->info("checkpoint-saved", {}, format("{} is there: -recover 1 goes on from it", path_));
  else
    options_.diag->error("checkpoint-missing", {}, format("there is no {} to go on from", path_), Impact::kEnvironment);
}

void removeCheckpoint(const std::string& path, const std::string& words) {
  CheckpointReader reader;
  std::error_code error;
  if (reader.open(path, words) == CheckpointReader::Found::kGood) std::filesystem::remove(path, error);
}

std::string markWhole(const std::string& path, const std::string& words, std::span<const Diagnostic> messages) {
  CheckpointWriter writer(path, words);
  for (const Diagnostic& d : messages) addMessage(writer, d, false);
  writer.add(RecordKind::kWhole, 0, {});
  return writer.save();
}

}  // namespace reyes::render
