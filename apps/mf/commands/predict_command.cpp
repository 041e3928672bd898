// `mf predict`: pairs of user and item.
#include <filesystem>

#include "mf/commands/commands.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/options/fit_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"

namespace strads::mf {
namespace {

/// Text is handed on in pieces of about this size.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

struct Unknown {
  std::uint64_t users = 0, items = 0;  ///< pairs with an unknown one; of both counts twice
  bool first = false;                  ///< both of the first pair
};

/// What stands above words alone may be their names: only the model can tell.
std::string about_first_line(const Pairs& pairs, const Unknown& unknown) {
  const bool may_name = unknown.first && !pairs.has_header && pairs.users.size() > unknown.users;
  if (!may_name) return "";
  const std::string names = pairs.users[0] + "," + pairs.items[0];
  return "; nobody knows either of the first pair, " + names + ": if these are names of columns, give --columns " +
         names;
}

void say_unknown(const PredictOptions& options, const Unknown& unknown, const Pairs& pairs) {
  if (options.common.quiet || unknown.users + unknown.items == 0) return;
  print_note("mf", "of " + std::to_string(pairs.users.size()) + " pairs " + std::to_string(unknown.users) +
                       " have an unknown user, " + std::to_string(unknown.items) +
                       " an unknown item: the mean and the known bias are predicted" +
                       about_first_line(pairs, unknown));
}

Status write_predictions(const FactorModel& model, const Pairs& pairs, ResultWriter& writer, Unknown& unknown) {
  std::string text = "user\titem\tprediction\n";
  for (std::size_t k = 0; k < pairs.users.size(); ++k) {
    const auto user = model.ids[0]->find(pairs.users[k]);
    const auto item = model.ids[1]->find(pairs.items[k]);
    unknown.users += user == model.size(Side::users) ? 1 : 0;
    unknown.items += item == model.size(Side::items) ? 1 : 0;
    if (k == 0) unknown.first = unknown.users + unknown.items == 2;
    text.append(pairs.users[k]).append("\t").append(pairs.items[k]).append("\t");
    text.append(short_text(double{predict(model, user, item)}, 9)).append("\n");
    if (text.size() < kPieceBytes) continue;
    if (Status written = writer.write(text); !written.ok()) return written;
    text.clear();
  }
  return writer.write(text);
}

/// What a header does not say, the fit's --columns may; models of other programs have none.
Result<Pairs> pairs_of(const PredictOptions& options) {
  FitOptions fit;
  OptionTable table = fit_option_table(fit);
  if (options.columns.empty() && std::filesystem::exists(options.model + "/" + kConfigFile)) {
    if (Status read = read_fit_options(options.model, fit, table); !read.ok()) return read;
  }
  return load_pairs({.path = options.pairs, .columns = options.columns, .columns_of_fit = fit.input.columns});
}

}  // namespace

Status run_predict(std::span<const std::string> arguments) {
  PredictOptions options;
  OptionTable table = predict_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  if (Status checked = check_predict_options(options); !checked.ok()) return checked;
  STRADS_ASSIGN_OR_RETURN(const auto model, read_factor_model(options.model));
  STRADS_ASSIGN_OR_RETURN(const auto pairs, pairs_of(options));
  if (!options.common.quiet && !pairs.note.empty()) {
    print_note("mf", options.pairs + ": " + pairs.note);
  }
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(options.common.out));
  Unknown unknown;
  if (Status done = write_predictions(model, pairs, writer, unknown); !done.ok()) return done;
  say_unknown(options, unknown, pairs);
  return writer.commit();
}

}  // namespace strads::mf
