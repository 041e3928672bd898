#include <cstdio>
#include <optional>
#include <utility>

#include "data/files/atomic_file.hpp"
#include "program/files/read_file.hpp"
#include "program/process/signals.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_files.hpp"

namespace strads {

Status write_file(const std::string& path, std::string_view content) {
  const UninterruptedWrite whole;
  return data::write_file_atomically(path, content);
}

Result<std::string> read_file(const std::string& path) {
  return read_whole_file(path);
}

struct ResultWriter::State {
  std::optional<data::AtomicFile> file;  ///< none: stdout
};

ResultWriter::ResultWriter() : state_(std::make_unique<State>()) {}
ResultWriter::~ResultWriter() = default;
ResultWriter::ResultWriter(ResultWriter&&) noexcept = default;
ResultWriter& ResultWriter::operator=(ResultWriter&&) noexcept = default;

Result<ResultWriter> ResultWriter::open(const std::string& path) {
  ResultWriter writer;
  if (!path.empty()) {
    if (Status free = expect_no_file_of_a_run(path); !free.ok()) return free;
    STRADS_ASSIGN_OR_RETURN(writer.state_->file, data::AtomicFile::create(path));
  }
  return writer;
}

Status ResultWriter::write(std::string_view piece) {
  if (state_->file.has_value()) return state_->file->write(piece);
  if (std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size()) return {};
  return Status::input("stdout: the results could not be written; is the disk full?");
}

Status ResultWriter::commit() {
  const UninterruptedWrite whole;
  if (state_->file.has_value()) return state_->file->commit();
  if (std::fflush(stdout) == 0) return {};
  return Status::input("stdout: the results could not be written; is the disk full?");
}

}  // namespace strads
