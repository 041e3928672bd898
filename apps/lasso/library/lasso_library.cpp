#include "lasso/library/lasso_library.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "lasso/commands/export_command.hpp"
#include "lasso/commands/study_commands.hpp"
#include "lasso/library/results.hpp"
#include "lasso/report/model_files.hpp"
#include "regression/match_variables.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

/// Those of a path that the caller has in memory.
Status take_lambdas(const Call& call, PathCommandOptions& options) {
  for (const double lambda : call.lambdas) {
    if (lambda > 0 && std::isfinite(lambda)) continue;
    return Status::usage("found lambda " + short_text(lambda) + ", expected numbers above 0");
  }
  options.given = call.lambdas;
  std::sort(options.given.begin(), options.given.end(), std::greater<>());
  options.given.erase(std::unique(options.given.begin(), options.given.end()), options.given.end());
  return {};
}

/// What a call says of its data, as a fit is told; without a response. `fills_missing`: whether it says nothing of what
/// is missing, or that the mean takes its place.
Result<InputOptions> data_of(const Call& call, bool* fills_missing = nullptr) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (Status taken = take_values(table, call.options); !taken.ok()) return taken;
  options.input.source.in_memory = call.data;
  options.input.response.required = false;
  if (fills_missing != nullptr) *fills_missing = !table.given("missing") || options.missing == "mean";
  return options.input;
}

/// A model finds its variables by their names: filters that chose those of the fit do not choose again.
void take_every_variable(InputOptions& input) {
  input.variables = {};
  input.samples.mind.reset();
}

/// A call from its options to results.
class StudyCall {
 public:
  StudyCall(StudyKind kind, const Call& call) : options_(kind) {
    options_.fit().host = host_with_notes(call.host, *notes_);
  }

  Status run(const Call& call) {
    if (Status taken = set_options(call); !taken.ok()) return taken;
    Status ended = study_in_process(options_, results);
    return has_results(ended) ? Status() : std::move(ended);
  }

  void tell(const PathResult& result, Outcome& out) const {
    note_outcome(results.run, options_.table, out);
    note_path(result, out);
    out.notes = *notes_;
  }

  StudyResults results;

 private:
  Status set_options(const Call& call) {
    if (Status lambdas = take_lambdas(call, options_.all.path); !lambdas.ok()) return lambdas;
    if (!call.cluster.empty() && (call.data != nullptr || !call.lambdas.empty())) {
      return Status::usage("the nodes of a cluster do not see what lies in this process's memory; write it into files");
    }
    if (Status taken = take_values(options_.table, call.options, call.cluster); !taken.ok()) return taken;
    options_.fit().input.source.in_memory = call.data;
    if (Status settled = options_.settle(); !settled.ok()) return settled;
    if (call.data != nullptr) {
      if (Status goes = take_rows(*call.data); !goes.ok()) return goes;
    }
    return call.start == nullptr ? Status() : take_start(call.start);
  }

  /// Several responses are the traits of a run, by their names.
  Status take_rows(const DataInMemory& data) {
    if (!data.split.empty() && options_.kind != StudyKind::path) {
      return Status::usage("a split into train, val and test goes with a path alone");
    }
    std::vector<std::string>& traits = options_.all.path.traits;
    if (data.response && !traits.empty()) {
      return Status::usage("the responses are given twice, in memory and by name; give one of them");
    }
    if (data.more_responses.empty() || !data.response) return {};
    if (options_.kind == StudyKind::fit) {
      return Status::usage(
          "a fit has one response; several go with a path, also of one lambda, and a cross-validation");
    }
    traits = {data.response->name};
    for (const ColumnInMemory& more : data.more_responses) {
      if (more.name.empty() || std::ranges::find(traits, more.name) != traits.end()) {
        return Status::usage("several responses: the name '" + more.name + "' is " +
                             (more.name.empty() ? "empty" : "there twice") + ", expected one for each");
      }
      traits.push_back(more.name);
    }
    return {};
  }

  Status take_start(const std::shared_ptr<const FittedModel>& start) {
    const std::string& family = options_.fit().family;
    if (start->family != family) {
      return Status::usage("found a model of the family " + start->family + " to begin with, whose coefficients say " +
                           "nothing about the family " + family + "; begin without one");
    }
    options_.fit().lasso.warm_start = start;
    return {};
  }

  StudyOptions options_;
  std::unique_ptr<std::vector<std::string>> notes_ = std::make_unique<std::vector<std::string>>();
};

/// The first of what has a result of its own, with the others.
template <class Out, class Fill>
Result<Out> call_of_groups(StudyKind kind, const Call& call, const Fill& fill) {
  StudyCall study(kind, call);
  if (Status ran = study.run(call); !ran.ok()) return ran;
  std::vector<Out> calls;
  for (const PathResult& result : study.results.list) {
    Out& out = calls.emplace_back();
    fill(result, out);
    study.tell(result, out);
  }
  Out first = std::move(calls.front());
  first.others.assign(std::make_move_iterator(calls.begin() + 1), std::make_move_iterator(calls.end()));
  return first;
}

}  // namespace

