// A study on the driver, from data to checked solutions: what `lasso fit`, `lasso path`, `--split` and `lasso cv` do
// before they write.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lasso/options/study_options.hpp"
#include "lasso/run/lasso_run.hpp"
#include "lasso/study/study_result.hpp"
#include "lasso/study/study_runs.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::lasso {

/// What is derived from it writes, and says what the run is called and shows.
class StudyRun : public LassoRun {
 public:
  /// `command`: "lasso fit". `options`: settled.
  StudyRun(std::string command, const StudyOptions& options);
  [[nodiscard]] StudyResults& results() { return results_; }

 protected:
  /// From the data to the paths.
  virtual Result<Study> make_study();
  /// Into the directory, which is there: finish_files() comes last.
  virtual Status write() = 0;
  [[nodiscard]] virtual std::string closing_lines() const = 0;
  /// A line of progress of a path; asked while nobody else changes the results.
  [[nodiscard]] virtual ProgressLine progress_line(const ProgressEvent& event, double seconds) const {
    return static_cast<void>(event), ProgressLine(seconds);
  }

  /// "trait: " where there are several. `group`: its place.
  [[nodiscard]] std::string whose_trait(std::size_t group) const;
  /// The same with "l1 ratio 0.5: " where there are several.
  [[nodiscard]] std::string whose(std::size_t group) const;
  [[nodiscard]] PathResult& first() { return results_.list.front(); }
  [[nodiscard]] const PathResult& first() const { return results_.list.front(); }
  /// One fit of one lambda, which is no path.
  [[nodiscard]] bool is_fit() const { return !options_.lasso.path.wanted(); }

  const StudyKind kind_;
  const CvOptions all_;  ///< options_ is what they say of a fit
  StudyResults results_;

 private:
  Result<std::vector<std::shared_ptr<const Dataset>>> read_data() override { return load_traits(all_.path); }
  Result<RunList> make_runs() override;
  [[nodiscard]] ProblemCount problem_count() const override { return problem_count_of(kind_, all_); }
  RunFacts& facts() override { return results_.run; }
  [[nodiscard]] ProgressPrinter::Line progress_formatter() override;
  void note_end(std::size_t run, const RunEnd& end) override;
  std::optional<KeptOfRun> kept_of(std::size_t run) override;
  Status take_back(std::size_t run, const RunEnd& end, const KeptOfRun& kept) override;
  Status conclude() override;

  void note_group(std::size_t group);
  Status choose_measure(std::size_t group);
  [[nodiscard]] std::size_t at_once() const;
  void keep(const PathPlace& at, const Solution& solution);
  void choose(std::size_t group);
  void keep_unfinished(std::size_t group, std::size_t path);
  void finish(std::size_t group);
  Status check_group(std::size_t group);
  Result<std::size_t> check_path(std::size_t group, std::size_t path);
  void judge_ends();
  void note_choices_at_the_end();
  [[nodiscard]] const StopRule& stop() const { return kind_ == StudyKind::cv ? all_.stop : all_.path.stop; }

  StudyRuns runs_;
  std::vector<std::shared_ptr<Watchers>> watchers_;  ///< by group; null: nobody ends its paths
};

}  // namespace strads::lasso
