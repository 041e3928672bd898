# broom's tidy() and glance(): the columns that broom has for glmnet and cv.glmnet, and the certificate. Generics are
# those of the package generics, which broom passes on; R registers these methods when it is loaded.

tidy.strads <- function(x, return_zeros = FALSE, ...) {
  return_zeros <- flag(return_zeros, "return_zeros")
  no_more("tidy", list(...), "return_zeros")
  all <- coef(x)
  steps <- rep(seq_len(ncol(all)), diff(all@p))
  if (return_zeros) {
    rows <- rep(seq_len(nrow(all)), ncol(all))
    steps <- rep(seq_len(ncol(all)), each = nrow(all))
    values <- as.double(as.matrix(all))
  } else {
    kept <- all@x != 0
    rows <- all@i[kept] + 1L
    steps <- steps[kept]
    values <- all@x[kept]
  }
  table_of(list(term = rownames(all)[rows], step = as.double(steps), estimate = values, lambda = x$lambda[steps],
                dev.ratio = x$dev.ratio[steps], relative.gap = x$relative.gap[steps]))
}

glance.strads <- function(x, ...) {
  no_more("glance", list(...), "no more")
  table_of(list(nulldev = x$nulldev, nobs = nobs(x), nlambda = length(x$lambda), rounds = x$rounds,
                relative.gap = if (length(x$lambda) > 0) max(x$relative.gap) else NA_real_,
                converged = all(x$converged)))
}

tidy.strads_cv <- function(x, ...) {
  no_more("tidy", list(...), "no more")
  table_of(list(lambda = x$lambda, estimate = x$cvm, std.error = x$cvsd, conf.low = x$cvlo, conf.high = x$cvup,
                nzero = x$nzero))
}

glance.strads_cv <- function(x, ...) {
  no_more("glance", list(...), "no more")
  table_of(list(lambda.min = x$lambda.min, lambda.1se = x$lambda.1se, nobs = nobs(x)))
}
