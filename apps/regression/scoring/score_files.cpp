#include "regression/scoring/score_files.hpp"

#include <algorithm>

#include "regression/match_variables.hpp"
#include "strads/data/chromosomes.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

using data::plain_chromosome;

bool has_id(const FittedVariable& variable) {
  return !variable.id.empty() && variable.id != ".";
}

std::string known_position(const FittedVariable& variable) {
  return variable.position.empty() ? "0" : variable.position;
}

std::string name_of(const FittedVariable& variable) {
  if (has_id(variable)) return variable.id;
  return plain_chromosome(variable.chromosome) + ":" + known_position(variable) + ":" + variable.other + ":" +
         variable.counted;
}

/// A name of the data as the value of a header line.
std::string header_value(std::string text) {
  for (char& letter : text) {
    if (letter == '=' || letter == '\n' || letter == '\r' || letter == '\t') letter = '_';
  }
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char letter : text) out += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return out + "\"";
}

}  // namespace

std::string pgs_file(const FittedModel& model, const PgsFacts& facts) {
  const std::string trait = facts.trait.empty() ? header_value(model.response) : facts.trait;
  std::string name = facts.name.empty() ? "STRADS_" + header_value(model.response) : facts.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::string out =
      "###PGS CATALOG SCORING FILE - see https://www.pgscatalog.org/downloads/#dl_ftp_scoring for additional "
      "information\n#format_version=2.0\n##POLYGENIC SCORE (PGS) INFORMATION\n";
  out += "#pgs_id=" + name + "\n#pgs_name=" + name + "\n#trait_reported=" + trait +
         "\n#trait_mapped=\n#trait_efo=\n#genome_build=" + facts.genome_build +
         "\n#variants_number=" + std::to_string(model.variables.size()) +
         "\n#weight_type=" + (model.has_classes() ? "log(OR)" : "beta") +
         "\n##SOURCE INFORMATION\n#pgp_id=\n#citation=\n#license=\n";
  out += "rsID\tchr_name\tchr_position\teffect_allele\tother_allele\teffect_weight\tallelefrequency_effect\n";
  for (const auto& variable : model.variables) {
    out += name_of(variable) + "\t" + plain_chromosome(variable.chromosome) + "\t" + known_position(variable) + "\t" +
           variable.counted + "\t" + variable.other + "\t" + exact_text(per_copy(variable)) + "\t" +
           exact_text(variable.mean / 2) + "\n";
  }
  return out;
}

std::string plink2_weights(const FittedModel& model) {
  std::string out = "ID\tA1\tWEIGHT\n";
  for (const auto& variable : model.variables) {
    out += name_of(variable) + "\t" + variable.counted + "\t" + exact_text(per_copy(variable)) + "\n";
  }
  return out;
}

std::string plink2_frequencies(const FittedModel& model) {
  std::string out = "#CHROM\tID\tREF\tALT\tALT_FREQS\n";
  for (const auto& variable : model.variables) {
    out += plain_chromosome(variable.chromosome) + "\t" + name_of(variable) + "\t" + variable.other + "\t" +
           variable.counted + "\t" + exact_text(variable.mean / 2) + "\n";
  }
  return out;
}

std::string csv_of_model(const FittedModel& model) {
  std::string out = "term,id,chromosome,position,A1,A2,coefficient,mean\n";
  out += "intercept,,,,,," + exact_text(model.intercept) + ",\n";
  for (std::size_t c = 0; c < model.covariates.size(); ++c) {
    out += "covariate," + quoted(model.covariate_names[c]) + ",,,,," + exact_text(model.covariates[c]) + ",\n";
  }
  for (const auto& variable : model.variables) {
    const std::string id = model.has_names ? variable.id : std::to_string(std::uint64_t{variable.column} + 1);
    out += "variable," + quoted(id) + "," + quoted(variable.chromosome) + "," + quoted(variable.position) + "," +
           quoted(variable.counted) + "," + quoted(variable.other) + "," + exact_text(per_copy(variable)) + "," +
           exact_text(variable.mean * copies_of_a_count(variable.chromosome)) + "\n";
  }
  return out;
}

}  // namespace strads::lasso
