#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct DemoSettings {
  std::string file;
  std::vector<std::string> names;
  std::string mode = "fast";
  bool guard = true;
  bool force = false;
  double tolerance = 1e-6;
  std::optional<double> weight;
  double ratio = 0.1;
  std::uint32_t workers = 8;
  std::uint64_t seed = 1;
  std::string config;
};

OptionTable table_of(DemoSettings& settings) {
  OptionTable table("demo run", "usage: demo run\n");
  const OptionSection input_rows = table.section("input");
  input_rows.common().text("file", "FILE", "what to read; mapped", &settings.file);
  input_rows.list("names", "NAMES", "columns", &settings.names);
  const OptionSection problem_rows = table.section("problem");
  problem_rows.common().choice("mode", "how", &settings.mode, {"fast", "exact"});
  problem_rows.on_off("guard", "line search", &settings.guard);
  problem_rows.number("tolerance", "T", "when to stop", &settings.tolerance, {.min = 0, .max = 1, .max_open = true});
  problem_rows.number("weight", "W", "weight", &settings.weight, {.min = 0, .min_open = true});
  problem_rows.number("ratio", "R", "weight / largest", &settings.ratio, {.min = 0, .min_open = true});
  table.exclusive("weight", "ratio");
  const OptionSection engine_rows = table.section("engine");
  engine_rows.unit("blocks").count("workers", "P", "blocks", &settings.workers, {.min = 1, .max = 65536});
  engine_rows.count("seed", "N", "seed", &settings.seed, {});
  const OptionSection arguments_rows = table.section("");
  arguments_rows.flag("force", "overwrite", &settings.force);
  arguments_rows.text("config", "FILE", "config", &settings.config);
  return table;
}

Status parse(DemoSettings& settings, const std::vector<std::string>& arguments) {
  OptionTable table = table_of(settings);
  return table.parse(arguments);
}

std::string refusal(const std::vector<std::string>& arguments) {
  DemoSettings settings;
  const Status status = parse(settings, arguments);
  EXPECT_EQ(status.code(), StatusCode::usage);
  return status.message();
}

TEST(OptionTable, KeepsDefaultsWhenNothingIsGiven) {
  DemoSettings settings;
  ASSERT_TRUE(parse(settings, {}).ok());
  EXPECT_EQ(settings.mode, "fast");
  EXPECT_EQ(settings.workers, 8U);
  EXPECT_FALSE(settings.weight.has_value());
}

TEST(OptionTable, ReadsValuesOfEveryKindInBothForms) {
  DemoSettings settings;
  ASSERT_TRUE(parse(settings, {"--file", "a b.csv", "--names=x,y", "--mode=exact", "--guard", "off", "--tolerance=1e-9",
                               "--weight", "2.5", "--workers=16", "--seed", "18446744073709551615", "--force"})
                  .ok());
  EXPECT_EQ(settings.file, "a b.csv");
  EXPECT_THAT(settings.names, ElementsAre("x", "y"));
  EXPECT_EQ(settings.mode, "exact");
  EXPECT_FALSE(settings.guard);
  EXPECT_EQ(settings.tolerance, 1e-9);
  EXPECT_EQ(settings.weight, 2.5);
  EXPECT_EQ(settings.workers, 16U);
  EXPECT_EQ(settings.seed, 18446744073709551615U);
  EXPECT_TRUE(settings.force);
}

TEST(OptionTable, NamesTheNearestOptionForAnUnknownOne) {
  EXPECT_THAT(refusal({"--tolerence", "1e-6"}),
              AllOf(HasSubstr("--tolerence"), HasSubstr("did you mean --tolerance?")));
  EXPECT_THAT(refusal({"--tol=1"}), HasSubstr("did you mean --tolerance?"));
}

TEST(OptionTable, GuessesNothingForAWordFarFromAllOptions) {
  EXPECT_THAT(refusal({"--zzzzzzzzz"}), AllOf(HasSubstr("unknown option --zzzzzzzzz"), Not(HasSubstr("did you mean"))));
}

TEST(OptionTable, RefusesAbbreviations) {
  EXPECT_THAT(refusal({"--work", "3"}), HasSubstr("did you mean --workers?"));
}

TEST(OptionTable, RefusesWordsThatBelongToNoOption) {
  EXPECT_THAT(refusal({"data.csv"}), HasSubstr("'data.csv'"));
}

TEST(OptionTable, RefusesAnOptionWithoutItsValue) {
  EXPECT_THAT(refusal({"--workers"}), HasSubstr("workers"));
}

TEST(OptionTable, RefusesAFlagWithAValue) {
  EXPECT_THAT(refusal({"--force=yes"}), HasSubstr("force"));
}

TEST(OptionTable, RefusesAnOptionGivenTwice) {
  EXPECT_THAT(refusal({"--seed", "1", "--seed", "2"}), HasSubstr("--seed is given twice"));
}

