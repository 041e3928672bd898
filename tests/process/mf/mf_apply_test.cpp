// mf predict, mf recommend, mf fold-in: what is done with a fitted model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "process/run_mf.hpp"

namespace strads::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class MfApply : public MfFixture {
 protected:
  MfApply() { EXPECT_EQ(fit({"--out", folder_.path("run"), "--early-stopping", "off"}).code, 0); }
  Ended run(const std::string& command, std::vector<std::string> more) {
    more.insert(more.begin(), {command, "--model", folder_.path("run")});
    return mf(more);
  }
  std::vector<std::vector<std::string>> predictions(const std::string& model, const std::string& pairs) {
    const auto ended = mf({"predict", "--model", folder_.path(model), "--pairs", pairs, "--quiet"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    auto rows = rows_of(ended.out);
    rows.erase(rows.begin());
    return rows;
  }
};

TEST_F(MfApply, PredictsCloseToWhatWasRated) {
  double squared = 0;
  const auto rows = predictions("run", ratings_);
  const auto ratings = made_up_ratings(60, 40, 900);
  ASSERT_EQ(rows.size(), ratings.size()) << "the header of the pairs is none of them";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k][0], "u" + std::to_string(ratings[k].user));
    EXPECT_EQ(rows[k][1], "i" + std::to_string(ratings[k].item));
    squared += std::pow(std::stod(rows[k][2]) - ratings[k].value, 2);
  }
  const double rmse = std::sqrt(squared / static_cast<double>(rows.size()));
  EXPECT_NEAR(rmse, json_number(folder_.read("run/summary.json"), "train_rmse"), 0.02) << "clipped here";
}

