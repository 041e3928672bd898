#include "mf/ranking/rated_items.hpp"

#include <algorithm>

#include "mf/options/fit_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {

RatedItems rated_by_user(const Ratings& ratings, std::span<const Triplets* const> parts, const ModelIds& model,
                         double lowest) {
  std::vector<std::uint32_t> users(ratings.users->size()), items(ratings.items->size());
  for (std::uint32_t k = 0; k < users.size(); ++k) users[k] = model.ids[0]->find(ratings.users->name(k));
  for (std::uint32_t k = 0; k < items.size(); ++k) items[k] = model.ids[1]->find(ratings.items->name(k));
  const auto known = [&](const Triplets& pairs, std::size_t t) {
    return users[pairs.users[t]] < model.known(Side::users) && items[pairs.items[t]] < model.known(Side::items) &&
           double{value_of(pairs, ratings.levels, t)} >= lowest;
  };
  RatedItems rated;
  rated.begins.assign(std::size_t{model.known(Side::users)} + 1, 0);
  std::uint64_t all = 0;
  for (const Triplets* part : parts) {
    all += part->size();
    for (std::size_t t = 0; t < part->size(); ++t) {
      if (known(*part, t)) ++rated.begins[users[part->users[t]] + std::size_t{1}];
    }
  }
  for (std::size_t k = 1; k < rated.begins.size(); ++k) rated.begins[k] += rated.begins[k - 1];
  rated.unknown = all - rated.begins.back();
  rated.items.resize(rated.begins.back());
  auto next = rated.begins;
  for (const Triplets* part : parts) {
    for (std::size_t t = 0; t < part->size(); ++t) {
      if (known(*part, t)) rated.items[next[users[part->users[t]]]++] = items[part->items[t]];
    }
  }
  for (std::uint32_t user = 0; user < model.known(Side::users); ++user) {
    std::sort(rated.items.begin() + static_cast<std::ptrdiff_t>(rated.begins[user]),
              rated.items.begin() + static_cast<std::ptrdiff_t>(rated.begins[user + 1]));
  }
  return rated;
}

Result<RatingsInput> input_of_fit(const std::string& model, const std::string& missing) {
  FitOptions fit;
  OptionTable table = fit_option_table(fit);
  if (Status read = read_fit_options(model, fit, table); !read.ok()) return read;
  if (fit.input.path.empty()) {
    return Status::usage(model +
                         ": was fitted to ratings that lay in another program's memory, so that the rated pairs " +
                         "are not known here: give " + missing + " with them");
  }
  settle_input(fit);
  return fit.input;
}

Result<std::shared_ptr<const Ratings>> rated_pairs(const std::string& path, const std::string& columns,
                                                   const std::string& model, Chunks& chunks) {
  RatingsInput input;
  input.path = path;
  input.columns = columns;
  input.duplicates = Duplicates::last;
  input.positives = {.on = true, .confidence = Confidence::linear, .from = {}};  // lines without a value will do
  if (path.empty()) {
    STRADS_ASSIGN_OR_RETURN(const auto fitted, input_of_fit(model, "--ratings FILE"));
    input.path = fitted.path;
    input.columns = fitted.columns;
    input.positives = fitted.positives;
  }
  auto ratings = load_ratings(input, chunks);
  if (ratings.ok() || !path.empty()) return ratings;
  return Status::input(ratings.status().message() + "; the model was fitted to this file, give --ratings FILE where " +
                       "it is elsewhere now");
}

Status say_rated(const std::string& path, const std::string& model, const Ratings& ratings, std::uint64_t pairs,
                 const RatedItems& rated, bool quiet) {
  if (rated.unknown == pairs) {
    return Status::input((path.empty() ? "the ratings that the model was fitted to" : path) + ": none of its " +
                         std::to_string(pairs) + " pairs is of the model, so that nothing would be " +
                         "left out; the first is user '" + std::string(ratings.users->name(ratings.train.users[0])) +
                         "' and item '" + std::string(ratings.items->name(ratings.train.items[0])) +
                         "', expected ids as in " + model + "/" + kIdsFile[0] + " and " + kIdsFile[1]);
  }
  if (quiet) return {};
  if (!path.empty()) {
    for (const std::string& note : ratings.notes) print_note("mf", note);
  }
  if (rated.unknown > 0) {
    print_note("mf", "of " + std::to_string(pairs) + " rated pairs " + std::to_string(rated.unknown) +
                         " have a user or an item that the model does not know");
  }
  return {};
}

}  // namespace strads::mf
