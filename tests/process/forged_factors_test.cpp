// A node of mf that lies: its factors are those of the run, but what it says of them is not true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mf/mf_node.hpp"
#include "mf/problem/payloads.hpp"
#include "process/run_liar.hpp"
#include "process/run_mf.hpp"
#include "sim/wrapped_model.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Says that the errors are smaller than they are, by a thousandth.
class BoastingSlice final : public sim::WrappedSlice {
 public:
  using WrappedSlice::WrappedSlice;
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override {
    Payload status = WrappedSlice::refresh(state, chunks, cost);
    auto head = read_fields<mf::StatusHead>(status.values);
    head.error *= 0.999;
    write_fields(head, std::span(status.values));
    return status;
  }
};

/// Its last report has no factors of the last page.
class ForgettingSlice final : public sim::WrappedSlice {
 public:
  using WrappedSlice::WrappedSlice;
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override {
    Payload status = WrappedSlice::refresh(state, chunks, cost);
    if (status.bulk.empty()) return status;
    const std::size_t records = status.bulk.back().size() / record_stride(4);
    status.bulk.pop_back();
    status.ids.resize(status.ids.size() - records);
    return status;
  }
};

template <class Lie>
class MfLiar final : public sim::WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override {
    auto honest = WrappedModel::make_slice(variables);
    return std::make_unique<Lie>(std::move(honest), std::move(variables));
  }
};

class ForgedFactors : public LiarFixture {
 protected:
  ForgedFactors() { folder_.write("ratings.csv", ratings_text(made_up_ratings(60, 40, 900))); }

  template <class Lie>
  Ended ended_with_lie(const std::string& command, const std::string& solver, std::vector<std::string> more,
                       const DaemonModel& model) {
    std::vector<std::string> options = {command, "--ratings", folder_.path("ratings.csv"), "--solver",
                                        solver,  "--out",     folder_.path("run"),         "--force"};
    options.insert(options.end(), more.begin(), more.end());
    return ended_with(mf_command(options), model,
                      [](std::shared_ptr<Model> honest) { return std::make_shared<MfLiar<Lie>>(std::move(honest)); });
  }
};

TEST_F(ForgedFactors, EndTheFitWith70AndBothFiguresAndNothingIsWritten) {
  for (const char* solver : {"cd", "ccd", "als"}) {
    const Ended ended = ended_with_lie<BoastingSlice>("fit", solver, {"--rank", "4"}, mf::mf_node());
    EXPECT_EQ(ended.code, 70) << ended.out << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("the messages of this run say an objective of"), HasSubstr(", the ratings "),
                                 HasSubstr("a bug or a forged message; nothing was written. Please report it")));
    for (const char* file : {"summary.json", "user_factors.npy", "biases.npz", "users.tsv"}) {
      EXPECT_FALSE(folder_.has(std::string("run/") + file)) << file;
    }
    EXPECT_THAT(ended.out, Not(HasSubstr("quality")));
  }
}

TEST_F(ForgedFactors, ThatAreNotAllThereEndTheFitWith70) {
  for (const char* solver : {"cd", "sgd"}) {
    const Ended ended = ended_with_lie<ForgettingSlice>("fit", solver, {"--rank", "4"}, mf::mf_node());
    EXPECT_EQ(ended.code, 70) << ended.out << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("bring the factors of"), HasSubstr("not at all, expected once")));
    EXPECT_FALSE(folder_.has("run/summary.json"));
  }
}

TEST_F(ForgedFactors, OfOneFitOfACrossValidationLeaveTheOthers) {
  // The liar's first model is that of the first fit; those of the others are honest.
  const Ended ended =
      ended_with_lie<BoastingSlice>("cv", "cd", {"--folds=2", "--ranks=4", "--lambdas=0.1,0.2"}, mf::mf_cv_node());
  EXPECT_EQ(ended.code, 70) << ended.out << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("an objective of"), HasSubstr("leave out fold 1, rank 4, lambda 0.1 and")));
  const std::string summary = folder_.read("run/summary.json");
  EXPECT_THAT(summary, HasSubstr("\"stop_reason\": \"1 fit has failed\""));
  EXPECT_THAT(summary, HasSubstr("\"stop_reason\": \"false figures\""));
  EXPECT_EQ(json_field(summary, "finished"), "false");
  EXPECT_THAT(ended.out, AllOf(HasSubstr("incomplete: 1 of 2 folds, false figures"), HasSubstr("lambda 0.2")));
  EXPECT_TRUE(folder_.has("run/cv.tsv"));
}

}  // namespace
}  // namespace strads::test
