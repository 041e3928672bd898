#include "lasso/report/unseen.hpp"

#include "lasso/problem/payloads.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

constexpr const char* kHow = "; --stop-after 0 looks at all\n";

}  // namespace

std::optional<Unseen> unseen_of(const RunEnd& end, std::size_t seen) {
  if (end.problem.values.empty()) return std::nullopt;
  const auto lambdas = lambdas_of(end.problem);
  if (lambdas.size() <= seen) return std::nullopt;
  return Unseen{lambdas.size(), lambdas.size() - seen, lambdas.back(),
                lambdas.back() / solution_of(end).problem.lambda_max};
}

void add_unseen(Summary& summary, const std::optional<Unseen>& unseen) {
  if (!unseen) return;
  Summary facts;
  facts.add("lambdas", std::uint64_t{unseen->lambdas});
  facts.add("lambda_last", unseen->last);
  facts.add("lambda_ratio_last", unseen->last_ratio);
  summary.add("not_looked_at", facts);
}

std::string unseen_line(const std::optional<Unseen>& unseen, Measure measure, Family family, const StopRule& rule,
                        const char* where) {
  if (!unseen) return "";
  const Measure loss = loss_of(family);
  const std::string gained = measure == loss ? std::string("no better ") + measure_name(measure)
                                             : std::string("neither a better ") + measure_name(measure) +
                                                   " nor a better " + measure_name(loss);
  return "unseen   " + std::to_string(unseen->lambdas) + " of " + with_unit(unseen->planned, "lambda", "lambdas") +
         ", down to " + short_text(unseen->last_ratio, 3) + " lambda_max: the last " +
         with_unit(rule.after, "lambda", "lambdas") + " had " + gained + " " + where + kHow;
}

std::string unseen_line(std::span<const Unseen> unseen, std::size_t grids) {
  if (unseen.empty()) return "";
  std::size_t lambdas = 0, planned = 0;
  for (const Unseen& one : unseen) {
    lambdas += one.lambdas;
    planned += one.planned;
  }
  return "unseen   " + std::to_string(lambdas) + " of " + with_unit(planned, "lambda", "lambdas") + " of the " +
         std::to_string(unseen.size()) + " of " + with_unit(grids, "grid", "grids") + " that were stopped" + kHow;
}

}  // namespace strads::lasso
