// From files to what one process of a fit knows.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mf/problem/mf.hpp"

namespace strads::mf {

/// What is to be said where all ratings are equal, since who has met what is no rating; "" where they differ.
///   name: of the file
[[nodiscard]] std::string about_values(const Ratings& ratings, const std::string& name);

/// What is said of a unit that is not 1 (MfData::unit); "" of 1.
[[nodiscard]] std::string about_unit(double unit);

/// How MfData::stop_lists is made (stop_lists_of()).
using MakeStopLists =
    std::function<Result<std::shared_ptr<const StopLists>>(const Ratings& ratings, const RatingsInput& input)>;

/// Reads the ratings and counts them; they can be read again. `progress`: as in load_ratings. `make_lists`: where
/// lists may stop it. Errors: input.
[[nodiscard]] Result<std::shared_ptr<MfData>> load_mf(const RatingsInput& input, std::shared_ptr<Chunks> threads,
                                                      const std::function<void(double share)>& progress,
                                                      const MakeStopLists& make_lists);

/// Whether --schedulers and --workers suit the ratings. Each block costs messages, and each worker a part of every
/// heavy row: more than 1024 blocks, and more than one for 64 users and items, would take longer than the sweep.
/// Errors: usage.
[[nodiscard]] Status check_blocks(std::uint64_t users, std::uint64_t items, const EngineOptions& engine);

/// For the error of a file that was read again for the ratings of a lost worker: says on stderr what it was, since the
/// run that ends of it hears only that there was one. Returns it.
[[nodiscard]] Status unread(const Status& why);
/// What is said when such a file is another one.
[[nodiscard]] Status changed_since(const std::string& path);

}  // namespace strads::mf
