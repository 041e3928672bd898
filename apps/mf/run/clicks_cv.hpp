// Folds of `mf cv`, of whatever kind: ratings as grid/cv.hpp has them, and clicks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "mf/grid/cv.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"
#include "strads/engine/options.hpp"
#include "strads/program/kept_data.hpp"

namespace strads::mf {

/// As load_cv(), of clicks: for implicit feedback or item weights. `judged`: fits are judged here (CvData::ranked).
/// Errors: as load_cv(), to_positives(), load_slim(); input: a fold without a pair that a list could have.
struct ClicksCv {
  CvKind kind = CvKind::implicit;
  std::uint32_t folds = 2;
  bool judged = true;
};
[[nodiscard]] Result<CvData> load_clicks_cv(const RatingsInput& input, const ClicksCv& about,
                                            const std::shared_ptr<Chunks>& threads,
                                            const std::function<void(double share)>& progress, KeptData& kept);
/// What load_cv() or load_clicks_cv() gives, whatever the kind of the plan.
[[nodiscard]] Result<CvData> load_folds(const RatingsInput& input, const CvPlan& plan, bool judged,
                                        const std::shared_ptr<Chunks>& threads,
                                        const std::function<void(double share)>& progress, KeptData& kept);

/// Whether --schedulers and --workers suit all folds. Errors: usage.
[[nodiscard]] Status check_cv_roles(const CvData& data, const EngineOptions& engine);

}  // namespace strads::mf
