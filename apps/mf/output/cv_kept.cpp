// What a checkpoint of a cross-validation keeps of a fit that has ended: its figures, but not its factors.
#include <cstdint>
#include <utility>

#include "mf/output/cv_output.hpp"
#include "strads/base/payload_fields.hpp"

namespace strads::mf {
namespace {

struct KeptFit {
  std::uint64_t finished = 0;
  double train_rmse = 0, train_mae = 0;
  std::uint64_t train_ratings = 0;
  double validation_rmse = 0, validation_mae = 0;
  std::uint64_t validation_ratings = 0;
  double test_rmse = 0, test_mae = 0;
  std::uint64_t test_ratings = 0;
  double objective = 0;
  std::uint64_t sweeps = 0, best_sweep = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& fit, Visit&& visit) {
    visit(fit.finished);
    visit(fit.train_rmse);
    visit(fit.train_mae);
    visit(fit.train_ratings);
    visit(fit.validation_rmse);
    visit(fit.validation_mae);
    visit(fit.validation_ratings);
    visit(fit.test_rmse);
    visit(fit.test_mae);
    visit(fit.test_ratings);
    visit(fit.objective);
    visit(fit.sweeps);
    visit(fit.best_sweep);
  }
};

}  // namespace

KeptOfRun kept_of_fit(const CvFit& fit) {
  return {.numbers = {payload_of(KeptFit{.finished = fit.finished ? 1U : 0U,
                                         .train_rmse = fit.train.rmse,
                                         .train_mae = fit.train.mae,
                                         .train_ratings = fit.train.ratings,
                                         .validation_rmse = fit.validation.rmse,
                                         .validation_mae = fit.validation.mae,
                                         .validation_ratings = fit.validation.ratings,
                                         .test_rmse = fit.test.rmse,
                                         .test_mae = fit.test.mae,
                                         .test_ratings = fit.test.ratings,
                                         .objective = fit.objective,
                                         .sweeps = fit.sweeps,
                                         .best_sweep = fit.best_sweep})},
          .texts = {fit.stop_reason, fit.model_hash}};
}

Result<CvFit> fit_of_kept(const KeptOfRun& kept) {
  Status wrong = Status::input("what it says of a fit that ended is no such thing");
  if (kept.numbers.size() != 1 || kept.texts.size() != 2) return wrong;
  const auto fields = find_fields<KeptFit>(kept.numbers.front().values);
  if (!fields) return wrong;
  return CvFit{.finished = fields->finished != 0,
               .stop_reason = kept.texts[0],
               .train = {fields->train_rmse, fields->train_mae, fields->train_ratings},
               .validation = {fields->validation_rmse, fields->validation_mae, fields->validation_ratings},
               .test = {fields->test_rmse, fields->test_mae, fields->test_ratings},
               .objective = fields->objective,
               .sweeps = static_cast<std::uint32_t>(fields->sweeps),
               .best_sweep = static_cast<std::uint32_t>(fields->best_sweep),
               .model_hash = kept.texts[1],
               .complaint = {}};
}

}  // namespace strads::mf
