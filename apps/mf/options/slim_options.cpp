#include "mf/options/slim_options.hpp"

#include <string>

#include "strads/program/option_table.hpp"

namespace strads::mf {

namespace {

constexpr double kPowerMax = 4;

struct SlimForeign {
  const char* name;
  bool is_changed;
};

Status refused_option(const std::string& name, const std::string& why) {
  return Status::usage("--" + name + " " + why);
}

}  // namespace

void add_slim_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("slim");
  rows.number("l1", "L",
              "slim: weight of the sum of an item's weights; an item that meets another one in no "
              "more than L users never speaks for it",
              &options.slim.l1, {.min = 0});
  rows.number("l2", "L", "slim: weight of half of the sum of their squares", &options.slim.l2,
              {.min = 0, .min_open = true});
  add_slim_powers(table, options);
}

void add_slim_powers(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("slim");
  rows.number("user-power", "P",
              "slim: a user with c positives counts c^-P times in every co-occurrence; 0 = all alike",
              &options.slim.user_power, {.min = -kPowerMax, .max = kPowerMax});
  rows.number("item-power", "P",
              "slim: an item with c positives enters with c^-P in place of 1, before the penalties; weights are for "
              "the pairs as they are",
              &options.slim.item_power, {.min = -kPowerMax, .max = kPowerMax});
}

Status settle_slim_options(FitOptions& options, const OptionTable& table) {
  const FitOptions standard;
  const auto first_changed = [](std::initializer_list<SlimForeign> foreign) -> std::string {
    for (const SlimForeign& option : foreign) {
      if (option.is_changed) return option.name;
    }
    return {};
  };
  if (!options.is_slim()) {
    const std::string given = first_changed({{"l1", options.slim.l1 != standard.slim.l1},
                                             {"l2", options.slim.l2 != standard.slim.l2},
                                             {"user-power", options.slim.user_power != standard.slim.user_power},
                                             {"item-power", options.slim.item_power != standard.slim.item_power}});
    return given.empty() ? Status() : refused_option(given, "is for --solver slim; this is --solver " + options.solver);
  }
  const std::string given =
      first_changed({{"rank", options.mf.rank != standard.mf.rank},
                     {"lambda", options.mf.lambda != standard.mf.lambda && options.mf.lambda != MfOptions{}.lambda},
                     {"regularization", options.regularization != standard.regularization},
                     {"bias", options.mf.bias != standard.mf.bias},
                     {"mean", options.mf.mean != standard.mf.mean},
                     {"clip", options.mf.clip != standard.mf.clip},
                     {"block-width", options.mf.width != standard.mf.width},
                     {"relaxation", options.mf.relaxation != standard.mf.relaxation},
                     {"rate", options.mf.rate != standard.mf.rate},
                     {"balance", options.balance != standard.balance},
                     {"sweeps", options.mf.sweeps_max != standard.mf.sweeps_max},
                     {"patience", options.mf.patience != standard.mf.patience},
                     {"validation", options.validation != standard.validation}});
  if (!given.empty()) {
    return refused_option(given,
                          "is not for --solver slim, which has weights between items and no factors: leave it "
                          "out; --l1, --l2, --positive-from, --user-power and --item-power are its own");
  }
  if (options.feedback != standard.feedback) {
    return refused_option("feedback " + options.feedback,
                          "is for factors; --solver slim takes pairs as chosen by itself: leave --feedback out");
  }
  if (!table.given("tolerance")) options.mf.tolerance = options.slim.tolerance;
  if (options.mf.tolerance == 0) {
    return Status::usage("--tolerance 0 with --solver slim: no item's gap is exactly 0, give a share above 0, as 1e-6");
  }
  options.slim.tolerance = options.mf.tolerance;
  return {};
}

Status expect_factors(const FitOptions& options, const std::string& what) {
  if (!options.is_slim()) return {};
  return Status::usage(what + " is for models of factors, and --solver slim has none: give another solver");
}

}  // namespace strads::mf
