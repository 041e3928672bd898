#include "strads/data/chromosomes.hpp"

#include <array>
#include <string>

#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr std::uint64_t kAutosomes = 22;
constexpr std::uint64_t kX = 23, kY = 24, kXY = 25, kMT = 26;

// "chr2" and "2" name the same chromosome.
std::string_view bare(std::string_view chromosome) {
  return same_word(chromosome.substr(0, 3), "chr") ? chromosome.substr(3) : chromosome;
}

}  // namespace

std::optional<std::uint64_t> chromosome_code(std::string_view name) {
  struct Letters {
    std::string_view name;
    std::uint64_t code;
  };
  constexpr std::array<Letters, 5> kLetters{Letters{"X", kX}, Letters{"Y", kY}, Letters{"XY", kXY}, Letters{"MT", kMT},
                                            Letters{"M", kMT}};
  name = bare(name);
  if (std::uint64_t number = 0; parse_count(name, number)) {
    return number <= kMT ? std::optional(number) : std::nullopt;
  }
  if (name.size() == 2 && name[0] == '0') name.remove_prefix(1);  // 0X, 0Y, 0M
  for (const Letters& one : kLetters) {
    if (same_word(name, one.name)) return one.code;
  }
  return std::nullopt;
}

std::string plain_chromosome(std::string_view name) {
  const auto code = chromosome_code(name);
  if (!code) return std::string(bare(name));
  constexpr std::array<const char*, 4> kLetters{"X", "Y", "XY", "MT"};
  return *code < kX ? std::to_string(*code) : kLetters[*code - kX];
}

std::string sequence_of(std::string_view chromosome) {
  std::string plain = plain_chromosome(chromosome);
  const bool of_x = plain == "XY" || same_word(plain, "PAR1") || same_word(plain, "PAR2");
  return of_x ? "X" : plain;
}

Ploidy ploidy_of(std::string_view chromosome) {
  const auto code = chromosome_code(chromosome);
  if (!code || *code <= kAutosomes || *code == kXY) return Ploidy::diploid;
  return *code == kX ? Ploidy::x : *code == kY ? Ploidy::y : Ploidy::haploid;
}

ChromosomeRange::ChromosomeRange(std::string_view word) : name_(bare(word)), first_(chromosome_code(name_)) {
  const std::size_t dash = name_.find('-');
  if (dash == std::string_view::npos) return;
  const auto number = [](std::string_view text) -> std::optional<std::uint64_t> {
    std::uint64_t count = 0;  // of chromosomes beyond 26, which other species have, by number
    if (parse_count(bare(text), count)) return count;
    return chromosome_code(text);
  };
  first_ = number(name_.substr(0, dash));
  last_ = number(name_.substr(dash + 1));
  if (!first_ || !last_) first_ = last_ = std::nullopt;  // a name with a dash in it
}

bool ChromosomeRange::has(std::string_view chromosome) const {
  const std::string_view name = bare(chromosome);
  if (same_word(name_, name)) return true;
  std::uint64_t number = 0;
  const auto code = parse_count(name, number) ? std::optional(number) : chromosome_code(name);
  return first_ && code && *first_ <= *code && *code <= last_.value_or(*first_);
}

}  // namespace strads::data
