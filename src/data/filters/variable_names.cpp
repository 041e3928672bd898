#include "data/filters/variable_names.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace strads::data {

namespace {

class ListNames final : public VariableNames {
 public:
  explicit ListNames(StringList names) : names_(std::move(names)) {}
  [[nodiscard]] VariableName at(std::uint64_t j) const override {
    return {.id = names_[j], .chromosome = {}, .position = {}, .counted = {}, .other = {}};
  }
  [[nodiscard]] std::uint64_t size() const override { return names_.size(); }

 private:
  StringList names_;
};

// All numbers from 1 on in one string; where a number lies follows from how many digits the smaller ones have.
class NumberNames final : public VariableNames {
 public:
  explicit NumberNames(std::uint64_t count) : count_(count) {
    text_.reserve(offset(count + 1));
    for (std::uint64_t number = 1; number <= count; ++number) text_ += std::to_string(number);
  }
  [[nodiscard]] VariableName at(std::uint64_t j) const override {
    const std::uint64_t begin = offset(j + 1);
    return {.id = std::string_view(text_).substr(begin, offset(j + 2) - begin),
            .chromosome = {},
            .position = {},
            .counted = {},
            .other = {}};
  }
  [[nodiscard]] std::uint64_t size() const override { return count_; }

 private:
  // Digits of all numbers 1 .. number - 1.
  static std::uint64_t offset(std::uint64_t number) {
    std::uint64_t sum = 0;
    for (std::uint64_t smallest = 1; smallest < number; smallest *= 10) sum += number - smallest;
    return sum;
  }

  std::uint64_t count_;
  std::string text_;
};

class BimNames final : public VariableNames {
 public:
  BimNames(Bim bim, std::shared_ptr<const void> owner) : bim_(std::move(bim)), owner_(std::move(owner)) {}
  [[nodiscard]] VariableName at(std::uint64_t j) const override { return bim_[j]; }
  [[nodiscard]] std::uint64_t size() const override { return bim_.size(); }
  [[nodiscard]] bool has_alleles() const override { return true; }
  [[nodiscard]] std::span<const std::uint64_t> negative() const override { return bim_.negative(); }
  void for_each(const std::function<void(std::uint64_t, const VariableName&)>& visit) const override {
    bim_.for_each(visit);
  }

 private:
  Bim bim_;
  std::shared_ptr<const void> owner_;
};

class JoinedNames final : public VariableNames {
 public:
  explicit JoinedNames(std::vector<std::unique_ptr<const VariableNames>> files) : files_(std::move(files)) {
    for (const auto& file : files_) {
      for (const std::uint64_t j : file->negative()) negative_.push_back(size_ + j);
      begins_.push_back(size_);
      size_ += file->size();
    }
  }
  [[nodiscard]] VariableName at(std::uint64_t j) const override {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), j);
    const auto file = static_cast<std::size_t>(after - begins_.begin()) - 1;
    return files_[file]->at(j - begins_[file]);
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] bool has_alleles() const override { return true; }
  [[nodiscard]] std::span<const std::uint64_t> negative() const override { return negative_; }
  void for_each(const std::function<void(std::uint64_t, const VariableName&)>& visit) const override {
    for (std::size_t k = 0; k < files_.size(); ++k) {
      const std::uint64_t begin = begins_[k];
      files_[k]->for_each([&](std::uint64_t j, const VariableName& name) { visit(begin + j, name); });
    }
  }

 private:
  std::vector<std::unique_ptr<const VariableNames>> files_;
  std::vector<std::uint64_t> begins_, negative_;
  std::uint64_t size_ = 0;
};

}  // namespace

void VariableNames::for_each(const std::function<void(std::uint64_t, const VariableName&)>& visit) const {
  for (std::uint64_t j = 0; j < size(); ++j) visit(j, at(j));
}

std::unique_ptr<const VariableNames> names_from_list(StringList names) {
  return std::make_unique<const ListNames>(std::move(names));
}
std::unique_ptr<const VariableNames> names_by_number(std::uint64_t columns) {
  return std::make_unique<const NumberNames>(columns);
}
std::unique_ptr<const VariableNames> names_from_bim(Bim bim, std::shared_ptr<const void> owner) {
  return std::make_unique<const BimNames>(std::move(bim), std::move(owner));
}
std::unique_ptr<const VariableNames> joined_names(std::vector<std::unique_ptr<const VariableNames>> files) {
  return std::make_unique<const JoinedNames>(std::move(files));
}

}  // namespace strads::data
