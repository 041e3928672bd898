#include "sim/audit/audit_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/audit/audit_hashes.hpp"

namespace strads::sim {

namespace {

/// Infinity if one of them is not finite.
template <class Number>
double largest(std::span<const Number> values) {
  double scale = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
    scale = std::max(scale, std::abs(value));
  }
  return scale;
}

double largest(const Payload& content) {
  double scale = largest(std::span<const double>(content.values));
  for (const SharedFloats& array : content.bulk) scale = std::max(scale, largest(array.view()));
  return scale;
}

/// Infinity if they do not have the same length.
template <class Number>
double farthest(std::span<const Number> held, std::span<const Number> expected) {
  if (held.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double difference = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const double off = std::abs(double{held[i]} - double{expected[i]});
    if (!(off <= difference)) difference = off;  // also if it is no number
  }
  return difference;
}

}  // namespace

AuditReference::AuditReference(std::shared_ptr<Model> model, std::uint32_t depth)
    : model_(std::move(model)), depth_(depth) {}

void AuditReference::start() {
  current_ = model_->make_state();
  const Payload content = current_->content();
  hashes_.push_back(hash_of(content));
  start_scale_ = largest(content);
}

const State* AuditReference::at(Version v) const {
  if (v == version_) return current_.get();
  const auto found = older_.find(v);
  return found == older_.end() ? nullptr : found->second.get();
}

AuditReference::Outcome AuditReference::outcome(std::span<const Payload> deltas) {
  Outcome outcome;
  if (deltas.empty()) {
    outcome.pull.step = 0;
    outcome.pull.objective = objective();
    return outcome;
  }
  Cost cost;
  outcome.direction = model_->combine(deltas, chunks_, cost);
  outcome.pull = model_->pull(*current_, deltas, outcome.direction.get());
  if (outcome.pull.step == 0) outcome.pull.changes = {};  // an empty round carries none
  return outcome;
}

Push AuditReference::push(const State& base, const wire::Assign& assign) {
  return model_->push(base, {assign.block, assign.kind, assign.sweeps, assign.tolerance}, chunks_);
}

void AuditReference::apply(const wire::Commit& commit, const Direction* direction) {
  const bool changes = commit.step != 0;
  if (depth_ > 1) {
    older_[version_] = current_;
    if (changes) current_ = current_->clone();
  }
  if (changes) {
    Cost cost;
    model_->apply(*current_, commit.changes, commit.step, direction, chunks_, cost);
  }
  const std::uint64_t before = final_hash();
  ++version_;
  while (!older_.empty() && older_.begin()->first <= version_ - static_cast<Version>(depth_))
    older_.erase(older_.begin());
  hashes_.push_back(changes ? hash_of(current_->content()) : before);
}

void AuditReference::recompute(std::uint32_t phase) {
  // Older versions stay: rounds that the end of the run cut off are still being computed on them.
  if (depth_ > 1) current_ = current_->clone();
  Cost cost;
  model_->recompute(*current_, chunks_, cost);
  recomputed_[version_].push_back({phase, hash_of(current_->content())});
}

double AuditReference::drift() {
  const Payload held = current_->content();
  const double scale = std::max(start_scale_, largest(held));
  if (std::isinf(scale)) return 0;
  const auto copy = current_->clone();
  Cost cost;
  model_->recompute(*copy, chunks_, cost);
  const Payload expected = copy->content();
  if (held.ids != expected.ids || held.bulk.size() != expected.bulk.size())
    return std::numeric_limits<double>::infinity();
  double difference = farthest<double>(held.values, expected.values);
  for (std::size_t i = 0; i < held.bulk.size(); ++i) {
    const double off = farthest(held.bulk[i].view(), expected.bulk[i].view());
    if (!(off <= difference)) difference = off;
  }
  return scale > 0 ? difference / scale : difference;
}

std::uint64_t AuditReference::content_hash(Version v, std::uint32_t phases) const {
  std::uint64_t hash = hashes_[static_cast<std::size_t>(v + 1)];
  const auto again = recomputed_.find(v);
  if (again == recomputed_.end()) return hash;
  for (const Recomputed& recomputed : again->second) {
    if (recomputed.phase < phases) hash = recomputed.hash;
  }
  return hash;
}

bool AuditReference::holds(Version v, std::uint32_t phases, std::uint64_t content) const {
  return content == content_hash(v, phases) || (phases > 0 && content == content_hash(v, phases - 1));
}

std::uint64_t AuditReference::final_hash() const {
  return content_hash(version_, std::numeric_limits<std::uint32_t>::max());
}

}  // namespace strads::sim
