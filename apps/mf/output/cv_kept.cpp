// What a checkpoint of a cross-validation keeps of a fit that has ended: its figures, but not its factors.
#include <optional>

#include "mf/output/cv_output.hpp"
#include "strads/base/payload_fields.hpp"

namespace strads::mf {
namespace {
constexpr const char* kFinished = "finished";
}  // namespace

KeptOfRun kept_of_fit(const CvFit& fit) {
  return {.numbers = {payload_of<CvFigures>(fit)},
          .texts = {fit.stop_reason, fit.model_hash, fit.finished ? kFinished : "cut off"}};
}

Result<CvFit> fit_of_kept(const KeptOfRun& kept) {
  std::optional<CvFigures> figures;
  if (kept.numbers.size() == 1 && kept.texts.size() == 3) {
    figures = find_fields<CvFigures>(kept.numbers.front().values);
  }
  if (!figures) return Status::input("what it says of a fit that ended is no such thing");
  CvFit fit;
  static_cast<CvFigures&>(fit) = *figures;
  fit.finished = kept.texts[2] == kFinished;
  fit.stop_reason = kept.texts[0];
  fit.model_hash = kept.texts[1];
  return fit;
}

}  // namespace strads::mf
