#include "mf/options/serving_options.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace strads::mf {
namespace {

/// In the order of ListFormat.
std::vector<std::string> list_format_names() {
  return {"tsv", "csv", "jsonl", "npz"};
}

}  // namespace

ListFormat list_format_of(const std::string& name) {
  const auto names = list_format_names();
  return static_cast<ListFormat>(std::find(names.begin(), names.end(), name) - names.begin());
}

void add_item_options(OptionTable& table, ListOptions& options, std::string allow) {
  const OptionSection rows = table.section("input");
  rows.common().text("allow", "FILE", std::move(allow), &options.allow);
  rows.common().text("deny", "FILE", "none of these items", &options.deny);
}

void add_list_options(OptionTable& table, ListOptions& options, std::string out) {
  add_threads_option(table, &options.threads);
  table.section("output").common().choice(
      "format", "a table with tabs or with commas, one JSON object a list, or arrays for NumPy (needs --out)",
      &options.format, list_format_names());
  add_common_options(table, options.common, "FILE", std::move(out), false);
}

Status check_apart(const std::string& model, const std::string& out, const std::string& advice) {
  std::error_code unknown;  // a folder that is not there is another one
  if (!std::filesystem::equivalent(model, out, unknown)) return {};
  return Status::usage("--model and --out are the same folder, " + out + ": " + advice);
}

OptionTable export_option_table(ExportOptions& options) {
  OptionTable table("mf export",
                    "mf export: vectors of users and items whose inner product is the score, as libraries that search\n"
                    "for neighbours read them; of --solver slim the weights\n"
                    "usage: mf export --model DIR --out DIR\n");
  add_model_option(table, &options.model);
  add_common_options(table, options.common, "DIR", "directory for the arrays and their ids", true);
  return table;
}

OptionTable split_option_table(SplitOptions& options) {
  OptionTable table("mf split",
                    "mf split: ratings as files to learn from and to judge lists by: the last item of each user, or\n"
                    "users whom the model does not know (strong generalisation)\n"
                    "usage: mf split --ratings FILE --time COLUMN --out DIR\n"
                    "       mf split --ratings FILE --protocol strong --out DIR\n");
  const OptionSection rows = table.section("input");
  rows.common().text("ratings", "FILE", "text of users, items and ratings or pairs, as in mf fit", &options.ratings);
  add_columns_option(table, "which columns are user, item and rating, as in mf fit", &options.columns);
  rows.common().text("time", "COLUMN", "leave-last: name or number of the column with the time, a number that grows",
                     &options.time);
  rows.common().choice("protocol", "which pairs are to be found", &options.protocol, {"leave-last", "strong"});
  rows.common().number("positive-from", "R", "only lines with a rating of at least R; without it all",
                       &options.positive_from, {.min = -1e300, .max = 1e300});
  rows.common().number("users", "SHARE", "strong: share of the users that are not learned from", &options.users,
                       {.min = 0, .max = 1, .min_open = true, .max_open = true});
  rows.number("test-share", "SHARE", "strong: share of such a user's pairs that are to be found; the others are given",
              &options.share, {.min = 0, .max = 1, .min_open = true, .max_open = true});
  rows.count("seed", "N", "strong: another draw of users and pairs", &options.seed, {.min = 0});
  add_common_options(table, options.common, "DIR", "directory for train.tsv, test.tsv and, of strong, given.tsv", true);
  return table;
}

Status check_split_options(const SplitOptions& options) {
  if (options.ratings.empty()) return Status::usage("no ratings: give --ratings FILE");
  if (options.common.out.empty()) return Status::usage("no place for the parts: give --out DIR");
  if (options.protocol == "leave-last" && options.time.empty()) {
    return Status::usage("--protocol leave-last asks which pair of a user is the last one: give --time COLUMN, e.g. 4");
  }
  return {};
}

OptionTable refit_option_table(RefitOptions& options) {
  OptionTable table("mf refit",
                    "mf refit: a model for ratings that have grown: users and items with another number of ratings\n"
                    "than in the fit are computed anew, from where they are, all others stay; of --solver slim every\n"
                    "item is solved to its certificate, from the weights that it has\n"
                    "usage: mf refit --model DIR --ratings FILE --out DIR\n");
  add_model_option(table, &options.model);
  table.section("input").common().text(
      "ratings", "FILE", "all ratings, old and new, read as the fit read its own: with what it held out, and so on",
      &options.ratings);
  add_columns_option(table, "which columns of the ratings are user, item and rating; without it as the fit had them",
                     &options.columns);
  table.section("problem").common().count(
      "passes", "N", "how often the changed users and then the changed items are solved, each row exactly",
      &options.passes, {.min = 1, .max = 1000});
  add_threads_option(table, &options.threads);
  add_common_options(table, options.common, "DIR", "directory for the new model", true);
  return table;
}

Status check_refit_options(const RefitOptions& options) {
  if (Status model = check_model(options.model); !model.ok()) return model;
  if (options.ratings.empty()) return Status::usage("no ratings: give --ratings FILE with all of them, old and new");
  if (options.common.out.empty()) return Status::usage("no place for the factors: give --out DIR");
  return check_apart(options.model, options.common.out, "give the new model a folder of its own");
}

Status check_export_options(const ExportOptions& options) {
  if (Status model = check_model(options.model); !model.ok()) return model;
  if (options.common.out.empty()) return Status::usage("no place for the arrays: give --out DIR");
  return check_apart(options.model, options.common.out, "give what is exported a folder of its own");
}

OptionTable similar_option_table(SimilarOptions& options) {
  OptionTable table("mf similar",
                    "mf similar: the items that are most like others, by the cosine of factors or by SLIM's weights\n"
                    "usage: mf similar --model DIR [--items FILE] [--top N] [--out FILE]\n");
  add_model_option(table, &options.model);
  const OptionSection rows = table.section("input");
  rows.common().text(
      "items", "FILE",
      "only lists of these items, one id a line, or a table with a column of them, as items.tsv; without it of all",
      &options.items);
  rows.common().count("top", "N", "items in each list", &options.top, {.min = 1, .max = 1e6});
  add_item_options(table, options, "only these items in lists, in a file as --items");
  rows.common().count("min-count", "N", "only items in lists that at least N users of the fit have", &options.min_count,
                      {.min = 0});
  add_list_options(table, options, "where the lists go; without it: stdout");
  return table;
}

}  // namespace strads::mf
