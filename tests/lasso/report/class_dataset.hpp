// A response of two classes, made up by a test.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../run/in_memory_dataset.hpp"

namespace strads::lasso {

class ClassDataset final : public InMemoryDataset {
 public:
  ClassDataset(Content content, std::vector<double> offset, std::vector<std::string> covariate_names)
      : InMemoryDataset(std::move(content)), offset_(std::move(offset)), names_(std::move(covariate_names)) {}

  [[nodiscard]] const std::array<std::string, 2>& classes() const override { return classes_; }
  [[nodiscard]] std::span<const double> offset() const override { return offset_; }
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return names_; }

 private:
  std::array<std::string, 2> classes_{"well", "ill"};
  std::vector<double> offset_;
  std::vector<std::string> names_;
};

/// Whose response is 0 and 1. `offset`: empty or one a row.
[[nodiscard]] inline std::shared_ptr<const Dataset> class_dataset(Content content, std::vector<double> offset = {},
                                                                  std::vector<std::string> covariate_names = {}) {
  return std::make_shared<ClassDataset>(std::move(content), std::move(offset), std::move(covariate_names));
}

/// Every third response is 1; the columns are random.
[[nodiscard]] inline Content class_content(std::size_t rows) {
  Content content = random_content({.rows = rows, .columns = 3});
  for (std::size_t i = 0; i < rows; ++i) content.response[i] = i % 3 == 0 ? 1 : 0;
  return content;
}

}  // namespace strads::lasso
