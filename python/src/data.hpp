// NumPy arrays as views of DataInMemory.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>

#include "strads/data/data_in_memory.hpp"

namespace strads::python {

/// What Python hands to a call: views, and the arrays that they look at.
class Data {
 public:
  /// X: rows x columns of float32, float64, int8, uint8 or bool in Fortran order, its columns maybe with gaps; other
  /// numbers or C order are copied by the reader.
  void set_dense(const pybind11::array& x);
  /// X by columns; `values` float32 or float64, `rows` int32, `starts` int32 or int64.
  void set_sparse(const pybind11::array& values, const pybind11::array& rows, const pybind11::array& starts,
                  std::uint64_t row_count, std::uint64_t column_count);
  void set_response(const std::string& name, const pybind11::array_t<double>& values);
  /// Further responses of a path or a cross-validation, each with a name of its own.
  void add_response(const std::string& name, const pybind11::array_t<double>& values);
  void set_weights(const pybind11::array_t<double>& values) { data_->weights = numbers(values); }
  void set_offset(const pybind11::array_t<double>& values) { data_->offset = numbers(values); }
  void add_covariate(const std::string& name, const pybind11::array_t<double>& values);
  /// One a column of X, also of one on disk.
  void set_penalty_factors(const pybind11::array_t<double>& values) { data_->penalty_factors = numbers(values); }
  void set_folds(const pybind11::array_t<std::uint32_t>& values);
  /// 0 takes no part, 1 trains, 2 validates, 3 tests.
  void set_split(const pybind11::array_t<std::uint8_t>& values);

  [[nodiscard]] std::shared_ptr<const DataInMemory> view() const { return data_; }

 private:
  void own(const pybind11::object& object);
  std::span<const double> numbers(const pybind11::array_t<double>& values);

  std::shared_ptr<DataInMemory> data_ = std::make_shared<DataInMemory>();
};

}  // namespace strads::python
