// Several models of one run that learn from the same ratings: sorted by block and held once.
#include "mf/model/mf_model.hpp"
#include "mf/solvers/solvers.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {

MfModel::MfModel(std::shared_ptr<const MfModel> like, const MfOptions& options)
    : data_(like->data_),
      options_(options),
      engine_(like->engine_),
      keep_ratings_(true),
      like_(std::move(like)),
      solver_(make_solver(options)) {
  STRADS_CHECK(options_.solver == like_->options_.solver && options_.balance == like_->options_.balance,
               "solver and balance decide how ratings are sorted");
}

void MfModel::share_ratings(const MfModel& like, std::size_t workers_here) {
  STRADS_CHECK(like.store_ != nullptr, "the model whose ratings are shared is placed first");
  partition_ = like.partition_;
  store_ = like.store_;
  strangers_ = like.strangers_;
  solver_->place(data_, partition_, workers_here);
}

std::pair<std::uint64_t, std::uint64_t> bytes_held(const MfModel& model) {
  const MfData& data = model.data();
  const std::uint64_t of_rating = sizeof(std::uint32_t) + (data.ratings->levels.empty() ? sizeof(float) : 1);
  const std::uint64_t all = kSides * data.train_size * of_rating;
  return {all, static_cast<std::uint64_t>(model.share_held() * static_cast<double>(all))};
}

std::shared_ptr<Model> make_mf_model_like(std::shared_ptr<const Model> like, const MfOptions& options) {
  return std::make_shared<MfModel>(std::static_pointer_cast<const MfModel>(std::move(like)), options);
}

}  // namespace strads::mf
