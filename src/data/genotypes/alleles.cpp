#include "strads/data/alleles.hpp"

#include <algorithm>

#include "strads/data/chromosomes.hpp"

namespace strads::data {
namespace {

/// The letter of the other strand; 0 for what is no single base.
char complement(std::string_view allele) {
  if (allele.size() != 1) return 0;
  switch (allele[0]) {
    case 'A':
      return 'T';
    case 'C':
      return 'G';
    case 'G':
      return 'C';
    case 'T':
      return 'A';
    default:
      return 0;
  }
}

bool are_complements(std::string_view a, std::string_view b) {
  const char letter = complement(a);
  return letter != 0 && b.size() == 1 && b[0] == letter;
}

/// What stands for an allele that nobody in the file carries.
bool is_unseen(std::string_view allele) {
  return allele == "0" || allele == "." || allele == "-";
}

/// One allele alone was seen: the other one is that which is wanted, of which nobody there has a copy.
AlleleMatch compare_seen_allele(const Alleles& wanted, const Alleles& found, bool other_strand) {
  const bool counts_unseen = is_unseen(found.counted);
  const std::string_view seen = counts_unseen ? found.other : found.counted;
  const std::string_view expected = counts_unseen ? wanted.other : wanted.counted;
  const std::string_view turned = counts_unseen ? wanted.counted : wanted.other;
  AlleleMatch match;
  if (is_unseen(seen)) return match;
  match.unseen_allele = true;
  match.other_strand = seen != expected && seen != turned && other_strand;
  if (seen == expected || (match.other_strand && are_complements(seen, expected))) {
    match.how = AlleleMatch::How::same;
  } else if (seen == turned || (match.other_strand && are_complements(seen, turned))) {
    match.how = AlleleMatch::How::swapped;
  }
  return match;
}

}  // namespace

AlleleMatch compare_alleles(const Alleles& wanted, const Alleles& found, bool other_strand) {
  if (is_unseen(found.counted) || is_unseen(found.other)) return compare_seen_allele(wanted, found, other_strand);
  AlleleMatch match;
  if (wanted.counted == found.counted && wanted.other == found.other) {
    match.how = AlleleMatch::How::same;
  } else if (wanted.counted == found.other && wanted.other == found.counted) {
    match.how = AlleleMatch::How::swapped;
  } else if (other_strand) {
    match.other_strand = true;
    if (are_complements(wanted.counted, found.counted) && are_complements(wanted.other, found.other)) {
      match.how = AlleleMatch::How::same;
    } else if (are_complements(wanted.counted, found.other) && are_complements(wanted.other, found.counted)) {
      match.how = AlleleMatch::How::swapped;
    }
  }
  return match;
}

bool is_strand_ambiguous(std::string_view counted, std::string_view other) {
  return are_complements(counted, other);
}

std::string place_of(std::string_view chromosome, std::string_view position) {
  position.remove_prefix(std::min(position.find_first_not_of('0'), position.size()));
  if (chromosome.empty() || chromosome == "0" || position.empty()) return "";
  return sequence_of(chromosome) + ":" + std::string(position);
}

bool is_left_out(std::string_view position) {
  return position.starts_with('-');
}

}  // namespace strads::data