TEST(OptionTable, SaysWhatWasExpectedOfANumber) {
  EXPECT_EQ(refusal({"--tolerance", "1"}), "--tolerance: found '1', expected a number in [0, 1)");
  EXPECT_EQ(refusal({"--weight", "0"}), "--weight: found '0', expected a number > 0");
  EXPECT_THAT(refusal({"--tolerance", "1e-6x"}), HasSubstr("found '1e-6x'"));
  EXPECT_THAT(refusal({"--tolerance", "nan"}), HasSubstr("found 'nan'"));
}

TEST(OptionTable, TakesANegativeNumberForAValue) {
  EXPECT_EQ(refusal({"--weight", "-1"}), "--weight: found '-1', expected a number > 0");
}

TEST(OptionTable, RefusesCountsOutsideTheirRange) {
  EXPECT_EQ(refusal({"--workers", "0"}), "--workers: found '0', expected a whole number in [1, 65536]");
  EXPECT_THAT(refusal({"--workers", "2.5"}), HasSubstr("whole number"));
  EXPECT_THAT(refusal({"--seed", "18446744073709551616"}), HasSubstr("whole number"));
  EXPECT_THAT(refusal({"--seed", "-3"}), HasSubstr("whole number"));
}

TEST(OptionTable, NamesTheNearestChoice) {
  EXPECT_EQ(refusal({"--mode", "exat"}), "--mode: found 'exat', expected fast|exact; did you mean exact?");
}

TEST(OptionTable, RefusesSwitchesThatAreNeitherOnNorOff) {
  EXPECT_THAT(refusal({"--guard", "yes"}), HasSubstr("expected on|off"));
}

TEST(OptionTable, RefusesTwoOptionsThatExcludeEachOther) {
  EXPECT_EQ(refusal({"--weight", "1", "--ratio", "0.5"}), "--weight and --ratio exclude each other; give one of them");
}

TEST(OptionTable, AssignsNothingWhenOneValueIsRefused) {
  DemoSettings settings;
  EXPECT_FALSE(parse(settings, {"--mode", "exact", "--workers", "0"}).ok());
  EXPECT_EQ(settings.mode, "fast");
}

TEST(OptionTable, KnowsWhatWasGiven) {
  DemoSettings settings;
  OptionTable table = table_of(settings);
  ASSERT_TRUE(table.parse(std::vector<std::string>{"--seed", "1"}).ok());
  EXPECT_TRUE(table.given("seed"));
  EXPECT_FALSE(table.given("workers"));
}

class ConfigFile : public testing::Test {
 protected:
  Status parse_with(const std::string& config, std::vector<std::string> flags = {}) {
    flags.push_back("--config=" + folder_.write("run.ini", config));
    return parse(settings_, flags);
  }
  std::string refusal_of(const std::string& config) {
    const Status status = parse_with(config);
    EXPECT_EQ(status.code(), StatusCode::usage);
    return status.message();
  }
  std::string at(int line) const { return folder_.path("run.ini") + ":" + std::to_string(line) + ": "; }

  TemporaryFolder folder_;
  DemoSettings settings_;
};

TEST_F(ConfigFile, GivesValuesThatFlagsOverride) {
  ASSERT_TRUE(parse_with("# a comment\n[problem]\nmode = exact\n tolerance=1e-4 \r\n\n[engine]\nworkers = 3\n",
                         {"--workers", "5"})
                  .ok());
  EXPECT_EQ(settings_.mode, "exact");
  EXPECT_EQ(settings_.tolerance, 1e-4);
  EXPECT_EQ(settings_.workers, 5U);
}

TEST_F(ConfigFile, KeepsEverythingAfterTheEqualsSign) {
  ASSERT_TRUE(parse_with("file = a=b #1.csv").ok());
  EXPECT_EQ(settings_.file, "a=b #1.csv");
}

TEST_F(ConfigFile, RefusesUnknownKeysWithPlaceAndNearestName) {
  EXPECT_EQ(refusal_of("[problem]\n\ntolerence = 1"), at(3) + "unknown key 'tolerence'; did you mean tolerance?");
}

TEST_F(ConfigFile, RefusesAKeyInAnotherSection) {
  EXPECT_EQ(refusal_of("[engine]\nmode = exact"), at(2) + "found 'mode' in [engine], expected it in [problem]");
}

TEST_F(ConfigFile, RefusesKeysOfTheCommandLine) {
  EXPECT_THAT(refusal_of("force = on"), HasSubstr("belongs on the command line"));
}

TEST_F(ConfigFile, RefusesAKeyGivenTwice) {
  EXPECT_THAT(refusal_of("seed = 1\nseed = 2"), HasSubstr(at(2) + "'seed' is given twice"));
}

TEST_F(ConfigFile, RefusesLinesOfNoKnownForm) {
  EXPECT_EQ(refusal_of("seed 1"),
            at(1) + "found 'seed 1', expected [section], name = value or a comment that starts with #");
  EXPECT_THAT(refusal_of("[engine\n"), HasSubstr("'[engine'"));
  EXPECT_THAT(refusal_of("= 3\n"), HasSubstr("'= 3'"));
}

TEST_F(ConfigFile, RefusesValuesWithTheirPlace) {
  EXPECT_EQ(refusal_of("\nworkers = many"), at(2) + "workers: found 'many', expected a whole number in [1, 65536]");
}

