// Options of the commands that apply a model, where several have them, and those of `mf similar`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mf/options/fit_options.hpp"
#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {

// Rows that several tables have.
void add_model_option(OptionTable& table, std::string* target);
void add_columns_option(OptionTable& table, std::string effect, std::string* target);
void add_threads_option(OptionTable& table, std::uint32_t* target);
/// --allow, --deny. `allow`: what that says.
void add_item_options(OptionTable& table, ListOptions& options, std::string allow);
/// --format, --threads and the common ones. `out`: what --out says.
void add_list_options(OptionTable& table, ListOptions& options, std::string out);

/// How lists are written: what --format says.
enum class ListFormat : std::uint8_t { tsv, csv, jsonl, npz };
[[nodiscard]] ListFormat list_format_of(const std::string& name);

/// Errors: usage: there is none.
[[nodiscard]] Status check_model(const std::string& model);

/// Errors: usage: the folder that is read would be the one that is written. `advice`: what to do.
[[nodiscard]] Status check_apart(const std::string& model, const std::string& out, const std::string& advice);

struct SimilarOptions : ListOptions {
  std::string items;  ///< "": all
};
[[nodiscard]] OptionTable similar_option_table(SimilarOptions& options);

struct ExportOptions {
  CommonOptions common;
  std::string model;
};
[[nodiscard]] OptionTable export_option_table(ExportOptions& options);
[[nodiscard]] Status check_export_options(const ExportOptions& options);

struct RefitOptions {
  CommonOptions common;
  std::string model;
  std::string ratings;
  std::string columns;  ///< of `ratings`; "": those of the fit
  std::uint32_t passes = 3;
  std::uint32_t threads = 0;
};
[[nodiscard]] OptionTable refit_option_table(RefitOptions& options);
[[nodiscard]] Status check_refit_options(const RefitOptions& options);

struct SplitOptions {
  CommonOptions common;
  std::string ratings;
  std::string columns;  ///< of `ratings`
  std::string time;     ///< the column with the time; "": none is given
  std::string protocol = "leave-last";
  std::optional<double> positive_from;
  double users = 0.1;  ///< strong: share that is not learned from
  double share = 0.2;  ///< strong: of their pairs
  std::uint64_t seed = 1;
};
[[nodiscard]] OptionTable split_option_table(SplitOptions& options);
[[nodiscard]] Status check_split_options(const SplitOptions& options);

}  // namespace strads::mf
