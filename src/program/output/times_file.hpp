// The file of --trace-times: when tasks ran and messages travelled, of all processes of a run. docs/OUTPUT.md.
// Layer: program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/program/result_files.hpp"
#include "strads/transport/times.hpp"

namespace strads {

/// Rows go to a file beside the one that was asked for; it gets its name when the run has ended.
class TimesFile {
 public:
  /// Errors: input: the file cannot be made.
  [[nodiscard]] static Result<std::shared_ptr<TimesFile>> open(const std::string& path);

  /// For the hooks of a run, as long as this lives. After a failed write nothing more is written.
  [[nodiscard]] TimesListener listener();
  /// Call once, when the run is over. `seconds`: since solving began. Errors: input: what could not be written, also of
  /// earlier rows.
  [[nodiscard]] Status finish(double seconds);

 private:
  explicit TimesFile(ResultWriter file);
  void add(std::uint32_t process, std::span<const TimeRecord> records, std::uint64_t lost);
  void add(const std::string& process, const std::string& what, const TimeRecord& record);
  void write_out();

  ResultWriter file_;
  std::vector<std::string> names_;               ///< of TimeRecord::what
  std::map<std::uint32_t, std::uint64_t> lost_;  ///< records, by process
  std::string rows_;                             ///< not written yet
  Status outcome_;
};

}  // namespace strads
