#include "data.hpp"

namespace strads::python {
namespace {

namespace py = pybind11;

const std::byte* bytes_of(const py::array& array) {
  return static_cast<const std::byte*>(array.data());
}

}  // namespace

/// The last view may go on any thread.
void Data::own(const py::object& object) {
  data_->owners.emplace_back(new py::object(object), [](py::object* held) {
    const py::gil_scoped_acquire lock;
    delete held;
  });
}

std::span<const double> Data::numbers(const py::array_t<double>& values) {
  if (values.ndim() != 1 || (values.size() > 1 && values.strides(0) != sizeof(double))) {
    throw py::value_error("expected one dimension of numbers that follow each other");
  }
  own(values);
  return {values.data(), static_cast<std::size_t>(values.size())};
}

void Data::set_dense(const py::array& x) {
  if (x.ndim() != 2) throw py::value_error("expected X of two dimensions");
  DenseInMemory dense;
  dense.values = bytes_of(x);
  dense.kind = x.dtype().kind();
  dense.item_size = static_cast<std::uint64_t>(x.itemsize());
  dense.rows = static_cast<std::uint64_t>(x.shape(0));
  dense.columns = static_cast<std::uint64_t>(x.shape(1));
  const auto item = static_cast<py::ssize_t>(dense.item_size);
  const bool by_columns = x.shape(0) <= 1 || x.strides(0) == item;
  const bool by_rows = (x.shape(1) <= 1 || x.strides(1) == item) && x.strides(0) == item * x.shape(1);
  if (by_columns && x.shape(1) > 1 && x.strides(1) >= item * x.shape(0)) {
    dense.stride = static_cast<std::uint64_t>(x.strides(1));
  } else if (!by_columns && by_rows) {
    dense.column_major = false;
  } else if (!(by_columns && x.shape(1) <= 1)) {
    throw py::value_error("expected X in Fortran or C order");
  }
  data_->dense = dense;
  own(x);
}

void Data::set_sparse(const py::array& values, const py::array& rows, const py::array& starts, std::uint64_t row_count,
                      std::uint64_t column_count) {
  SparseInMemory sparse;
  sparse.values = bytes_of(values);
  sparse.single = values.itemsize() == sizeof(float);
  sparse.rows = row_count;
  sparse.columns = column_count;
  if (values.dtype().kind() != 'f' || rows.itemsize() != 4 || rows.size() != values.size()) {
    throw py::value_error("expected float32 or float64 values and as many int32 row numbers");
  }
  sparse.row_numbers = {static_cast<const std::uint32_t*>(rows.data()), static_cast<std::size_t>(rows.size())};
  const auto count = static_cast<std::size_t>(starts.size());
  if (starts.itemsize() == sizeof(std::uint64_t)) {
    sparse.starts = {static_cast<const std::uint64_t*>(starts.data()), count};
    own(starts);
  } else {
    const auto* const narrow = static_cast<const std::uint32_t*>(starts.data());
    const auto wide = std::make_shared<const std::vector<std::uint64_t>>(narrow, narrow + count);
    sparse.starts = *wide;
    data_->owners.push_back(wide);
  }
  data_->sparse = sparse;
  own(values);
  own(rows);
}

void Data::set_response(const std::string& name, const py::array_t<double>& values) {
  data_->response = ColumnInMemory{name, numbers(values)};
}

void Data::add_response(const std::string& name, const py::array_t<double>& values) {
  data_->more_responses.push_back({name, numbers(values)});
}

void Data::add_covariate(const std::string& name, const py::array_t<double>& values) {
  data_->covariates.push_back({name, numbers(values)});
}

void Data::set_folds(const py::array_t<std::uint32_t>& values) {
  own(values);
  data_->folds = {values.data(), static_cast<std::size_t>(values.size())};
}

void Data::set_split(const py::array_t<std::uint8_t>& values) {
  own(values);
  data_->split = {values.data(), static_cast<std::size_t>(values.size())};
}

}  // namespace strads::python
