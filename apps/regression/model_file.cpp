#include "regression/model_file.hpp"

#include <algorithm>
#include <cstring>

namespace strads::lasso {
namespace {

constexpr std::string_view kMagic = "SRDLASSO";
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kPathMagic = "SRDLPATH";
constexpr std::uint32_t kPathVersion = 1;

// Fields in a fixed order, described once for both directions: numbers as 8 little-endian bytes, texts and lists with
// their length in front.
class Writer {
 public:
  void field(std::uint64_t& value) { append(&value, sizeof value); }
  void field(double& value) { append(&value, sizeof value); }
  void field(bool& value) {
    std::uint64_t number = value ? 1 : 0;
    field(number);
  }
  void field(VarId& value) {
    std::uint64_t number = value;
    field(number);
  }
  void field(std::string& value) {
    std::uint64_t size = value.size();
    field(size);
    append(value.data(), value.size());
  }
  template <class T>
  void length(std::vector<T>& list) {
    std::uint64_t size = list.size();
    field(size);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  void field(std::uint64_t& value) { copy(&value, sizeof value); }
  void field(double& value) { copy(&value, sizeof value); }
  void field(bool& value) {
    std::uint64_t number = 0;
    field(number);
    value = number != 0;
  }
  void field(VarId& value) {
    std::uint64_t number = 0;
    field(number);
    value = static_cast<VarId>(number);
  }
  void field(std::string& value) {
    std::uint64_t size = 0;
    field(size);
    if (size > bytes_.size()) return fail();
    value.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  template <class T>
  void length(std::vector<T>& list) {
    std::uint64_t size = 0;
    field(size);
    // Every entry takes eight bytes at least: a length that cannot be true must not allocate memory.
    if (size > bytes_.size() / sizeof(std::uint64_t)) return fail();
    list.resize(size);
  }
  [[nodiscard]] bool complete() const { return ok_ && bytes_.empty(); }

 private:
  void fail() {
    ok_ = false;
    bytes_ = {};
  }
  void copy(void* data, std::size_t size) {
    if (size > bytes_.size()) return fail();
    std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  std::string_view bytes_;
  bool ok_ = true;
};

template <class Stream>
void variable_fields(FittedVariable& variable, Stream& stream) {
  stream.field(variable.column);
  stream.field(variable.id);
  stream.field(variable.chromosome);
  stream.field(variable.position);
  stream.field(variable.counted);
  stream.field(variable.other);
  stream.field(variable.coefficient);
  stream.field(variable.mean);
}

template <class Stream>
void model_fields(FittedModel& model, Stream& stream) {
  stream.field(model.response);
  stream.field(model.columns);
  stream.field(model.has_alleles);
  stream.field(model.has_names);
  stream.field(model.intercept);
  stream.length(model.covariate_names);
  for (auto& name : model.covariate_names) stream.field(name);
  stream.length(model.covariates);
  for (auto& coefficient : model.covariates) stream.field(coefficient);
  stream.length(model.variables);
  for (auto& variable : model.variables) variable_fields(variable, stream);
}

template <class Stream>
void path_fields(FittedPath& fitted, Stream& stream) {
  model_fields(fitted.shape, stream);
  stream.field(fitted.least);
  stream.field(fitted.simplest);
  stream.length(fitted.steps);
  for (FittedStep& step : fitted.steps) {
    stream.field(step.lambda);
    stream.field(step.lambda_y);
    stream.field(step.intercept);
    stream.length(step.covariates);
    for (double& coefficient : step.covariates) stream.field(coefficient);
    stream.length(step.places);
    for (std::uint64_t& place : step.places) stream.field(place);
    stream.length(step.coefficients);
    for (double& coefficient : step.coefficients) stream.field(coefficient);
  }
}

bool fits(const FittedStep& step, const FittedModel& shape) {
  return step.places.size() == step.coefficients.size() && step.covariates.size() == shape.covariate_names.size() &&
         std::all_of(step.places.begin(), step.places.end(),
                     [&](std::uint64_t place) { return place < shape.variables.size(); });
}

}  // namespace

FittedModel FittedPath::at(std::size_t step) const {
  const FittedStep& own = steps[step];
  FittedModel model = shape;
  model.intercept = own.intercept;
  model.covariates = own.covariates;
  model.variables.clear();
  for (std::size_t k = 0; k < own.places.size(); ++k) {
    model.variables.push_back(shape.variables[own.places[k]]);
    model.variables.back().coefficient = own.coefficients[k];
  }
  return model;
}

std::string encode_path(const FittedPath& fitted) {
  Writer writer;
  FittedPath copy = fitted;
  path_fields(copy, writer);
  return writer.take();
}

Result<FittedPath> decode_path(const std::string& path, std::string_view content) {
  Reader reader(content);
  FittedPath fitted;
  path_fields(fitted, reader);
  const bool whole = reader.complete() && !fitted.steps.empty() && fitted.least <= fitted.steps.size() &&
                     fitted.simplest <= fitted.steps.size() &&
                     std::all_of(fitted.steps.begin(), fitted.steps.end(),
                                 [&](const FittedStep& step) { return fits(step, fitted.shape); });
  if (!whole) return Status::input(path + ": the content does not parse as a path; fit it again");
  return fitted;
}

Status write_path(const std::string& path, const FittedPath& fitted) {
  return write_sealed_file(path, kPathMagic, kPathVersion, encode_path(fitted));
}

Result<FittedPath> read_path(const std::string& path) {
  auto content = read_sealed_file(path, kPathMagic, kPathVersion);
  if (!content.ok()) return content.status();
  return decode_path(path, content.value());
}

std::string encode_model(const FittedModel& model) {
  Writer writer;
  FittedModel copy = model;
  model_fields(copy, writer);
  return writer.take();
}

Result<FittedModel> decode_model(const std::string& path, std::string_view content) {
  Reader reader(content);
  FittedModel model;
  model_fields(model, reader);
  if (!reader.complete() || model.covariates.size() != model.covariate_names.size()) {
    return Status::input(path + ": the content does not parse as a model; fit it again");
  }
  return model;
}

Status write_model(const std::string& path, const FittedModel& model) {
  return write_sealed_file(path, kMagic, kVersion, encode_model(model));
}

Result<FittedModel> read_model(const std::string& path) {
  auto content = read_sealed_file(path, kMagic, kVersion);
  if (!content.ok()) return content.status();
  return decode_model(path, content.value());
}

}  // namespace strads::lasso
