#include "regression/cv_folds.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include "regression/people.hpp"
#include "strads/base/hash.hpp"
#include "strads/program/result_files.hpp"

namespace strads::lasso {
namespace {

Folds none_of(const ColumnsView& view, std::uint32_t count) {
  Folds folds;
  folds.count = count;
  folds.of_row.assign(static_cast<std::size_t>(view.rows), count);
  folds.sizes.assign(count, 0);
  return folds;
}

void assign_fold(Folds& folds, std::uint32_t row, std::uint32_t fold) {
  folds.of_row[row] = fold;
  ++folds.sizes[fold];
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

/// One line of a file of folds.
struct Entry {
  std::string id;  ///< as id_of(); "" where the line has the fold alone
  std::string fold;
  std::size_t line = 0;
};

Result<std::vector<Entry>> entries_of(const std::string& path, bool families, bool named) {
  STRADS_ASSIGN_OR_RETURN(auto content, read_file(path));
  const std::size_t ids = named ? (families ? 2 : 1) : 0;
  std::vector<Entry> entries;
  std::istringstream lines(content);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto words = words_of(line);
    if (words.empty() || (number == 1 && (words[0][0] == '#' || words.back() == "fold"))) continue;
    if (words.size() != ids + 1) {
      return Status::input(path + ":" + std::to_string(number) + ": " + std::to_string(words.size()) +
                           " fields, expected " +
                           (ids == 0   ? "the fold alone, since the samples have no ids"
                            : ids == 1 ? "a sample's id and its fold"
                                       : "FID, IID and the fold"));
    }
    std::string id;
    for (std::size_t k = 0; k < ids; ++k) id += (k == 0 ? "" : "\t") + words[k];
    entries.push_back({std::move(id), words.back(), number});
  }
  return entries;
}

/// Numbers before texts, by size; so that fold 10 comes after fold 2.
bool before(const std::string& a, const std::string& b) {
  const auto numeric = [](const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (numeric(a) != numeric(b)) return numeric(a);
  if (numeric(a) && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

/// Everything but the rows is that of the whole.
class WithoutRows final : public Dataset {
 public:
  WithoutRows(std::shared_ptr<const Dataset> all, const std::vector<std::uint32_t>& held_out, std::string reason)
      : all_(std::move(all)),
        view_(all_->columns()),
        response_(all_->response().begin(), all_->response().end()),
        offset_(all_->offset().begin(), all_->offset().end()),
        covariates_(all_->covariates()),
        dropped_(all_->dropped_samples()) {
    std::merge(view_.dropped_rows.begin(), view_.dropped_rows.end(), held_out.begin(), held_out.end(),
               std::back_inserter(rows_));
    view_.dropped_rows = rows_;
    weights_.assign(view_.weights.begin(), view_.weights.end());
    for (const std::uint32_t row : held_out) {
      if (!weights_.empty()) weights_[row] = 0;
    }
    scale_weights(weights_);  // a fit of those left has the weights that it has where they alone are read
    view_.weights = weights_;
    for (const std::uint32_t row : held_out) {
      response_[row] = 0;
      if (!offset_.empty()) offset_[row] = 0;
      for (auto& covariate : covariates_) covariate[row] = 0;
    }
    dropped_.push_back({std::move(reason), held_out.size()});
  }

  [[nodiscard]] const ColumnsView& columns() const override { return view_; }
  [[nodiscard]] std::span<const double> response() const override { return response_; }
  [[nodiscard]] std::string_view response_name() const override { return all_->response_name(); }
  [[nodiscard]] const std::array<std::string, 2>& classes() const override { return all_->classes(); }
  [[nodiscard]] const std::vector<std::string>& class_names() const override { return all_->class_names(); }
  [[nodiscard]] std::span<const double> offset() const override { return offset_; }
  [[nodiscard]] const std::vector<std::vector<double>>& covariates() const override { return covariates_; }
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return all_->covariate_names(); }
  [[nodiscard]] const std::vector<SkippedCovariate>& skipped_covariates() const override {
    return all_->skipped_covariates();
  }
  [[nodiscard]] std::span<const double> penalty_factors() const override { return all_->penalty_factors(); }
  [[nodiscard]] VariableName variable(VarId j) const override { return all_->variable(j); }
  [[nodiscard]] SampleName sample(std::uint64_t row) const override { return all_->sample(row); }
  [[nodiscard]] std::span<const std::uint8_t> sexes() const override { return all_->sexes(); }
  [[nodiscard]] bool has_alleles() const override { return all_->has_alleles(); }
  [[nodiscard]] const std::vector<Dropped>& dropped_samples() const override { return dropped_; }
  [[nodiscard]] const std::vector<Dropped>& dropped_variables() const override { return all_->dropped_variables(); }
  [[nodiscard]] std::uint64_t missing_imputed() const override { return all_->missing_imputed(); }
  [[nodiscard]] std::uint64_t fingerprint() const override {
    Hash64 hash;
    hash.update_u64(all_->fingerprint());
    for (const std::uint32_t row : rows_) hash.update_u64(row);
    return hash.digest();
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> mapped_memory() const override { return all_->mapped_memory(); }
  void release_columns(VarId begin, VarId end) const override { all_->release_columns(begin, end); }
  [[nodiscard]] const std::vector<std::string>& files() const override { return all_->files(); }
  [[nodiscard]] const std::vector<std::string>& warnings() const override { return all_->warnings(); }

 private:
  std::shared_ptr<const Dataset> all_;
  ColumnsView view_;
  std::vector<std::uint32_t> rows_;  ///< dropped ones, sorted
  std::vector<double> weights_;
  std::vector<double> response_;
  std::vector<double> offset_;
  std::vector<std::vector<double>> covariates_;
  std::vector<Dropped> dropped_;
};

}  // namespace

Result<Folds> draw_folds(const Dataset& dataset, std::uint32_t count, std::uint64_t seed, bool stratify) {
  const auto rows = samples_of(dataset.columns());
  if (count < 2 || count > rows.size()) {
    return Status::usage("--folds " + std::to_string(count) + ": expected 2 to " + std::to_string(rows.size()) +
                         ", the number of samples");
  }
  std::vector<std::tuple<double, std::uint64_t, std::uint32_t>> order;
  for (const std::uint32_t row : rows) {
    const std::string id = id_of(dataset, row);
    Hash64 hash;
    hash.update_u64(seed);
    if (id.empty()) hash.update_u64(row);
    hash.update(std::as_bytes(std::span(id)));
    order.emplace_back(stratify ? dataset.response()[row] : 0.0, hash.digest(), row);
  }
  std::sort(order.begin(), order.end());
  Folds folds = none_of(dataset.columns(), count);
  for (std::size_t k = 0; k < order.size(); ++k) {
    assign_fold(folds, std::get<2>(order[k]), static_cast<std::uint32_t>(k % count));
  }
  for (std::uint32_t k = 1; k <= count; ++k) folds.names.push_back(std::to_string(k));
  return folds;
}

Result<Folds> read_folds(const Dataset& dataset, const std::string& path) {
  const ColumnsView& view = dataset.columns();
  const auto rows = samples_of(view);
  const bool named = !rows.empty() && !dataset.sample(rows[0]).individual.empty();
  const bool families = named && !dataset.sample(rows[0]).family.empty();
  STRADS_ASSIGN_OR_RETURN(auto entries, entries_of(path, families, named));
  std::map<std::string, const Entry*> of_id;
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    names.push_back(entry.fold);
    if (!named || of_id.emplace(entry.id, &entry).second) continue;
    return Status::input(path + ":" + std::to_string(entry.line) + ": sample '" + entry.id +
                         "' is there a second time, expected each once");
  }
  if (!named && entries.size() != rows.size()) {
    return Status::input(path + ": " + std::to_string(entries.size()) + " folds for " + std::to_string(rows.size()) +
                         " samples, which have no ids: expected one a line");
  }
  std::sort(names.begin(), names.end(), before);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  Folds folds = none_of(view, static_cast<std::uint32_t>(names.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::string id = id_of(dataset, rows[k]);
    const auto found = of_id.find(id);
    if (named && found == of_id.end()) {
      return Status::input(path + ": no fold for sample '" + id + "'; expected one for each of the " +
                           std::to_string(rows.size()) + " samples");
    }
    const Entry& entry = named ? *found->second : entries[k];
    const auto at = std::lower_bound(names.begin(), names.end(), entry.fold, before);
    assign_fold(folds, rows[k], static_cast<std::uint32_t>(at - names.begin()));
  }
  // Folds of samples that are not in the data are none.
  Folds used = none_of(view, 0);
  std::vector<std::uint32_t> number(names.size(), 0);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (folds.sizes[k] == 0) continue;
    number[k] = used.count++;
    used.names.push_back(names[k]);
    used.sizes.push_back(folds.sizes[k]);
  }
  if (used.count < 2) return Status::input(path + ": all samples are in one fold; expected at least two folds");
  used.of_row.assign(folds.of_row.size(), used.count);
  for (const std::uint32_t row : rows) used.of_row[row] = number[folds.of_row[row]];
  return used;
}

Result<Folds> folds_of_rows(const Dataset& dataset, std::span<const std::uint32_t> of_row) {
  const ColumnsView& view = dataset.columns();
  if (of_row.size() != view.rows) {
    return Status::usage("folds: " + std::to_string(of_row.size()) + " numbers for " + std::to_string(view.rows) +
                         " rows, expected one each");
  }
  const auto rows = samples_of(view);
  std::uint32_t count = 0;
  for (const std::uint32_t row : rows) count = std::max(count, of_row[row] + 1);
  if (count < 2 || count > rows.size()) {
    return Status::usage("folds: " + std::to_string(count) + ", expected 2 to " + std::to_string(rows.size()) +
                         ", the number of samples");
  }
  Folds folds = none_of(view, count);
  for (const std::uint32_t row : rows) assign_fold(folds, row, of_row[row]);
  for (std::uint32_t f = 0; f < count; ++f) {
    if (folds.sizes[f] == 0) {
      return Status::usage("folds: no sample is in fold " + std::to_string(f) +
                           ", expected numbers from 0 without gaps");
    }
    folds.names.push_back(std::to_string(f + 1));
  }
  return folds;
}

std::string folds_table(const Dataset& dataset, const Folds& folds) {
  const auto rows = samples_of(dataset.columns());
  const bool named = !rows.empty() && !dataset.sample(rows[0]).individual.empty();
  const bool families = named && !dataset.sample(rows[0]).family.empty();
  std::string out = !named ? "fold\n" : families ? "FID\tIID\tfold\n" : "IID\tfold\n";
  for (const std::uint32_t row : rows) {
    if (named) out += id_of(dataset, row) + "\t";
    out += folds.names[folds.of_row[row]] + "\n";
  }
  return out;
}

std::shared_ptr<const Dataset> without_fold(std::shared_ptr<const Dataset> all, const Folds& folds,
                                            std::uint32_t fold) {
  return without_rows(std::move(all), rows_of_fold(folds, fold), "held out as fold " + folds.names[fold]);
}

std::vector<std::uint32_t> rows_of_fold(const Folds& folds, std::uint32_t fold) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < folds.of_row.size(); ++i) {
    if (folds.of_row[i] == fold) rows.push_back(i);
  }
  return rows;
}

std::shared_ptr<const Dataset> without_rows(std::shared_ptr<const Dataset> all, const std::vector<std::uint32_t>& rows,
                                            std::string reason) {
  return std::make_shared<WithoutRows>(std::move(all), rows, std::move(reason));
}

}  // namespace strads::lasso
