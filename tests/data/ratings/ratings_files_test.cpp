// Files of ratings as programs and collections write them: the rows of the table in docs/FORMATS.md, "Files as they
// come". Each is read rightly, or refused with what to do.
#include <gtest/gtest.h>

#include <algorithm>

#include "ratings_fixtures.hpp"

namespace strads::data {
namespace {

using namespace std::string_literals;

List train_with(std::string_view text, const std::string& columns = "") {
  const auto loaded = load_text(text, {.columns = columns});
  if (!loaded.ok()) return {"refused: " + loaded.status().message()};
  return listed(*loaded.value(), loaded.value()->train);
}

std::string refused(std::string_view text, const std::string& columns = "") {
  const auto loaded = load_text(text, {.columns = columns});
  EXPECT_FALSE(loaded.ok()) << text;
  return loaded.ok() ? "" : loaded.status().message();
}

List pairs_with(std::string_view text, const std::string& columns = "", const std::string& of_fit = "") {
  const TempFolder folder;
  const auto pairs = load_pairs({.path = folder.write("p", text), .columns = columns, .columns_of_fit = of_fit});
  if (!pairs.ok()) return {"refused: " + pairs.status().message()};
  List out;
  for (std::size_t k = 0; k < pairs.value().users.size(); ++k) {
    out.push_back(pairs.value().users[k] + ' ' + pairs.value().items[k]);
  }
  return out;
}

std::string note_of(std::string_view text) {
  const auto loaded = load_text(text);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return !loaded.ok() || loaded.value()->notes.empty() ? "" : loaded.value()->notes[0];
}

const List kThreeOfAFile = {"1 11 4", "2 11 3", "1 12 2.5"};
const List kPairs = {"1 11", "2 11", "1 12"};

struct File {
  const char* name;
  std::string text;
};

// --- read rightly ---

TEST(RatingsFiles, AreReadAsTheyAreWritten) {
  const File files[] = {
      {"KONECT out.*", "% bip weighted\n% 3 2 2\n1 11 4 978300760\n2 11 3 978300761\n1 12 2.5 978300762\n"},
      {"KONECT, tabs", "% bip weighted\n1\t11\t4\t978300760\n2\t11\t3\t978300761\n1\t12\t2.5\t978300762\n"},
      {"RecBole .inter",
       "user_id:token\titem_id:token\trating:float\ttimestamp:float\n1\t11\t4\t9\n2\t11\t3\t9\n1\t12\t2.5\t9\n"},
      {"RecBole .inter, time third",
       "user_id:token\titem_id:token\ttimestamp:float\trating:float\n1\t11\t9\t4\n2\t11\t9\t3\n1\t12\t9\t2.5\n"},
      {"RecBole .inter, time first",
       "timestamp:float\titem_id:token\trating:float\tuser_id:token\n9\t11\t4\t1\n9\t11\t3\t2\n9\t12\t2.5\t1\n"},
      {"Amazon 2014", "1,11,4.0,978300760\n2,11,3.0,978300761\n1,12,2.5,978300762\n"},
      {"Amazon 2023", "user_id,parent_asin,rating,timestamp\n1,11,4.0,1\n2,11,3.0,2\n1,12,2.5,3\n"},
      {"Amazon, columns of its JSON", "overall,reviewerID,asin,unixReviewTime\n4,1,11,1\n3,2,11,2\n2.5,1,12,3\n"},
      {"Amazon customer reviews",
       "marketplace\tcustomer_id\treview_id\tproduct_id\tproduct_parent\tstar_rating\nUS\t1\tR1\t11\t7\t4\n"
       "US\t2\tR2\t11\t7\t3\nUS\t1\tR3\t12\t7\t2.5\n"},
      {"Amazon fine food, SNAP",
       "Id,ProductId,UserId,ProfileName,Score,Time,Text\n1,11,1,a,4,1,\"good, they say\"\n2,11,2,b,3,2,\"\"\n"
       "3,12,1,a,2.5,3,\"so\nso\"\n"},
      {"Yelp",
       "review_id,user_id,business_id,stars,date,text,useful\nr,1,11,4,2005-09-06,\"a \"\"b\"\"\",0\n"
       "r,2,11,3,2005-09-06,,0\nr,1,12,2.5,2005-09-06,,0\n"},
      {"MovieLens 100K u.data", "1\t11\t4\t881250949\n2\t11\t3\t891717742\n1\t12\t2.5\t878887116\n"},
      {"MovieLens 1M ratings.dat", "1::11::4::978300760\n2::11::3::978302109\n1::12::2.5::978301968\n"},
      {"MovieLens 20M ratings.csv",
       "userId,movieId,rating,timestamp\n1,11,4.0,1112486027\n2,11,3.0,1112484676\n1,12,2.5,1112484819\n"},
      {"Surprise", "1 11 4 881250949\n2 11 3 891717742\n1 12 2.5 878887116\n"},
      {"LensKit", "user,item,rating\n1,11,4\n2,11,3\n1,12,2.5\n"},
      {"Microsoft Recommenders", "userID,itemID,rating,timestamp\n1,11,4,1\n2,11,3,2\n1,12,2.5,3\n"},
      {"pandas to_csv", ",userId,movieId,rating\n0,1,11,4.0\n1,2,11,3.0\n2,1,12,2.5\n"},
      {"pandas to_csv twice", ",Unnamed: 0,user_id,item_id,rating\n0,0,1,11,4.0\n1,1,2,11,3.0\n2,2,1,12,2.5\n"},
      {"pandas to_csv, sep tab", "\tuser\titem\tscore\n0\t1\t11\t4.0\n1\t2\t11\t3.0\n2\t1\t12\t2.5\n"},
      {"R write.csv", "\"\",\"user\",\"item\",\"rating\"\n\"1\",1,11,4\n\"2\",2,11,3\n\"3\",1,12,2.5\n"},
      {"R write.csv of text",
       "\"\",\"user\",\"item\",\"rating\"\n\"1\",\"1\",\"11\",4\n\"2\",\"2\",\"11\",3\n"
       "\"3\",\"1\",\"12\",2.5\n"},
      {"R write.csv, no row names", "\"user\",\"item\",\"rating\"\n1,11,4\n2,11,3\n1,12,2.5\n"},
      {"R write.csv2", "\"\";\"user\";\"item\";\"rating\"\n\"1\";1;11;4\n\"2\";2;11;3\n\"3\";1;12;2,5\n"},
      {"R write.table", "\"user\" \"item\" \"rating\"\n\"1\" 1 11 4\n\"2\" 2 11 3\n\"3\" 1 12 2.5\n"},
      {"R write.table of text",
       "\"user\" \"item\" \"rating\"\n\"1\" \"1\" \"11\" 4\n\"2\" \"2\" \"11\" 3\n\"3\" \"1\" \"12\" 2.5\n"},
      {"R write.table, quote = FALSE", "user item rating\n1 1 11 4\n2 2 11 3\n3 1 12 2.5\n"},
      {"R write.table of some rows", "\"user\" \"item\" \"rating\"\n\"4\" 1 11 4\n\"9\" 2 11 3\n\"17\" 1 12 2.5\n"},
      {"polars write_csv", "user_id,item_id,rating\n1,11,4.0\n2,11,3.0\n1,12,2.5\n"},
      {"Excel, CSV UTF-8", "\xef\xbb\xbfuser,item,rating\r\n1,11,4\r\n2,11,3\r\n1,12,2.5\r\n"},
      {"Excel, CSV where commas are decimal", "user;item;rating\r\n1;11;4\r\n2;11;3\r\n1;12;2,5\r\n"},
      {"Excel, such CSV without header", "1;11;4,0;5,5\r\n2;11;3,0;5,5\r\n1;12;2,5;5,5\r\n"},
      {"Excel, sep=", "sep=;\r\nuser;item;rating\r\n1;11;4\r\n2;11;3\r\n1;12;2,5\r\n"},
      {"Excel, tabs", "user\titem\trating\r\n1\t11\t4\r\n2\t11\t3\r\n1\t12\t2,5\r\n"},
      {"Book-Crossing",
       "\"User-ID\";\"ISBN\";\"Book-Rating\"\n\"1\";\"11\";\"4\"\n\"2\";\"11\";\"3\"\n\"1\";\"12\";\"2.5\"\n"},
      {"numpy savetxt", "# user item rating\n1 11 4\n2 11 3\n1 12 2.5\n"},
      {"numpy savetxt, other order", "# item user rating\n11 1 4\n11 2 3\n12 1 2.5\n"},
      {"a header with a mark", "#user,item,rating\n1,11,4\n2,11,3\n1,12,2.5\n"},
      {"SNAP, comments", "# Nodes: 3 Edges: 3\n# FromNodeId\tToNodeId\n1\t11\t4\n2\t11\t3\n1\t12\t2.5\n"},
      {"Spark", "userId,movieId,rating,prediction\n1,11,4,3.9\n2,11,3,3.1\n1,12,2.5,2.4\n"},
      {"Douban", "USER_MD5,MOVIE_ID,RATING,RATING_TIME\n1,11,4,t\n2,11,3,t\n1,12,2.5,t\n"},
  };
  for (const File& file : files) EXPECT_EQ(train_with(file.text), kThreeOfAFile) << file.name;
}

// What predict reads is what fit reads: the same file in both.
TEST(RatingsFiles, AreReadInPairsAsInAFit) {
  const File files[] = {
      {"KONECT", "% bip weighted\n% 3 2 2\n1 11 4\n2 11 3\n1 12 2.5\n"},
      {"other order", "book_id,rating,user_id\n11,4,1\n11,3,2\n12,2.5,1\n"},
      {"header without rating", "user_id,book_id\n1,11\n2,11\n1,12\n"},
      {"RecBole", "rating:float\titem_id:token\tuser_id:token\n4\t11\t1\n3\t11\t2\n2.5\t12\t1\n"},
      {"pandas", ",item,user\n0,11,1\n1,11,2\n2,12,1\n"},
      {"R write.table", "\"user\" \"item\"\n\"1\" 1 11\n\"2\" 2 11\n\"3\" 1 12\n"},
      {"R write.csv", "\"\",\"user\",\"item\"\n\"1\",\"1\",\"11\"\n\"2\",\"2\",\"11\"\n\"3\",\"1\",\"12\"\n"},
      {"semicolons", "1;11\n2;11\n1;12\n"},
      {"Excel", "\xef\xbb\xbfuser;item\r\n1;11\r\n2;11\r\n1;12\r\n"},
      {"mark",
       "\xef\xbb\xbf"
       "1,11\n2,11\n1,12\n"},
      {"what mf recommend writes", "user\trank\titem\tprediction\n1\t1\t11\t4\n2\t1\t11\t3\n1\t2\t12\t2\n"},
      {"what mf predict writes", "user\titem\tprediction\n1\t11\t4\n2\t11\t3\n1\t12\t2\n"},
      {"one name", "userId,thing\n1,11\n2,11\n1,12\n"},
      {"comments", "# mine\n1,11\n# more\n2,11\n1,12\n"},
  };
  for (const File& file : files) EXPECT_EQ(pairs_with(file.text), kPairs) << file.name;
}

// --- refused ---

TEST(RatingsFiles, AreRefusedWithWhatToDo) {
  const struct {
    const char* name;
    std::string text, says;
  } files[] = {
      {"Netflix Prize", "1:\n1488844,3,2005-09-06\n822109,5,2005-05-13\n", "as the Netflix Prize has"},
      {"Amazon 2018", "B000FA64PK,A2M1CU2IRZG0K9,5.0,1352764800\nB000FA64PK,AFTUJYISOFHY6,5.0,1352764800\n",
       "--columns 2,1,3"},
      {"JSON lines", "{\"user_id\": 1, \"business_id\": 11, \"stars\": 4}\n", "is JSON"},
      {"JSON", "[\n {\"user\": 1}\n]\n", "is JSON"},
      {"Excel's Unicode text", "\xff\xfeu\0s\0e\0r\0\n\0"s, "is UTF-16"},
      {"Excel .xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an Excel file (.xls)"},
      {"Excel .xlsx", "PK\x03\x04\x14\0\x06\0[Content_Types].xml"s, "is an Excel file (.xlsx)"},
      {"Parquet", "PAR1\x15\x04", "is a Parquet file"},
      {"Feather", "ARROW1\0\0"s, "is a Feather file"},
      {"R saveRDS", "X\n\0\0\0\x03"s, "is an .rds"},
      {"NumPy", "\x93NUMPY\x01", "is a .npy"},
      {"pandas to_csv(header=False)", "0,1,11,4\n1,2,11,3\n2,1,12,2.5\n", "column 1 counts the lines"},
      {"R write.table(col.names = FALSE)", "\"1\" 1 11 4\n\"2\" 2 11 3\n\"3\" 1 12 2.5\n", "column 1 counts the lines"},
      {"time third", "1 11 978300760 4\n2 11 978300761 3\n1 12 978300762 2\n",
       "column 3 looks like a time, not like a rating"},
      {"time in milliseconds", "1,11,1300000000123\n2,11,1300000000124\n", "column 3 looks like a time"},
      {"time first", "978300760 1 11 4\n978300761 2 11 3\n", "column 1 looks like a time, not like a user"},
      {"date first", "2005-09-06,1,11,4\n2005-09-07,2,11,3\n", "column 1 looks like a time"},
      {"time under an unknown name", "a,b,c\n1,11,978300760\n2,11,978300761\n", "column 3 looks like a time"},
      {"what mf recommend writes", "user\trank\titem\tprediction\n1\t1\t11\t4\n",
       "columns 2 ('rank') and 4 ('prediction') may be it; say which are user, item and rating with --columns"},
      {"two items", "user_id,asin,parent_asin,rating\n1,11,11,4\n",
       "columns 2 ('asin') and 3 ('parent_asin') may both be"},
      {"no names known", "a,b,c,d\n1,11,4,5\n", "no column has a known name of the user, item or rating"},
      {"a field more than names", "user,item,rating\n5,11,4,978300760\n5,12,3,978300761\n",
       "the line has 4 fields, the first line names 3"},
      {"MovieLens tags", "userId,movieId,tag,timestamp\n1,11,funny,1\n", "rating 'funny', expected a number"},
      {"a thousand or one", "a;y;4\nb;y;1,000\n", "rating '1,000', expected a number"},
  };
  for (const auto& file : files) EXPECT_THAT(refused(file.text), testing::HasSubstr(file.says)) << file.name;
}

// --- --columns ---

TEST(RatingsFiles, AreReadByNamedOrNumberedColumns) {
  EXPECT_EQ(train_with("0,1,11,4\n1,2,11,3\n2,1,12,2.5\n", "2,3,4"), kThreeOfAFile);
  EXPECT_EQ(train_with("0,11,4\n1,11,3\n", "1,2,3"), (List{"0 11 4", "1 11 3"}));
  EXPECT_EQ(train_with("a,b,c,d\n9,4,11,1\n9,3,11,2\n9,2.5,12,1\n", "d,c,b"), kThreeOfAFile);
  EXPECT_EQ(train_with("a,b,c,d\n9,4,11,1\n9,3,11,2\n9,2.5,12,1\n", "4,3,2"), kThreeOfAFile);
  EXPECT_EQ(train_with("user,item,score,rating\n1,11,4,9\n2,11,3,9\n1,12,2.5,9\n", "User,item,score"), kThreeOfAFile);
  EXPECT_EQ(train_with("1 11 978300760 4\n2 11 978300761 3\n1 12 978300762 2.5\n", "1,2,4"), kThreeOfAFile);
  EXPECT_EQ(train_with("x,4,a\nx,3,b\ny,2.5,a\n", "3,1,2"), (List{"a x 4", "b x 3", "a y 2.5"})) << "no header";
  EXPECT_EQ(pairs_with("a,b,c\n11,0,1\n11,0,2\n12,0,1\n", "c,a"), kPairs);
  EXPECT_THAT(refused("a,b,c\n1,11,4\n", "a,b,x"), testing::HasSubstr("--columns a,b,x asks for 'x', but"));
  EXPECT_THAT(refused("1,11,4\n", "1,2,4"), testing::HasSubstr("asks for '4'"));
  EXPECT_THAT(refused("1,11,4\n", "1,2"), testing::HasSubstr("expected 3 names or numbers"));
  EXPECT_THAT(refused("1,11,4\n", "1,2,2"), testing::HasSubstr("'2' is there twice"));
  EXPECT_THAT(refused("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n", "1,2,3"),
              testing::HasSubstr("--columns goes with lines of text"));
}

/// R's header does not name the row names.
TEST(RatingsFiles, HaveRowNamesThatColumnsByNameAreBehind) {
  const std::string counted = "user item rating\n1 1 11 4\n2 2 11 3\n3 1 12 2.5\n";
  EXPECT_EQ(train_with(counted), kThreeOfAFile);
  EXPECT_EQ(train_with(counted, "user,item,rating"), kThreeOfAFile);
  EXPECT_EQ(train_with(counted, "2,3,4"), kThreeOfAFile);
  EXPECT_EQ(train_with("who what n\n1 1 11 4\n2 2 11 3\n3 1 12 2.5\n", "who,what,n"), kThreeOfAFile);
  const std::string named = "item rating user\na 11 4 1\nb 11 3 2\nc 12 2.5 1\n";
  for (const char* columns : {"", "user,item,rating"}) {
    EXPECT_THAT(refused(named, columns), testing::HasSubstr("f:2:1: the line has 4 fields, the first line names 3; if "
                                                            "the first field is a row's name, give --columns 4,2,3"));
  }
  EXPECT_EQ(train_with(named, "4,2,3"), kThreeOfAFile);
  EXPECT_EQ(pairs_with("who what\n1 1 11\n2 2 11\n3 1 12\n", "who,what"), kPairs);
  EXPECT_THAT(pairs_with("item user\na 11 1\nb 11 2\nc 12 1\n")[0], testing::HasSubstr("give --columns 3,2"));
}

TEST(RatingsFiles, OfPairsMayHaveNamesThatNobodyKnows) {
  for (const char* text : {"who,what\n1,11\n2,11\n1,12\n", "who what\n1 11\n2 11\n1 12\n"}) {
    EXPECT_EQ(pairs_with(text), kPairs) << text;
    const TempFolder folder;
    const auto pairs = load_pairs({.path = folder.write("p", text)});
    EXPECT_TRUE(pairs.value().has_header);
    EXPECT_THAT(pairs.value().note,
                testing::HasSubstr("the first line has names that are not known: column 1 ('who') for the user and "
                                   "column 2 ('what') for the item taken; --columns says otherwise"));
  }
  EXPECT_EQ(pairs_with("who,what\nann,11\nbob,11\n"), (List{"ann 11", "bob 11"}));
  // Words alone may be ids, and one line proves nothing.
  EXPECT_EQ(pairs_with("ann,dune\nbob,dune\ncy,solaris\n"), (List{"ann dune", "bob dune", "cy solaris"}));
  EXPECT_EQ(pairs_with("guest,dune\n1,11\n"), (List{"guest dune", "1 11"}));
  EXPECT_EQ(pairs_with("guest,17\n12,18\n13,19\n"), (List{"guest 17", "12 18", "13 19"}));
  EXPECT_EQ(pairs_with("who,what\n1,11\n2,11\n1,12\n", "1,2"), (List{"who what", "1 11", "2 11", "1 12"}));
}

TEST(RatingsFiles, OfPairsFollowTheColumnsOfTheFit) {
  EXPECT_EQ(pairs_with("11,4,1\n11,3,2\n12,2.5,1\n", "", "3,1,2"), kPairs);           // like the fit's file
  EXPECT_EQ(pairs_with("1,11\n2,11\n1,12\n", "", "1,2,4"), kPairs);                   // the first two in both
  EXPECT_EQ(pairs_with("user,item\n1,11\n2,11\n1,12\n", "", "3,1,2"), kPairs);        // names are plain
  EXPECT_EQ(pairs_with("thing,who\n11,1\n11,2\n12,1\n", "", "who,thing,x"), kPairs);  // the fit's names
  EXPECT_THAT(pairs_with("1,11\n2,11\n", "", "3,1,2")[0],
              testing::HasSubstr("the model was fitted with --columns 3,1,2, and this file has no such columns"));
  EXPECT_EQ(pairs_with("1,11\n2,11\n1,12\n", "1,2", "3,1,2"), kPairs);
}

// --- comments, notes ---

TEST(RatingsFiles, HaveCommentsThatAreCounted) {
  EXPECT_EQ(train_with("1 11 4\n# 2 11 9\n2 11 3\n1 12 2.5\n"), kThreeOfAFile);
  EXPECT_THAT(note_of("1 11 4\n# 2 11 9\n2 11 3\n"),
              testing::HasSubstr("1 line among the ratings with # or % in front"));
  EXPECT_EQ(train_with("#metoo,x,4\nbob,#x,3\n%a,x,2\n"), (List{"#metoo x 4", "bob #x 3", "%a x 2"}));
  EXPECT_EQ(train_with("\"# 1 fan\",x,4\nbob,x,3\n"), (List{"# 1 fan x 4", "bob x 3"}));
}

TEST(RatingsFiles, HaveNotesWhereNamesAreGuessed) {
  EXPECT_THAT(note_of("who,what,how much\na,x,4\n"), testing::HasSubstr("has names that are not known"));
  EXPECT_EQ(note_of("user,item,rating\na,x,4\n"), "");
  EXPECT_THAT(note_of("\"user\" \"item\" \"rating\"\n\"1\" a x 4\n\"2\" b x 3\n"),
              testing::HasSubstr("user, item and rating are columns 2, 3 and 4"));
}

// --- quotes between blanks, escapes ---

TEST(RatingsFiles, OfRHaveEscapedQuotes) {
  EXPECT_EQ(
      train_with("\"user\" \"item\" \"rating\"\n\"1\" \"Ann B\" \"the \\\"best\\\" one\" 4\n\"2\" \"C\" \"x\" 3\n"),
      (List{"Ann B the \"best\" one 4", "C x 3"}));
}

// --- users ---

List users_of(std::string_view text, const List& known = {"1", "2"}) {
  const TempFolder folder;
  const auto users = load_users(folder.write("u", text), [&](std::string_view id) {
    return std::find(known.begin(), known.end(), id) != known.end();
  });
  return users.ok() ? users.value() : List{users.status().message()};
}

TEST(RatingsUsers, AreReadFromListsAndTables) {
  const List both = {"1", "2"};
  for (const char* text : {"1\n2\n", "1\r\n\r\n2",
                           "\xef\xbb\xbf"
                           "1\n2\n",
                           "user_id\n1\n2\n", "id\n1\n2\n", "\"user\"\n\"1\"\n\"2\"\n", "id\tratings\n1\t20\n2\t7\n",
                           ",user_id\n0,1\n1,2\n", "\"\",\"user\"\n\"1\",\"1\"\n\"2\",\"2\"\n", "item;user\n7;1\n7;2\n",
                           "# mine\n1\n2\n", " 1\n2 \n"}) {
    EXPECT_EQ(users_of(text), both) << text;
  }
}

TEST(RatingsUsers, OfTheModelGoBeforeWhatALineMayMean) {
  const List odd = {"user", "# 1", "\"q\"", "a, b"};
  EXPECT_EQ(users_of("user\n# 1\n\"q\"\na, b\nc\n", odd), (List{"user", "# 1", "\"q\"", "a, b", "c"}));
}

TEST(RatingsItems, AreReadFromListsAndTables) {
  const TempFolder folder;
  const auto none = [](std::string_view) { return false; };
  for (const char* text : {"7\n9\n", "movieId,title\n7,Heat\n9,\"Casino, 1995\"\n", "id\tratings\n7\t20\n9\t7\n",
                           "user;item\n1;7\n2;9\n"}) {
    const auto items = load_items(folder.write("i", text), none);
    ASSERT_TRUE(items.ok()) << items.status().message();
    EXPECT_EQ(items.value(), (List{"7", "9"})) << text;
  }
  EXPECT_THAT(load_items(folder.write("i", "movieId\ttitle\n"), none).value(), testing::IsEmpty());
}

// --- both files have a pair ---

TEST(RatingsTestFile, ThatHasTrainingPairsIsNoted) {
  const TempFolder folder;
  const auto main = folder.write("f", "a,x,4\nb,x,3\na,y,2\n");
  const auto loaded = load_file({.path = main, .test_path = folder.write("t", "a,x,5\nb,y,1\nc,x,2\na,y,2\n")});
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded.value()->notes.size(), 1U);
  EXPECT_THAT(loaded.value()->notes[0], testing::HasSubstr("t: 2 of 4 ratings are of pairs that"));
  EXPECT_TRUE(load_file({.path = main, .test_path = folder.write("t", "b,y,1\nc,x,2\n")}).value()->notes.empty());
}

}  // namespace
}  // namespace strads::data
