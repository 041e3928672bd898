#include "data/ratings/ratings_names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "data/text/text.hpp"
#include "strads/base/listed.hpp"

namespace strads::data {
namespace {

using Words = std::span<const std::string_view>;

// MovieLens, Amazon (reviews of 2014, 2018, 2023, SNAP), Yelp, Goodreads, Book-Crossing, Last.fm, Steam, RecBole,
// Surprise, LensKit, Spark, recommenderlab, Microsoft Recommenders. Sorted.
constexpr std::array kUserWords =
    std::to_array<std::string_view>({"consumer", "customer", "listener", "member", "person", "profilename", "rater",
                                     "reader", "reviewer", "user", "username", "users", "viewer", "visitor"});
constexpr std::array kUserIds = std::to_array<std::string_view>(
    {"accountid", "authorid",  "clientid", "consumerid", "custid",     "customerid",   "listenerid", "memberid",
     "personid",  "profileid", "raterid",  "readerid",   "reviewerid", "subscriberid", "uid",        "userhash",
     "userid",    "userids",   "useridx",  "usermd5",    "userno",     "viewerid",     "visitorid"});
constexpr std::array kItemWords = std::to_array<std::string_view>(
    {"anime",   "app",    "article",    "artist", "book",  "business", "film",  "game",
     "hotel",   "item",   "items",      "joke",   "movie", "movies",   "news",  "place",
     "product", "recipe", "restaurant", "show",   "song",  "track",    "venue", "video"});
constexpr std::array kItemIds = std::to_array<std::string_view>(
    {"albumid",    "animeid",  "appid",   "articleid", "artistid", "asin",         "beerid",  "bookid",
     "businessid", "courseid", "filmid",  "gameid",    "gmapid",   "hotelid",      "iid",     "isbn",
     "itemid",     "itemids",  "itemidx", "itemno",    "jokeid",   "locationid",   "movieid", "newsid",
     "parentasin", "placeid",  "prodid",  "productid", "recipeid", "restaurantid", "showid",  "sku",
     "songid",     "storyid",  "trackid", "venueid",   "videoid",  "wineid"});
constexpr std::array kRatingWords =
    std::to_array<std::string_view>({"grade", "overall", "pref", "preference", "rate", "reviewrating", "reviewscore",
                                     "score", "scores", "star", "starrating", "stars", "value", "weight"});
constexpr std::array kRatings =
    std::to_array<std::string_view>({"bookrating", "movierating", "rating", "ratings", "userrating"});
constexpr std::array kTimes = std::to_array<std::string_view>(
    {"created", "createdat", "date",           "dateadded",  "datetime",  "day",       "epoch",
     "month",   "ratedat",   "reviewdate",     "reviewtime", "time",      "timestamp", "timestampms",
     "ts",      "tstamp",    "unixreviewtime", "unixtime",   "updatedat", "when",      "year"});
constexpr std::array kIndices = std::to_array<std::string_view>(
    {"", "index", "level0", "lineno", "row", "rowid", "rowname", "rownames", "rownumber", "x"});

bool is_among(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr const char* kRoleNames[] = {"user", "item", "rating"};
constexpr ColumnKind kRoleKinds[] = {ColumnKind::user, ColumnKind::item, ColumnKind::rating};
constexpr std::size_t kThird = 2;

Status said_of(const std::string& path, const RatingsHeader& header, const std::string& what) {
  return Status::input(at(path, header.place.line, header.place.column) + what);
}

std::string called(const RatingsHeader& header, std::size_t column) {
  return std::to_string(column + 1) + " (" + in_quotes(header.names[column]) + ")";
}

Result<HeaderMeaning> understood(const RatingsHeader& header, std::size_t wanted, const std::string& path) {
  HeaderMeaning out;
  std::vector<ColumnMeaning> meanings;
  for (std::size_t c = 0; c < header.names.size(); ++c) {
    meanings.push_back(meaning_of(header.names[c]));
    if (meanings[c].kind == ColumnKind::unknown) out.free.push_back(c);
  }
  for (std::size_t role = 0; role < 3; ++role) {
    for (const bool ids : {true, false}) {
      std::vector<std::string> found;
      for (std::size_t c = meanings.size(); c-- > 0;) {
        if (meanings[c].kind != kRoleKinds[role] || meanings[c].is_id != ids) continue;
        out.columns[role] = c;
        found.insert(found.begin(), called(header, c));
      }
      if (found.size() > 1 && role < wanted) {
        return said_of(path, header,
                       "columns " + listed(found, " and ") + " may both be the " + kRoleNames[role] + "; " +
                           columns_advice(wanted));
      }
      if (!found.empty()) break;
    }
  }
  return out;
}

/// Fills what has no known name with the unknown columns, where there is one way to do so.
bool fill(HeaderMeaning& known, const RatingsHeader& header, std::size_t roles) {
  std::vector<std::size_t> missing;
  for (std::size_t role = 0; role < roles; ++role) {
    if (known.columns[role] == HeaderMeaning::kNowhere) missing.push_back(role);
  }
  if (missing.size() != known.free.size() && !missing.empty()) return false;
  for (std::size_t k = 0; k < missing.size(); ++k) {
    known.columns[missing[k]] = known.free[k];
    known.assumed.push_back("column " + called(header, known.free[k]) + " for the " + kRoleNames[missing[k]]);
  }
  return true;
}

}  // namespace

std::string bare_name(std::string_view name) {
  name = trimmed(name);
  for (const std::string_view type : {":token", ":float", ":token_seq", ":float_seq"}) {
    if (name.ends_with(type)) name.remove_suffix(type.size());
  }
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  std::string bare;
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-' || c == '.') continue;
    bare += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return bare;
}

ColumnMeaning meaning_of(std::string_view name) {
  const std::string bare = bare_name(name);
  if (is_among(kUserIds, bare)) return {ColumnKind::user, true};
  if (is_among(kItemIds, bare)) return {ColumnKind::item, true};
  if (is_among(kRatings, bare)) return {ColumnKind::rating, true};
  if (is_among(kUserWords, bare)) return {ColumnKind::user, false};
  if (is_among(kItemWords, bare)) return {ColumnKind::item, false};
  if (is_among(kRatingWords, bare)) return {ColumnKind::rating, false};
  if (is_among(kTimes, bare)) return {ColumnKind::time, false};
  // pandas calls a column that had no name "Unnamed: 0", readr "...1".
  if (is_among(kIndices, bare) || bare.starts_with("unnamed:") || name.starts_with("...")) {
    return {ColumnKind::index, false};
  }
  return {};
}

bool looks_like_time(std::string_view field) {
  if (field.ends_with(".0")) field.remove_suffix(2);
  std::uint64_t number = 0;
  if (parse_count(field, number)) {
    constexpr std::uint64_t kFirst = 315'532'800, kLast = 4'102'444'800;  // 1980, 2100
    return (number >= kFirst && number < kLast) || (number >= 1000 * kFirst && number < 1000 * kLast);
  }
  const auto digit = [&](std::size_t i) { return field[i] >= '0' && field[i] <= '9'; };
  constexpr std::size_t kDate = 10;  // 2005-09-06, 2005/09/06
  if (field.size() < kDate || (field[4] != '-' && field[4] != '/') || field[7] != field[4]) return false;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (!digit(i)) return false;
  }
  return field.size() == kDate || field[kDate] == ' ' || field[kDate] == 'T';
}

std::string wanted_text(std::size_t fields) {
  return fields == 3 ? "user, item and rating" : "user and item";
}

std::string columns_advice(std::size_t fields) {
  return std::string("say which are ") + wanted_text(fields) + " with --columns " +
         (fields == 3 ? "USER,ITEM,RATING" : "USER,ITEM") + ", names or numbers from 1";
}

Result<HeaderMeaning> columns_of(const RatingsHeader& header, std::size_t wanted, const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(auto known, understood(header, wanted, path));
  RatingsColumns& columns = known.columns;
  if (wanted == 3 && columns[kThird] == HeaderMeaning::kNowhere && header.names.size() > kThird &&
      meaning_of(header.names[kThird]).kind == ColumnKind::time) {
    return said_of(path, header,
                   "column 3 is called " + in_quotes(header.names[kThird]) + " and none is called rating: name " +
                       "the column of the ratings in the first line, or give --columns USER,ITEM,RATING");
  }
  // Of pairs the third column may be a rating: the header of a fit means the same there.
  if (fill(known, header, 3) || (wanted == 2 && fill(known, header, 2))) return known;
  std::vector<std::string> missing, free;
  for (std::size_t role = 0; role < wanted; ++role) {
    if (columns[role] == HeaderMeaning::kNowhere) missing.emplace_back(kRoleNames[role]);
  }
  for (const std::size_t column : known.free) free.push_back(called(header, column));
  if (free.size() < missing.size()) {
    return said_of(path, header,
                   "no column for the " + missing.back() + ", expected user, item" +
                       (wanted == 3 ? " and rating" : "") + " in the first line; " + columns_advice(wanted));
  }
  constexpr std::size_t kShown = 6;
  if (free.size() > kShown) free.resize(kShown);
  return said_of(path, header,
                 "no column has a known name of the " + listed(missing, " or ") + ", and columns " +
                     listed(free, " and ") + " may be " + (missing.size() == 1 ? "it" : "they") + "; " +
                     columns_advice(wanted));
}

/// --columns against the first line.
Result<RatingsColumns> chosen_columns(const std::string& spec, std::size_t wanted,
                                      const std::optional<RatingsHeader>& header, std::size_t count,
                                      const std::string& path) {
  std::vector<std::string_view> words;
  for (std::string_view rest = spec;;) {
    const auto end = rest.find(',');
    words.push_back(trimmed(rest.substr(0, end)));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (words.size() != wanted && !(wanted == 2 && words.size() == 3)) {
    return Status::usage("--columns " + spec + ": expected " + std::to_string(wanted) +
                         " names or numbers: " + wanted_text(wanted));
  }
  RatingsColumns columns{0, 1, 2};
  for (std::size_t role = 0; role < wanted; ++role) {
    std::uint64_t number = 0;
    std::size_t found = HeaderMeaning::kNowhere;
    for (const bool exactly : {true, false}) {
      for (std::size_t c = header ? header->names.size() : 0; c-- > 0;) {
        const std::string_view name = header->names[c];
        if (exactly ? name == words[role] : bare_name(name) == bare_name(words[role])) found = c;
      }
      if (found != HeaderMeaning::kNowhere) break;
    }
    if (found == HeaderMeaning::kNowhere && parse_count(words[role], number) && number >= 1 && number <= count)
      found = number - 1;
    if (found == HeaderMeaning::kNowhere) {
      return Status::input(path + ": --columns " + spec + " asks for " + in_quotes(words[role]) + ", but the " +
                           (header ? "first line names no such column" : "file has no header") + ", and it has " +
                           std::to_string(count) + " columns");
    }
    if (std::find(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(role), found) !=
        columns.begin() + static_cast<std::ptrdiff_t>(role)) {
      return Status::usage("--columns " + spec + ": " + in_quotes(words[role]) + " is there twice");
    }
    columns[role] = found;
  }
  return columns;
}

}  // namespace strads::data