Result<FitCall> call_fit(const Call& call) {
  StudyCall study(StudyKind::fit, call);
  if (Status ran = study.run(call); !ran.ok()) return ran;
  const PathResult& result = study.results.list.front();
  FitCall out;
  out.solution = result.steps.front();
  out.model = fitted_model(*result.data, result.steps.front());
  study.tell(result, out);
  return out;
}

Result<PathCall> call_path(const Call& call) {
  return call_of_groups<PathCall>(StudyKind::path, call, take_path);
}

Result<CvCall> call_cv(const Call& call) {
  return call_of_groups<CvCall>(StudyKind::cv, call, take_cv);
}

Result<PredictCall> call_predict(const FittedModel& model, const Call& call) {
  bool fills_missing = true;
  STRADS_ASSIGN_OR_RETURN(InputOptions input, data_of(call, &fills_missing));
  take_every_variable(input);
  input.source.missing_mean = input.source.missing_stays = fills_missing;
  STRADS_ASSIGN_OR_RETURN(auto data, load_dataset(input));
  if (data->covariates().size() != model.covariates.size()) {
    return Status::usage("the model has " + with_unit(model.covariates.size(), "covariate", "covariates") + ", found " +
                         std::to_string(data->covariates().size()) + "; give those of the fit, in their order");
  }
  if (data->offset().empty() == model.has_offset) {
    return Status::usage(model.has_offset ? "the model was fitted with offsets; give those of these samples"
                                          : "the model was fitted without offsets; leave them out");
  }
  STRADS_ASSIGN_OR_RETURN(const auto matching, match_variables(model, *data));
  PredictCall out{predict(model, matching, *data), matching_notes(model, matching)};
  const auto offset = data->offset();
  for (std::size_t i = 0; i < offset.size(); ++i) out.predictions[i] += offset[i];
  if (model.covariates.empty() && offset.empty()) return out;
  // A sample that takes no part, for example since a covariate is missing, has 0 in place of each.
  for (const std::uint32_t row : data->columns().dropped_rows) {
    out.predictions[row] = std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

Result<std::string> call_export(const FittedModel& model, std::span<const OptionValue> options) {
  ExportOptions format;
  OptionTable table = export_option_table(format);
  constexpr std::array<std::string_view, 4> kOfTheFile{"export", "genome-build", "pgs-name", "trait"};
  std::vector<std::string> arguments;
  for (const OptionValue& option : options) {
    if (std::ranges::find(kOfTheFile, option.name) == kOfTheFile.end()) {
      return Status::usage("--" + option.name + ": expected one of --export, --genome-build, --pgs-name, --trait");
    }
    arguments.push_back("--" + option.name + "=" + option.value);
  }
  if (Status taken = table.parse(arguments); !taken.ok()) return taken;
  if (Status checked = check_export_format(format); !checked.ok()) return checked;
  return exported_text(format, model);
}

std::vector<OptionFacts> options_of(std::string_view command) {
  FitOptions fit;
  PathCommandOptions path;
  CvOptions cv;
  PredictOptions predict;
  if (command == "fit") return embeddable_options(fit_option_table(fit));
  if (command == "path") return embeddable_options(path_option_table(path));
  if (command == "cv") return embeddable_options(cv_option_table(cv));
  return embeddable_options(predict_option_table(predict));
}

Result<std::vector<std::uint32_t>> rows_left_out(std::span<const OptionValue> options) {
  STRADS_ASSIGN_OR_RETURN(const auto input, data_of({{options.begin(), options.end()}}));
  STRADS_ASSIGN_OR_RETURN(auto data, load_dataset(input));
  const auto& dropped = data->columns().dropped_rows;
  return std::vector<std::uint32_t>(dropped.begin(), dropped.end());
}

Result<GenotypeTables> genotype_tables(std::span<const OptionValue> options) {
  STRADS_ASSIGN_OR_RETURN(const auto input, data_of({{options.begin(), options.end()}}));
  STRADS_ASSIGN_OR_RETURN(auto data, load_dataset(input));
  const Dataset& dataset = *data;
  GenotypeTables tables;
  for (std::uint64_t i = 0; i < dataset.columns().rows; ++i) {
    const SampleName name = dataset.sample(i);
    tables.family.emplace_back(name.family);
    tables.individual.emplace_back(name.individual);
  }
  for (VarId j = 0; j < dataset.columns().columns; ++j) {
    const VariableName name = dataset.variable(j);
    tables.id.emplace_back(name.id);
    tables.chromosome.emplace_back(name.chromosome);
    tables.position.emplace_back(name.position);
    tables.counted.emplace_back(name.counted);
    tables.other.emplace_back(name.other);
  }
  return tables;
}

}  // namespace strads::lasso
