#include "lasso/solver/pair_products.hpp"

namespace strads::lasso {

bool is_sparse(const StandardizedColumns& columns) {
  return columns.view().storage == Storage::sparse_f32 || columns.view().storage == Storage::sparse_f64;
}

PairProducts pair_products(const StandardizedColumns& columns) {
  PairProducts products;
  products.nested = !is_sparse(columns);
  if (products.nested) return products;
  products.price = 1.0;
  products.sweeps_instead = 20;
  products.matter = false;
  return products;
}

}  // namespace strads::lasso