TEST_F(ConfigFile, SaysWhatAFlagTakes) {
  OptionTable table = table_of(settings_);
  bool one_is_case = false;
  table.section("input").flag("1", "coding", &one_is_case);
  const Status status = table.parse(std::vector<std::string>{"--config=" + folder_.write("run.ini", "1 = yes\n")});
  EXPECT_EQ(status.message(), at(1) + "1: found 'yes', expected on|off");
}

TEST_F(ConfigFile, IsSetAsideByAFlagThatExcludesItsKey) {
  ASSERT_TRUE(parse_with("weight = 3", {"--ratio=0.5"}).ok());
  EXPECT_FALSE(settings_.weight.has_value());
  EXPECT_EQ(settings_.ratio, 0.5);
}

TEST_F(ConfigFile, IsAnInputErrorWhenItCannotBeRead) {
  const Status status = parse(settings_, {"--config", folder_.path("absent.ini")});
  EXPECT_EQ(status.code(), StatusCode::input);
  EXPECT_THAT(status.message(), HasSubstr("absent.ini"));
}

TEST_F(ConfigFile, PrintedByTheTableGivesTheSameOptionsAgain) {
  ASSERT_TRUE(parse(settings_, {"--file=x=1.csv", "--names=a,b", "--mode=exact", "--guard=off", "--tolerance=0.1",
                                "--weight=0.30000000000000004", "--workers=2", "--seed=7"})
                  .ok());
  DemoSettings first = settings_;
  OptionTable table = table_of(first);
  ASSERT_TRUE(table.parse(std::vector<std::string>{"--weight=0.30000000000000004"}).ok());
  const std::string printed = table.config();
  EXPECT_THAT(printed, Not(HasSubstr("ratio =")));  // set aside by --weight
  settings_ = DemoSettings{};
  ASSERT_TRUE(parse_with(printed).ok()) << printed;
  EXPECT_EQ(settings_.file, "x=1.csv");
  EXPECT_THAT(settings_.names, ElementsAre("a", "b"));
  EXPECT_EQ(settings_.weight, 0.30000000000000004);
  EXPECT_FALSE(settings_.guard);
  DemoSettings second = settings_;
  OptionTable again = table_of(second);
  ASSERT_TRUE(again.parse_config(folder_.path("run.ini")).ok());
  EXPECT_EQ(again.config(), printed);
}

TEST(OptionHelp, ShowsCommonOptionsWithTheFirstPartOfTheirEffect) {
  DemoSettings settings;
  const std::string help = table_of(settings).help();
  EXPECT_THAT(help, HasSubstr("--file FILE"));
  EXPECT_THAT(help, Not(HasSubstr("mapped")));
  EXPECT_THAT(help, HasSubstr("--mode fast|exact"));
  EXPECT_THAT(help, HasSubstr("(default fast)"));
  EXPECT_THAT(help, Not(HasSubstr("--seed")));
}

TEST(OptionHelp, ShowsEverythingWithUnitRangeAndDefaultOnRequest) {
  DemoSettings settings;
  const std::string help = table_of(settings).help_all();
  EXPECT_THAT(help, HasSubstr("what to read; mapped"));
  EXPECT_THAT(help, HasSubstr("blocks (in blocks; in [1, 65536]; default 8)"));
  EXPECT_THAT(help, HasSubstr("command line only:\n  --force"));
}

TEST(OptionHelp, WrapsLongEffects) {
  DemoSettings settings;
  bool value = false;
  OptionTable table = table_of(settings);
  std::string effect = "starts";
  for (int i = 0; i < 60; ++i) effect += " word" + std::to_string(i);
  table.section("x").flag("long", effect, &value);
  std::istringstream lines(table.help_all());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(OptionMarkdown, HasOneRowPerOption) {
  DemoSettings settings;
  const std::string text = table_of(settings).markdown();
  EXPECT_THAT(text, HasSubstr("| `--mode` | fast\\|exact | `fast` | problem | how |"));
  EXPECT_THAT(text, HasSubstr("| `--workers` | P in [1, 65536] (blocks) | `8` | engine | blocks |"));
  EXPECT_THAT(text, HasSubstr("| `--force` |  |  | command line only | overwrite |"));
}

TEST(EngineOptionList, RefusesADepthAboveTheNumberOfSchedulers) {
  EngineOptions engine;
  engine.schedulers = 2;
  engine.depth = 3;
  EXPECT_EQ(check_engine_options(engine).code(), StatusCode::usage);
  EXPECT_THAT(check_engine_options(engine).message(), HasSubstr("--depth 3 exceeds --schedulers 2"));
  engine.depth = 2;
  EXPECT_TRUE(check_engine_options(engine).ok());
}

TEST(NearestName, FindsSlipsOfTheFinger) {
  const std::vector<std::string> names = {"lambda", "lambda-ratio", "workers", "out"};
  EXPECT_EQ(nearest_name("lamdba", names), "lambda");
  EXPECT_EQ(nearest_name("wokers", names), "workers");
  EXPECT_EQ(nearest_name("output", names), "out");
  EXPECT_EQ(nearest_name("qqqqqqqqqq", names), "");
}

}  // namespace
}  // namespace strads
