#include "lasso/model_file.hpp"

#include <cstring>

namespace strads::lasso {
namespace {

constexpr std::string_view kMagic = "SRDLASSO";
constexpr std::uint32_t kVersion = 1;

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

}  // namespace

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