TEST_F(MfApply, PredictsTheMeanAndTheKnownBiasForStrangers) {
  folder_.write("pairs.tsv", "u1\tnobody saw it\nnobody\ti1\nu1\ti1\n");
  const auto ended = run("predict", {"--pairs", folder_.path("pairs.tsv"), "--out", folder_.path("out.tsv")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("of 3 pairs 1 have an unknown user, 1 an unknown item"));
  EXPECT_THAT(rows_of(folder_.read("out.tsv")), SizeIs(4));
}

TEST_F(MfApply, SaysThatAPairWhichNobodyKnowsMayBeAHeader) {
  const auto said = [&](const std::string& text) {
    const auto ended = run("predict", {"--pairs", folder_.write("pairs.csv", text)});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(said("who,what\nu1,i1\nu2,i2\n"), HasSubstr("nobody knows either of the first pair, who,what: if these "
                                                          "are names of columns, give --columns who,what"));
  for (const char* text : {"u1,i1\nwho,what\n", "user,item\nwho,what\nu1,i1\n", "who,i1\nu1,i1\n", "who,what\n"}) {
    EXPECT_THAT(said(text), testing::Not(HasSubstr("names of columns"))) << text;
  }
  EXPECT_EQ(
      rows_of(run("predict", {"--pairs", folder_.write("pairs.csv", "who,what\nu1,i1\n"), "--columns", "who,what"}).out)
          .size(),
      2U);
}

TEST_F(MfApply, RecommendsTheBestItemsThatAUserHasNotRated) {
  const auto ended = run("recommend", {"--top", "5"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  std::map<std::string, std::vector<std::vector<std::string>>> of_user;
  for (const auto& row : rows_of(ended.out)) of_user[row[0]].push_back(row);
  const auto ratings = made_up_ratings(60, 40, 900);
  std::set<std::pair<std::string, std::string>> rated;
  for (const auto& rating : ratings) {
    rated.emplace("u" + std::to_string(rating.user), "i" + std::to_string(rating.item));
  }
  std::string pairs;
  for (int item = 0; item < 40; ++item) pairs += "u7,i" + std::to_string(item) + "\n";
  std::vector<double> unrated;
  for (const auto& row : predictions("run", folder_.write("pairs.csv", pairs))) {
    if (!rated.contains({row[0], row[1]})) unrated.push_back(std::stod(row[2]));
  }
  std::sort(unrated.rbegin(), unrated.rend());
  const auto& best = of_user.at("u7");
  ASSERT_EQ(best.size(), std::min<std::size_t>(5, unrated.size()));
  for (std::size_t k = 0; k < best.size(); ++k) {
    EXPECT_EQ(best[k][1], std::to_string(k + 1));
    EXPECT_FALSE(rated.contains({"u7", best[k][2]})) << best[k][2];
    EXPECT_DOUBLE_EQ(std::stod(best[k][3]), unrated[k]) << "the same number as mf predict";
  }
}

TEST_F(MfApply, RecommendsTheSameWithAnyNumberOfThreads) {
  EXPECT_EQ(run("recommend", {"--threads", "1"}).out, run("recommend", {"--threads", "3"}).out);
}

TEST_F(MfApply, RecommendsToChosenUsers) {
  folder_.write("users.txt", "u3\nnobody\r\nu1\n");
  const auto ended = run("recommend", {"--users", folder_.path("users.txt"), "--top", "1"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("1 user of "));
  const auto rows = rows_of(ended.out);
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[1][0], "u3") << "in the order of the file";
  EXPECT_EQ(rows[2][0], "u1");
  folder_.write("others.txt", "nobody\n");
  EXPECT_EQ(run("recommend", {"--users", folder_.path("others.txt")}).code, 4);
}

TEST_F(MfApply, RecommendsAllowedItemsThatEnoughUsersHave) {
  const auto items_of = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--top", "1000", "--quiet"});
    const auto ended = run("recommend", more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::set<std::string> items;
    for (const auto& row : rows_of(ended.out)) items.insert(row[2]);
    items.erase("item");
    return items;
  };
  std::map<std::string, std::uint32_t> counts;
  for (const auto& rating : made_up_ratings(60, 40, 900)) ++counts["i" + std::to_string(rating.item)];
  std::set<std::string> frequent;
  for (const auto& [item, count] : counts) {
    if (count >= 24) frequent.insert(item);
  }
  ASSERT_THAT(frequent, testing::Not(testing::IsEmpty()));
  ASSERT_LT(frequent.size(), 40U);
  EXPECT_EQ(items_of({"--min-count", "24"}), frequent);
  const std::string some = folder_.write("some.tsv", "movieId\tgenre\ni3\tdrama\ni5\twar\nunheard of\twar\n");
  EXPECT_EQ(items_of({"--allow", some}), (std::set<std::string>{"i3", "i5"}));
  EXPECT_EQ(items_of({"--allow", some, "--deny", folder_.write("one.txt", "i5\n")}), (std::set<std::string>{"i3"}));
  EXPECT_THAT(items_of({"--deny", some}), SizeIs(38));
  EXPECT_EQ(items_of({"--allow", folder_.path("run/items.tsv")}), items_of({}));
  EXPECT_THAT(run("recommend", {"--allow", some}).err, HasSubstr("1 item of " + some + " is unknown to the model"));
  const auto none = run("recommend", {"--allow", some, "--deny", some});
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, HasSubstr("together leave no item"));
  const auto strange = run("recommend", {"--deny", folder_.write("strange.txt", "3\n5\n")});
  EXPECT_EQ(strange.code, 4);
  EXPECT_THAT(strange.err, HasSubstr("names no item of the model"));
}

TEST_F(MfApply, LeavesOutThePairsOfAnotherFile) {
  folder_.write("users.txt", "u3\n");
  folder_.write("seen.csv", "u3,i0,1\nstranger,i1,1\n");
  const auto ended =
      run("recommend", {"--users", folder_.path("users.txt"), "--ratings", folder_.path("seen.csv"), "--top", "1000"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(rows_of(ended.out), SizeIs(1 + 39)) << "all items but one";
}

TEST_F(MfApply, SaysHowManyRatedPairsAreOfOthersAndRefusesWhereAllAre) {
  folder_.write("some.csv", "u3,i0,1\nstranger,i1,1\nu3,unheard of,1\n");
  const auto some = run("recommend", {"--ratings", folder_.path("some.csv"), "--top", "1"});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_THAT(some.err, HasSubstr("of 3 rated pairs 2 have a user or an item that the model does not know"));
  folder_.write("none.csv", "3.0,0.0,1\n4.0,1.0,1\n");
  const auto none = run("recommend", {"--ratings", folder_.path("none.csv"), "--top", "1"});
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, HasSubstr("none of its 2 pairs is of the model"));
}

TEST_F(MfApply, ReadsPairsAsTheFitReadItsFile) {
  const auto wanted = predictions("run", folder_.write("plain.csv", "u1,i1\nu2,i3\n"));
  EXPECT_EQ(predictions("run", folder_.write("named.csv", "item,rating,user\ni1,4,u1\ni3,2,u2\n")), wanted);
  folder_.write("moved.csv", [] {
    std::string text;
    for (const auto& rating : made_up_ratings(60, 40, 900)) {
      text += "i" + std::to_string(rating.item) + "," + std::to_string(rating.value) + ",u" +
              std::to_string(rating.user) + "\n";
    }
    return text;
  }());
  const auto ended = mf({"fit", "--ratings", folder_.path("moved.csv"), "--columns", "3,1,2", "--rank", "4",
                         "--early-stopping", "off", "--out", folder_.path("moved")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(predictions("moved", folder_.write("same.csv", "i1,4,u1\ni3,2,u2\n")), wanted);
  const auto other = mf({"predict", "--model", folder_.path("moved"), "--pairs", folder_.path("plain.csv")});
  EXPECT_EQ(other.code, 4);
  EXPECT_THAT(other.err, HasSubstr("the model was fitted with --columns 3,1,2"));
  const auto best = mf({"recommend", "--model", folder_.path("moved"), "--top", "1000", "--quiet"});
  EXPECT_THAT(rows_of(best.out), SizeIs(1 + 60 * 40 - 900)) << "the fit's file is read by its columns";
}

TEST_F(MfApply, RecommendsToTheUsersOfAModelsOwnTable) {
  const auto ended = run("recommend", {"--users", folder_.path("run/users.tsv"), "--top", "1"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.out, run("recommend", {"--top", "1"}).out);
}

TEST_F(MfApply, WritesToLinksAndPipesAsTheyAre) {
  folder_.write("target", "older");
  std::filesystem::create_symlink("target", folder_.path("link"));
  folder_.write("pairs.csv", "u1,i1\n");
  const auto direct = run("predict", {"--pairs", folder_.path("pairs.csv")});
  EXPECT_EQ(run("predict", {"--pairs", folder_.path("pairs.csv"), "--out", folder_.path("link")}).code, 0);
  EXPECT_EQ(folder_.read("target"), direct.out);
  EXPECT_TRUE(std::filesystem::is_symlink(folder_.path("link")));
  const auto to_stdout = run("predict", {"--pairs", folder_.path("pairs.csv"), "--out", "/dev/stdout"});
  EXPECT_EQ(to_stdout.code, 0) << to_stdout.err;
  EXPECT_EQ(to_stdout.out, direct.out);
  // A link to a file of a finished run is one of its files.
  std::filesystem::create_symlink("run/users.tsv", folder_.path("hidden"));
  EXPECT_EQ(run("predict", {"--pairs", folder_.path("pairs.csv"), "--out", folder_.path("hidden")}).code, 2);
}

TEST_F(MfApply, SaysWhatToDoWhenTheTrainingFileIsGone) {
  std::filesystem::remove(ratings_);
  const auto ended = run("recommend", {});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("give --ratings FILE"));
}

TEST_F(MfApply, FoldsInAKnownUserWhereTheFitLeftHim) {
  // After many sweeps the users are where a solve from the items would put them.
  ASSERT_EQ(fit({"--out", folder_.path("run"), "--force", "--early-stopping", "off", "--solver", "als", "--sweeps",
                 "2000", "--tolerance", "1e-12"})
                .code,
            0);
  std::vector<Rating> of_three;
  for (const auto& rating : made_up_ratings(60, 40, 900)) {
    if (rating.user == 3) of_three.push_back(rating);
  }
  folder_.write("three.csv", ratings_text(of_three));
  const auto ended = run("fold-in", {"--ratings", folder_.path("three.csv"), "--out", folder_.path("new")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("1 of 1 users is in the model already"));
  EXPECT_THAT(folder_.list("new"), ElementsAre("biases.npz", "config.ini", "item_factors.npy", "items.tsv",
                                               "summary.json", "user_factors.npy", "users.tsv"));
  const auto before = predictions("run", folder_.path("three.csv"));
  const auto after = predictions("new", folder_.path("three.csv"));
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    EXPECT_NEAR(std::stod(before[k][2]), std::stod(after[k][2]), 0.02) << before[k][1];
  }
}

TEST_F(MfApply, RecommendsToNewUsersWithoutTheirOwnRatings) {
  folder_.write("new.csv", "ann,i1,5\nann,i2,1\nann,unheard of,3\nbob,i3,4\n");
  const auto ended = run("fold-in", {"--ratings", folder_.path("new.csv"), "--out", folder_.path("new")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("1 rating is of items that the model does not know"));
  EXPECT_EQ(json_field(folder_.read("new/summary.json"), "users"), "2");
  const auto best = mf({"recommend", "--model", folder_.path("new"), "--top", "1000"});
  EXPECT_EQ(best.code, 0) << best.err;
  EXPECT_THAT(rows_of(best.out), SizeIs(1 + 38 + 39)) << "ann rated two known items, bob one";
  const auto pairs = predictions("new", folder_.write("pairs.csv", "ann,i1\nann,i2\n"));
  EXPECT_GT(std::stod(pairs[0][2]), std::stod(pairs[1][2])) << "she liked the first one";
}

TEST_F(MfApply, FoldInRefusesRatingsOfUnknownItemsAlone) {
  folder_.write("new.csv", "ann,x,5\nann,y,1\n");
  const auto ended = run("fold-in", {"--ratings", folder_.path("new.csv"), "--out", folder_.path("new")});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("rates none of the model's items"));
}

TEST_F(MfApply, RefusesFilesOfDifferentRuns) {
  ASSERT_EQ(fit({"--out", folder_.path("other"), "--rank", "3"}).code, 2) << "--rank is there already";
  const auto ended = mf({"fit", "--ratings", ratings_, "--rank", "3", "--out", folder_.path("other")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  folder_.write("run/item_factors.npy", folder_.read("other/item_factors.npy"));
  const auto refused = run("predict", {"--pairs", ratings_});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("item_factors.npy"));
}

TEST_F(MfApply, RefusesDamagedFiles) {
  folder_.write("run/biases.npz", folder_.read("run/biases.npz").substr(0, 100));
  EXPECT_THAT(run("predict", {"--pairs", ratings_}).err, HasSubstr("biases.npz"));
  folder_.write("run/users.tsv", "id\tratings\nu1\n");
  EXPECT_THAT(run("predict", {"--pairs", ratings_}).err, HasSubstr("users.tsv"));
}

TEST_F(MfApply, EveryCommandRefusesAFileWithOneBitChanged) {
  folder_.write("new.csv", "ann,i1,5\nann,i2,1\n");
  for (const char* name : {"user_factors.npy", "item_factors.npy", "users.tsv", "items.tsv", "biases.npz"}) {
    const std::string file = std::string("run/") + name, before = folder_.read(file);
    std::string after = before;
    after[after.size() - 2] = static_cast<char>(after[after.size() - 2] ^ 1);
    folder_.write(file, after);
    const std::vector<Ended> all = {
        run("predict", {"--pairs", ratings_}), run("recommend", {}),
        run("fold-in", {"--ratings", folder_.path("new.csv"), "--out", folder_.path("new")})};
    for (const Ended& ended : all) {
      EXPECT_EQ(ended.code, 4) << name;
      EXPECT_THAT(ended.err, HasSubstr(name));
    }
    folder_.write(file, before);
  }
  // What fold-in takes from the options of the fit, and recommend the name of the ratings.
  folder_.write("run/config.ini", folder_.read("run/config.ini") + "\n");
  EXPECT_THAT(run("fold-in", {"--ratings", folder_.path("new.csv"), "--out", folder_.path("new")}).err,
              HasSubstr("config.ini"));
  EXPECT_THAT(run("recommend", {}).err, HasSubstr("config.ini"));
  EXPECT_FALSE(folder_.has("new/summary.json"));
}

TEST_F(MfApply, FoldInDoesNotWriteIntoTheModelThatItReads) {
  folder_.write("new.csv", "ann,i1,5\nann,i2,1\n");
  const std::string before = folder_.read("run/summary.json");
  for (const std::string& out : {folder_.path("run"), folder_.path("run/../run/.")}) {
    const auto ended = run("fold-in", {"--ratings", folder_.path("new.csv"), "--out", out, "--force"});
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("--model and --out are the same folder"));
  }
  EXPECT_EQ(folder_.read("run/summary.json"), before);
  EXPECT_EQ(run("predict", {"--pairs", ratings_}).code, 0);
}

TEST_F(MfApply, FoldInRefusesRatingsThatGiveNoNumbers) {
  folder_.write("new.csv", "ann,i1,3e38\nann,i2,-3e38\n");
  const auto ended = run("fold-in", {"--ratings", folder_.path("new.csv"), "--out", folder_.path("new")});
  EXPECT_EQ(ended.code, 4) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("too large for single precision"));
  EXPECT_FALSE(folder_.has("new/summary.json"));
}

}  // namespace
}  // namespace strads::test
