// `mf recommend`: the best items of each user.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mf/commands/commands.hpp"
#include "mf/commands/item_lists.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/options/serving_options.hpp"
#include "mf/ranking/rated_items.hpp"
#include "mf/ranking/scorer.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {

Status run_recommend(std::span<const std::string> arguments) {
  RecommendOptions options;
  OptionTable table = recommend_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  if (Status checked = check_recommend_options(options); !checked.ok()) return checked;
  install_signal_handlers();
  STRADS_ASSIGN_OR_RETURN(auto model, read_scorer(options.model));
  const auto threads = make_threads(options.threads);
  RatedItems rated;
  {
    STRADS_ASSIGN_OR_RETURN(const auto ratings, rated_pairs(options.ratings, options.columns, options.model, *threads));
    const Triplets* const parts[] = {&ratings->train};
    model.take_users(*ratings, parts);
    rated = rated_by_user(*ratings, parts, model.ids);
    Status said =
        say_rated(options.ratings, options.model, *ratings, ratings->train.size(), rated, options.common.quiet);
    if (!said.ok()) return said;
  }
  const std::string advice =
      model.weights != nullptr ? "give their pairs with --ratings" : "mf fold-in gives them factors";
  STRADS_ASSIGN_OR_RETURN(const auto users, chosen_ids(options.users, Side::users, options, model.ids, advice));
  std::vector<std::uint32_t> counts(model.ids.known(Side::items), 0);
  for (const std::uint32_t item : rated.items) ++counts[item];
  STRADS_ASSIGN_OR_RETURN(auto allowed, allowed_items(options, model.ids, counts));
  return write_lists(options, {model, rated, std::move(allowed)}, users, {}, *threads);
}

Status run_similar(std::span<const std::string> arguments) {
  SimilarOptions options;
  OptionTable table = similar_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  if (Status checked = check_model(options.model); !checked.ok()) return checked;
  install_signal_handlers();
  STRADS_ASSIGN_OR_RETURN(const auto model, read_similar_items(options.model));
  const auto threads = make_threads(options.threads);
  const ModelIds& ids = model.scorer.ids;
  STRADS_ASSIGN_OR_RETURN(const auto items, chosen_ids(options.items, Side::items, options, ids, ""));
  STRADS_ASSIGN_OR_RETURN(auto allowed, allowed_items(options, ids, ids.counts[1]));
  ListShape shape;
  shape.whose = "item";
  shape.score = "similarity";
  const bool by_weights = model.scorer.weights != nullptr;
  return write_lists(options, {model.scorer, model.itself, std::move(allowed), by_weights}, items, std::move(shape),
                     *threads);
}

}  // namespace strads::mf
