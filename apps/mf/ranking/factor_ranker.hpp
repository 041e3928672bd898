// The best items of users by the factors of a model, at the speed of a matrix product.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "mf/factors/model_files.hpp"
#include "mf/ranking/best_items.hpp"

namespace strads::mf {

/// The lists that score() of every item would give, bit by bit, with equal scores in the order asked for. Scores are
/// taken approximately first (strads/numerics/product_screen.hpp), and score() is computed of those items alone whose
/// score could be among the best. Items come longest first, and what is left is not looked at where it is too short
/// [Teflioudi 2015].
///   owners: whose the rows of users are, where `model` has those of some users alone; best() is then asked for parts
///   of this span. Both outlive the ranker. Empty: row k is user k's.
/// Memory: a copy of the allowed items' factors. Cost of a list: at most 2 rank flops an item.
[[nodiscard]] std::unique_ptr<const ItemRanker> rank_by_factors(const FactorModel& model,
                                                                const AllowedItems& allowed = {},
                                                                std::span<const std::uint32_t> owners = {});

}  // namespace strads::mf
