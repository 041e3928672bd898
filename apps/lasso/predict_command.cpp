#include "lasso/predict_command.hpp"

#include <cstdio>

#include "lasso/fit_options.hpp"
#include "lasso/match_variables.hpp"
#include "lasso/model_file.hpp"

namespace strads::lasso {
namespace {

void note(const PredictOptions& options, const std::string& text) {
  if (!options.common.quiet) print_note("lasso", text);
}

void say_what_differs(const PredictOptions& options, const FittedModel& model, const Matching& matching,
                      const Dataset& data) {
  const auto of_all = " of the model's " + std::to_string(model.variables.size()) + " variables ";
  if (matching.by_position) note(options, "columns without names: matched by column number");
  if (matching.swapped > 0) {
    note(options, std::to_string(matching.swapped) + of_all + "have their alleles swapped here: flipped");
  }
  if (matching.absent > 0) note(options, std::to_string(matching.absent) + of_all + "are absent: training mean used");
  if (matching.other_alleles > 0) {
    note(options, std::to_string(matching.other_alleles) + of_all + "have other alleles here: training mean used");
  }
  for (const auto& dropped : data.dropped_samples()) {
    if (dropped.count > 0) note(options, std::to_string(dropped.count) + " samples left out: " + dropped.reason);
  }
}

/// FID IID prediction; with one id only: id prediction; without ids: the row's number, from 1.
std::string table_of(const Dataset& data, const std::vector<double>& predictions) {
  const auto& view = data.columns();
  const bool named = view.rows > 0 && !data.sample(0).individual.empty();
  const bool families = view.rows > 0 && !data.sample(0).family.empty();
  std::string out = !named ? "row\tprediction\n" : families ? "FID\tIID\tprediction\n" : "IID\tprediction\n";
  std::size_t next_dropped = 0;
  for (std::uint64_t i = 0; i < view.rows; ++i) {
    if (next_dropped < view.dropped_rows.size() && view.dropped_rows[next_dropped] == i) {
      ++next_dropped;
      continue;
    }
    if (named) {
      const auto sample = data.sample(i);
      if (families) out.append(sample.family).append("\t");
      out.append(sample.individual).append("\t");
    } else {
      out += std::to_string(i + 1) + "\t";
    }
    out += exact_text(predictions[i]) + "\n";
  }
  return out;
}

Status write_table(const std::string& path, const std::string& table) {
  if (!path.empty()) return write_file(path, table);
  if (std::fwrite(table.data(), 1, table.size(), stdout) != table.size() || std::fflush(stdout) != 0) {
    return Status::input("stdout: the predictions could not be written; is the disk full?");
  }
  return {};
}

}  // namespace

Status run_predict(std::span<const std::string> arguments) {
  PredictOptions options;
  OptionTable table = predict_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "lasso")) return {};
  if (Status checked = check_predict_options(options); !checked.ok()) return checked;
  auto model = read_model(options.model + "/model.bin");
  if (!model.ok()) return model.status();
  InputOptions input = options.input;
  input.response_required = false;
  input.missing_mean = true;
  input.missing_stays = true;  // the training means take the place of NaN below
  input.covar_names = model.value().covariate_names;
  if (input.covar.empty() != input.covar_names.empty()) {
    return Status::usage(input.covar.empty()
                             ? "the model has covariates (" + input.covar_names.front() + " ...), expected --covar FILE"
                             : "the model has no covariates, --covar does not go with it");
  }
  auto data = load_dataset(input);
  if (!data.ok()) return data.status();
  const Dataset& dataset = *data.value();
  auto matching = match_variables(model.value(), dataset);
  if (!matching.ok()) return matching.status();
  say_what_differs(options, model.value(), matching.value(), dataset);
  return write_table(options.common.out, table_of(dataset, predict(model.value(), matching.value(), dataset)));
}

}  // namespace strads::lasso
