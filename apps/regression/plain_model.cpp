#include "regression/plain_model.hpp"

#include <cstring>

namespace strads::lasso {
namespace {

/// Members in a fixed order: numbers as 8 little-endian bytes, texts and lists with their length in front.
class PlainReader {
 public:
  explicit PlainReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... Members>
  void read(Members&... members) {
    (member(members), ...);
  }
  [[nodiscard]] bool whole() const { return ok_ && bytes_.empty(); }

 private:
  void member(std::uint64_t& value) { copy(&value, sizeof value); }
  void member(double& value) { copy(&value, sizeof value); }
  void member(bool& value) { value = number() != 0; }
  void member(VarId& value) { value = static_cast<VarId>(number()); }
  void member(std::string& value) { value.assign(next_bytes(number())); }
  void member(FittedVariable& variable) {
    auto& [column, id, chromosome, position, counted, other, coefficient, mean] = variable;
    read(column, id, chromosome, position, counted, other, coefficient, mean);
  }
  void member(FittedStep& step) {
    auto& [lambda, lambda_y, intercept, covariates, places, coefficients] = step;
    read(lambda, lambda_y, intercept, covariates, places, coefficients);
  }
  void member(FittedModel& model) {
    // All were fitted by least squares.
    auto& [response, columns, has_alleles, has_names, intercept, covariate_names, covariates, variables, family,
           classes, has_offset, samples, people] = model;
    read(response, columns, has_alleles, has_names, intercept, covariate_names, covariates, variables);
  }
  void member(FittedPath& path) { read(path.shape, path.least, path.simplest, path.steps); }
  template <class T>
  void member(std::vector<T>& list) {
    // Grows as entries are read: a length that cannot be true must not allocate memory.
    for (std::uint64_t left = number(); left > 0 && ok_; --left) member(list.emplace_back());
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    member(value);
    return value;
  }
  void copy(void* data, std::size_t size) {
    const std::string_view from = next_bytes(size);
    if (ok_) std::memcpy(data, from.data(), size);
  }
  std::string_view next_bytes(std::uint64_t size) {
    if (size > bytes_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace

template <class T>
std::optional<T> from_plain_content(std::string_view content) {
  T fitted;
  PlainReader reader(content);
  reader.read(fitted);
  if (!reader.whole()) return std::nullopt;
  return fitted;
}

template std::optional<FittedModel> from_plain_content(std::string_view);
template std::optional<FittedPath> from_plain_content(std::string_view);

}  // namespace strads::lasso
