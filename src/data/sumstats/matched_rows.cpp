#include "data/sumstats/matched_rows.hpp"

#include <algorithm>
#include <cmath>

#include "data/sumstats/panel_index.hpp"
#include "data/text/text.hpp"
#include "strads/data/alleles.hpp"

namespace strads::data {
namespace {

constexpr std::string_view kDroppedHeader = "id\tchromosome\tposition\tfile\tline\treason\n";

bool all_have_places(const std::vector<SummaryTable>& tables) {
  return std::ranges::all_of(tables, [](const SummaryTable& table) { return table.columns.has_places(); });
}

bool all_have_ids(const std::vector<SummaryTable>& tables) {
  return std::ranges::all_of(tables, [](const SummaryTable& table) { return table.columns.has(SummaryField::id); });
}

/// A word of the list: blanks in place of what would begin a new field.
void append_word(std::string& list, std::string_view word) {
  for (const char c : word) list += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  if (word.empty()) list += "NA";
}

/// What a row is in the panel.
struct PanelMatch {
  std::optional<SummaryReason> none;
  VarId column = 0;
  AlleleMatch alleles;
};

class RowMatcher {
 public:
  RowMatcher(const SummaryPanel& panel, bool by_place) : panel_(panel) {
    by_place ? void(places_.emplace(panel)) : void(ids_.emplace(panel));
  }

  [[nodiscard]] bool empty() const { return places_ ? places_->empty() : ids_->empty(); }

  /// Whether the place or the id is there, with any alleles.
  [[nodiscard]] bool finds(const SummaryRow& row) {
    places_ ? places_->find(row.chromosome, row.position, columns_) : ids_->find(row.id, columns_);
    return !columns_.empty();
  }

  /// Among several: letters of both alleles before those with one unseen, before that the same id (where places are
  /// looked up) or place, before that letters of the same strand, the same order last.
  [[nodiscard]] PanelMatch match(const SummaryRow& row) {
    PanelMatch best;
    if (!finds(row)) {
      best.none = SummaryReason::not_in_panel;
      return best;
    }
    best.none = SummaryReason::other_alleles;
    int best_rank = -1;
    for (const VarId column : columns_) {
      const VariableName name = panel_.variant(column);
      const AlleleMatch alleles = compare_alleles({row.effect, row.other}, {name.counted, name.other}, true);
      if (alleles.how == AlleleMatch::How::absent) continue;
      const bool also = places_ ? !row.id.empty() && row.id != "." && row.id == name.id : is_same_place(row, name);
      const int rank = (alleles.unseen_allele ? 0 : 8) + (also ? 4 : 0) + (alleles.other_strand ? 0 : 2) +
                       (alleles.how == AlleleMatch::How::same ? 1 : 0);
      if (rank < best_rank) continue;
      best.none = rank == best_rank ? std::optional(SummaryReason::several_in_panel) : std::nullopt;
      best.column = column;
      best.alleles = alleles;
      best_rank = rank;
    }
    return best;
  }

 private:
  static bool is_same_place(const SummaryRow& row, const VariableName& name) {
    const std::string place = place_of(row.chromosome, row.position);
    return !place.empty() && place == place_of(name.chromosome, name.position);
  }

