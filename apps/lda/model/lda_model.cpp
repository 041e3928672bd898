#include "lda/model/lda_model.hpp"

#include <algorithm>
#include <utility>

#include "lda/model/lda_judge.hpp"
#include "lda/model/lda_slice.hpp"
#include "lda/problem/special.hpp"
#include "strads/base/status.hpp"

namespace strads::lda {
namespace {

std::unique_ptr<LdaSolver> make_solver(const std::shared_ptr<const LdaData>& data, const LdaOptions& options) {
  return options.sampler == Sampler::delayed ? make_delayed_solver(data, options) : make_cell_solver(data, options);
}

/// In a conditional's running sum each addition waits for the one before, as long as three others take.
constexpr std::uint64_t kWaitsOfAddition = 3;

std::vector<std::uint64_t> lengths_of(const LdaData& data) {
  std::vector<std::uint64_t> lengths(data.documents->size());
  for (std::size_t d = 0; d < lengths.size(); ++d) lengths[d] = data.token_begins[d + 1] - data.token_begins[d];
  return lengths;
}

void add_to(std::span<const double> more, std::span<double> sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

}  // namespace

double log_joint_of(std::span<const double> totals, std::span<const double> documents, std::span<const double> words,
                    double beta, double vocabulary) {
  double sum = FixedSum::value(documents[kMeasureLogJoint], documents[kMeasureLogJoint + 1]) +
               FixedSum::value(words[kMeasureLogJoint], words[kMeasureLogJoint + 1]);
  for (const double total : totals) sum -= log_rising(vocabulary * beta, static_cast<std::uint64_t>(total));
  return sum;
}

LdaModel::LdaModel(std::shared_ptr<const LdaData> data, const LdaOptions& options, const EngineOptions& engine)
    : data_(std::move(data)),
      options_(options),
      engine_(engine),
      solver_(make_solver(data_, options)),
      held_out_(data_, options) {
  if (options_.alpha.empty()) options_.alpha.assign(options_.topics, 50.0 / options_.topics);
}

ModelShape LdaModel::shape() const {
  return {.variables = static_cast<VarId>(data_->documents->size() + data_->vocabulary())};
}

void LdaModel::place(const Placement& placement) {
  const auto documents = static_cast<VarId>(data_->documents->size());
  std::vector<std::vector<std::uint32_t>> of_documents, of_words;
  slice_of_.assign(variables(), 0);
  for (std::uint32_t s = 0; s < placement.slices.size(); ++s) {
    const auto& slice = placement.slices[s];
    for (const VarId variable : slice) slice_of_[variable] = s;
    const auto words = std::lower_bound(slice.begin(), slice.end(), documents);
    of_documents.emplace_back(slice.begin(), words);
    auto& own = of_words.emplace_back(words, slice.end());
    for (auto& word : own) word -= documents;
  }
  documents_ = deal_rows(lengths_of(*data_), of_documents, placement.workers);
  words_ = deal_rows(data_->word_tokens, of_words, placement.workers);
  solver_->place(documents_, words_);
  held_out_.place(placement);
}

std::uint64_t LdaModel::tokens_of(const Plan& plan) const {
  return plan.kind() == Work::held_out ? held_out_.tokens_of(plan.page) : solver_->tokens_of(plan);
}

std::uint32_t LdaModel::pages_of(Work work) const {
  return work == Work::held_out ? held_out_.size() : solver_->pages_of(work);
}

std::vector<std::uint32_t> LdaModel::pages_of_slice(const Plan& plan, std::uint32_t slice) const {
  return plan.kind() == Work::held_out ? held_out_.of_slice(slice) : solver_->pages_of_slice(plan, slice);
}

VarId LdaModel::variable_of(const Plan& plan) const {
  return plan.kind() == Work::held_out ? held_out_.variable_of(plan.page) : solver_->variable_of(plan);
}

std::unique_ptr<Slice> LdaModel::make_slice(std::vector<VarId> variables) {
  return std::make_unique<LdaSlice>(*this, std::move(variables));
}

std::unique_ptr<Judge> LdaModel::make_judge() const {
  return std::make_unique<LdaJudge>(*data_, options_, engine_);
}

std::unique_ptr<State> LdaModel::make_state() const {
  auto state = std::make_unique<LdaState>();
  state->alpha = options_.alpha;
  state->beta = options_.beta;
  state->documents_measured.assign(measure_size(Work::measure_documents, options_.topics), 0);
  state->words_measured.assign(measure_size(Work::measure_words, options_.topics), 0);
  state->held_out_measured.assign(measure_size(Work::held_out, options_.topics), 0);
  state->totals.assign(options_.topics, 0);
  solver_->start(*state);
  for (std::uint32_t page = 0; page < solver_->pages_of(Work::measure_documents); ++page) {
    for (const std::uint16_t topic : solver_->by_document(*state, page).topics) ++state->totals[topic];
  }
  return state;
}

std::vector<RowTopics> LdaModel::topics_of_slice(const LdaState& state, std::uint32_t slice) const {
  std::vector<RowTopics> topics;
  const Plan plan{.work = static_cast<std::uint64_t>(Work::measure_documents)};
  for (const std::uint32_t page : solver_->pages_of_slice(plan, slice)) {
    topics.push_back(solver_->by_document(state, page));
  }
  return topics;
}

std::uint64_t LdaModel::flops_of(const Plan& plan) const {
  if (plan.kind() == Work::held_out) return held_out_.flops_of(plan.page);
  const std::uint64_t each = plan.kind() == Work::cells ? 4 * std::uint64_t{options_.topics} : 40;
  return solver_->tokens_of(plan) * each;
}

/// In flops that do not wait for one another: cells as small as those of 64 workers are worth a task.
std::uint64_t LdaModel::push_flops(const Block& block) const {
  const auto plan = read_fields<Plan>(block.content.values);
  return plan.kind() == Work::cells ? kWaitsOfAddition * flops_of(plan) : flops_of(plan);
}

Push LdaModel::push(const State& base, const Block& block, Chunks&) const {
  const auto& state = static_cast<const LdaState&>(base);
  const auto plan = read_fields<Plan>(block.content.values);
  const Prior prior{alpha_of(block.content.values, options_.topics), plan.beta};
  Push push;
  push.deltas.values = block.content.values;
  if (draws(plan.kind())) {
    std::vector<double> changes(options_.topics, 0);
    push.deltas.bulk.push_back(solver_->draw(state, plan, prior, changes));
    push.deltas.values.insert(push.deltas.values.end(), changes.begin(), changes.end());
  } else {
    const auto sums = plan.kind() == Work::held_out ? held_out_.measured(*solver_, state, plan.page, prior)
                                                    : measured(*solver_, state, plan, prior);
    push.deltas.values.insert(push.deltas.values.end(), sums.begin(), sums.end());
  }
  const std::uint64_t tokens = tokens_of(plan);
  push.cost = {.flops = flops_of(plan), .bytes = 8 * tokens, .updates = draws(plan.kind()) ? tokens : 0};
  // Prices of the simulator alone. A token of the other order is a line of the cache.
  constexpr std::uint64_t kLineOfToken = 80, kTokenInOrder = 8;
  push.cost.local = push_flops(block);
  push.cost.gathered = (plan.kind() == Work::cells ? kTokenInOrder : kLineOfToken) * tokens;
  return push;
}

std::shared_ptr<const Direction> LdaModel::combine(std::span<const Payload>, Chunks&, Cost&) const {
  return nullptr;
}

/// Answers that are well formed may still be of other plans than one another: then nobody asked for some of them.
Pull LdaModel::pull(const State& now, std::span<const Payload> deltas, const Direction*) const {
  const std::size_t head = plan_size(options_.topics);
  Pull pull{.step = 1, .objective = objective(now), .realised = 0, .changes = {}};
  auto& values = pull.changes.values;
  const auto asked = [&](const Payload& block) {
    auto plan = read_fields<Plan>(block.values);
    plan.page = 0;
    auto all = payload_of(plan).values;
    const auto alpha = alpha_of(block.values, options_.topics);
    all.insert(all.end(), alpha.begin(), alpha.end());
    return all;
  };
  values = asked(deltas[0]);
  const bool of_one_plan =
      std::all_of(deltas.begin(), deltas.end(), [&](const Payload& block) { return asked(block) == values; });
  if (!of_one_plan) return {.step = 0, .objective = pull.objective, .realised = 0, .changes = {}};
  std::vector<double> blocks;
  for (const Payload& block : deltas) {
    blocks.push_back(static_cast<double>(read_fields<Plan>(block.values).page));
    blocks.insert(blocks.end(), block.values.begin() + static_cast<std::ptrdiff_t>(head), block.values.end());
    pull.changes.bulk.insert(pull.changes.bulk.end(), block.bulk.begin(), block.bulk.end());
  }
  values.insert(values.end(), blocks.begin(), blocks.end());
  return pull;
}

void LdaModel::apply(State& state, const Payload& changes, double, const Direction*, Chunks&, Cost&) const {
  if (!changes.values.empty()) fold(static_cast<LdaState&>(state), changes);
}

void LdaModel::fold(LdaState& state, const Payload& changes) const {
  const auto plan = read_fields<Plan>(changes.values);
  const std::span<const double> values = changes.values;
  if (state.phase != plan.phase) {
    state.phase = plan.phase;
    state.fresh.clear();
    const auto alpha = alpha_of(values, options_.topics);
    state.alpha.assign(alpha.begin(), alpha.end());
    state.beta = plan.beta;
  }
  const std::size_t sums = sums_size(plan.kind(), options_.topics);
  std::size_t array = 0;
  for (auto rest = values.subspan(plan_size(options_.topics)); !rest.empty(); rest = rest.subspan(1 + sums)) {
    FreshPage page{
        static_cast<std::uint64_t>(rest[0]), {rest.begin() + 1, rest.begin() + 1 + std::ssize(rest.first(sums))}, {}};
    if (draws(plan.kind())) page.topics = changes.bulk[array++];
    state.fresh.push_back(std::move(page));
  }
  if (state.fresh.size() == pages_with_tokens(plan)) finish_phase(state, plan);
}

std::uint32_t LdaModel::pages_with_tokens(const Plan& plan) const {
  std::uint32_t pages = 0;
  for (std::uint32_t slice = 0; slice < engine_.schedulers; ++slice) {
    for (const std::uint32_t page : pages_of_slice(plan, slice)) {
      Plan own = plan;
      own.page = page;
      pages += tokens_of(own) > 0 ? 1 : 0;
    }
  }
  return pages;
}

void LdaModel::finish_phase(LdaState& state, const Plan& plan) const {
  if (draws(plan.kind())) {
    state.drift = solver_->drift(state);
    for (const FreshPage& page : state.fresh) add_to(page.sums, state.totals);
    solver_->install(state, plan);
  } else {
    auto& measure = plan.kind() == Work::held_out            ? state.held_out_measured
                    : plan.kind() == Work::measure_documents ? state.documents_measured
                                                             : state.words_measured;
    std::fill(measure.begin(), measure.end(), 0.0);
    for (const FreshPage& page : state.fresh) add_to(page.sums, measure);
  }
  state.sweep = plan.sweep;
  state.fresh.clear();
}

void LdaModel::recompute(State& of_run, Chunks& chunks, Cost& cost) const {
  auto& state = static_cast<LdaState&>(of_run);
  state.fresh.clear();
  state.verified = true;
  std::fill(state.totals.begin(), state.totals.end(), 0.0);
  const std::uint32_t of_documents = solver_->pages_of(Work::measure_documents);
  const std::uint32_t of_words = solver_->pages_of(Work::measure_words);
  std::vector<std::vector<double>> sums(of_documents + of_words), totals(of_documents);
  chunks.for_each(sums.size(), [&](std::size_t piece) {
    const bool is_words = piece >= of_documents;
    const Plan plan{.work = static_cast<std::uint64_t>(is_words ? Work::measure_words : Work::measure_documents),
                    .page = is_words ? piece - of_documents : piece};
    sums[piece] = measured(*solver_, state, plan, {state.alpha, state.beta});
    if (is_words) return;
    totals[piece].assign(options_.topics, 0);
    for (const std::uint16_t topic : solver_->by_document(state, static_cast<std::uint32_t>(piece)).topics) {
      ++totals[piece][topic];
    }
  });
  std::fill(state.documents_measured.begin(), state.documents_measured.end(), 0.0);
  std::fill(state.words_measured.begin(), state.words_measured.end(), 0.0);
  for (std::size_t piece = 0; piece < sums.size(); ++piece) {
    add_to(sums[piece], piece < of_documents ? state.documents_measured : state.words_measured);
    if (piece < of_documents) add_to(totals[piece], state.totals);
  }
  cost += {.flops = 40 * data_->tokens(), .bytes = 16 * data_->tokens(), .updates = 0};
}

double LdaModel::objective(const State& of_run) const {
  const auto& state = static_cast<const LdaState&>(of_run);
  const bool was_measured =
      std::any_of(state.words_measured.begin(), state.words_measured.end(), [](double part) { return part != 0; });
  if (!was_measured) return 0;
  return -log_joint_of(state.totals, state.documents_measured, state.words_measured, state.beta, data_->vocabulary());
}

std::shared_ptr<Model> make_lda_model(std::shared_ptr<const LdaData> data, const LdaOptions& options,
                                      const EngineOptions& engine) {
  return std::make_shared<LdaModel>(std::move(data), options, engine);
}

}  // namespace strads::lda