  const SummaryPanel& panel_;
  std::optional<PanelByPlace> places_;
  std::optional<PanelById> ids_;
  std::vector<VarId> columns_;
};

Status no_places(const std::vector<SummaryTable>& tables, const SummaryPanel& panel) {
  const auto without = std::ranges::find_if(tables, [](const auto& table) { return !table.columns.has_places(); });
  const std::string who = without != tables.end()
                              ? at(without->path(), 1, 1) + "no columns with chromosome and position"
                              : panel.name + ": no variant has a position";
  return Status::input(who + ", expected places to match by; say --match id");
}

/// By what rows are found. Errors: what is asked for, or what is left, is not there.
Result<bool> choose_by_place(const std::vector<SummaryTable>& tables, const SummaryOptions& options,
                             const SummaryPanel& panel) {
  const auto has_place = [&](VarId j) {
    return !place_of(panel.variant(j).chromosome, panel.variant(j).position).empty();
  };
  const auto panel_has_places = [&] {
    for (VarId j = 0; j < panel.variants; ++j) {
      if (has_place(j)) return true;
    }
    return false;
  };
  if (options.match != SummaryMatch::id && all_have_places(tables) && panel_has_places()) return true;
  if (options.match == SummaryMatch::place) return no_places(tables, panel);
  const auto without = std::ranges::find_if(tables, [](const auto& t) { return !t.columns.has(SummaryField::id); });
  if (without == tables.end()) return false;
  return Status::input(at(without->path(), 1, 1) + "no column with ids, expected one to match by" +
                       (options.match == SummaryMatch::id ? "; say --match place"
                                                          : ", since the panel " + panel.name + " has no positions"));
}

/// Everything is turned to the allele that the panel counts.
void lay_beside(const SummaryRow& row, double n, const RowCorrelation& correlation, const PanelMatch& match,
                MatchedRow& out) {
  const bool turned = match.alleles.how == AlleleMatch::How::swapped;
  const double sign = turned ? -1 : 1;
  out.statistic.column = match.column;
  out.statistic.r = correlation.r == 0 ? 0 : sign * correlation.r;
  out.statistic.n = n;
  out.statistic.beta = row.beta == 0 ? 0 : sign * row.beta;
  out.statistic.se = row.se;
  out.statistic.frequency = turned ? 1 - row.frequency : row.frequency;
  out.info = static_cast<float>(row.info);
  out.source = correlation.source;
  out.turned = turned;
  out.other_strand = match.alleles.other_strand;
  out.ambiguous = is_strand_ambiguous(row.effect, row.other);
  out.no_effect = correlation.no_effect;
  out.disagrees = correlation.disagrees;
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

class TableMatcher {
 public:
  TableMatcher(RowMatcher& matcher, MatchedRows& out) : matcher_(matcher), out_(out) {}

  Status match(const SummaryTable& table, std::uint16_t file) {
    SummaryRowReader reader(table.table, table.columns);
    SummaryRow row;
    for (std::uint64_t i = 0; i < table.table.rows(); ++i) {
      if (Status read = reader.read(i, row); !read.ok()) return read;
      ++out_.counts.rows;
      if (row.is_other_test) {
        ++out_.counts.other_tests;
        continue;
      }
      if (row.beta == 0 && std::isnan(row.z)) ++out_.counts.no_effect_rows;
      MatchedRow matched;
      matched.file = file;
      matched.line = table.table.line_number(i);
      std::optional<SummaryReason> none;
      if (Status laid = match_row(table, row, matched, none); !laid.ok()) return laid;
      if (!none) {
        out_.rows.push_back(matched);
        continue;
      }
      ++out_.counts.dropped[static_cast<std::size_t>(*none)];
      list_dropped(out_.dropped, {row.id, row.chromosome, row.position, {}, {}}, file_name(table.path()), matched.line,
                   *none);
    }
    return {};
  }

 private:
  /// `none`: why it is no variant of the panel.
  Status match_row(const SummaryTable& table, const SummaryRow& row, MatchedRow& out,
                   std::optional<SummaryReason>& none) {
    const double n = table.people.of(row);
    none = row.unfit ? row.unfit : std::isnan(n) ? std::optional(SummaryReason::no_n) : std::nullopt;
    if (none) return {};
    const PanelMatch match = matcher_.match(row);
    none = match.none;
    if (none) return {};
    STRADS_ASSIGN_OR_RETURN(const auto correlation, correlation_of(row, n, at(table.path(), out.line, 1)));
    if (!correlation) {
      none = reason_without_result(row);
      return {};
    }
    lay_beside(row, n, *correlation, match, out);
    return {};
  }

  RowMatcher& matcher_;
  MatchedRows& out_;
};

}  // namespace

void list_dropped(std::string& list, const VariableName& name, std::string_view file, std::uint64_t line,
                  SummaryReason reason) {
  for (const std::string_view word : {name.id, name.chromosome, name.position, file_name(file)}) {
    append_word(list, word);
    list += '\t';
  }
  list += std::to_string(line);
  list += '\t';
  list += text_of(reason);
  list += '\n';
}

Result<MatchedRows> match_summary_rows(const std::vector<SummaryTable>& tables, const SummaryOptions& options,
                                       const SummaryPanel& panel) {
  MatchedRows out;
  STRADS_ASSIGN_OR_RETURN(out.by_place, choose_by_place(tables, options, panel));
  out.dropped = kDroppedHeader;
  RowMatcher matcher(panel, out.by_place);
  TableMatcher matching(matcher, out);
  std::uint64_t rows = 0;
  for (const SummaryTable& table : tables) rows += table.table.rows();
  out.rows.reserve(std::min<std::uint64_t>(rows, panel.variants));
  for (std::size_t file = 0; file < tables.size(); ++file) {
    Status matched = matching.match(tables[file], static_cast<std::uint16_t>(file));
    if (!matched.ok()) return matched;
  }
  return out;
}

std::optional<std::uint64_t> count_found(const std::vector<SummaryTable>& tables, const SummaryPanel& panel,
                                         bool by_place) {
  if (by_place ? !all_have_places(tables) : !all_have_ids(tables)) return std::nullopt;
  RowMatcher matcher(panel, by_place);
  if (matcher.empty()) return std::nullopt;
  std::uint64_t found = 0;
  SummaryRow row;
  for (const SummaryTable& table : tables) {
    SummaryRowReader reader(table.table, table.columns);
    for (std::uint64_t i = 0; i < table.table.rows(); ++i) {
      if (reader.read(i, row).ok() && !row.is_other_test && !matcher.match(row).none) ++found;
    }
  }
  return found;
}

}  // namespace strads::data
