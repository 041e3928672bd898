# Predictions of genotypes in files, and models for other programs.

# Intercept, covariates and coefficients of the k-th of `at`, as the compiled half takes a model.
solution_of <- function(object, at, k) {
  list(object$model, at$a0[k], as.double(at$covariates[, k]), as.double(at$beta[object$model$variables$column, k]))
}

strads_export <- function(object, file, s = NULL, options = list()) {
  if (!is.character(file) || length(file) != 1 || is.na(file)) expected("file", file, "one path")
  if (inherits(object, "strads_cv")) {
    s <- lambda_of_cv(object, if (is.null(s)) "lambda.1se" else s)
    object <- object$glmnet.fit
  }
  if (!inherits(object, c("strads", "strads_sumstats"))) expected("object", object, "a fit")
  of_study <- inherits(object, "strads_sumstats")
  if (of_study && !is.null(s)) refuse("s: of a fit of summary statistics the chosen solution is written, expected none")
  at <- if (of_study) solution_at(object, NULL, NULL) else solutions_at(object, s)
  if (ncol(at$beta) != 1) refuse("s: found ", ncol(at$beta), " lambdas, expected one; a file has one model")
  given <- option_list(list(), options)
  text <- do.call(.Call, c(list(strads_r_export), solution_of(object, at, 1),
                           list(as.character(names(given)), vapply(given, option_text, ""))))
  if (is.list(text)) checked(text)
  write_whole(text, path.expand(file))
  invisible(file)
}

# The whole text under that name, or nothing.
write_whole <- function(text, path) {
  part <- tempfile(paste0(basename(path), "."), dirname(path))
  connection <- if (grepl("\\.gz$", path)) gzfile(part, "wb") else file(part, "wb")
  on.exit({
    close(connection)
    unlink(part)
  })
  writeLines(text, connection, sep = "", useBytes = TRUE)
  close(connection)
  on.exit(unlink(part))
  if (!file.rename(part, path)) refuse("file: ", path, " cannot be written")
}

# Variants by id and alleles, missing calls at their training means: `lasso predict`.
predict_files <- function(object, at, path, newoffset, newcovariates, options) {
  given <- option_list(file_options(path, "newx"), options)
  data <- list()
  offset <- if (is.null(given$offset)) new_offset(object, newoffset, NA)
  # Of numbers it was subtracted from y, so that the model itself has none.
  if (object$model$has_offset) data$offset <- offset
  if (is.null(given$covar)) data$covariates <- new_covariates(object, newcovariates)
  # What differs from the fit's variants is said once, of the solution that has most of them.
  largest <- which.max(diff(at$beta@p))
  out <- vapply(seq_len(ncol(at$beta)), function(k) {
    found <- do.call(.Call, c(list(strads_r_predict), solution_of(object, at, k),
                              list(as.character(names(given)), vapply(given, option_text, ""), data)))
    if (k != largest) found$notes <- character()
    list(checked(found)$predictions)
  }, list(NULL))
  out <- matrix(unlist(out), ncol = ncol(at$beta))
  if (!object$model$has_offset && !is.null(offset)) {
    check_length(offset, nrow(out), "newoffset", "row")
    out <- out + offset
  }
  samples <- tables_of(given)$samples$IID
  dimnames(out) <- list(if (length(samples) == nrow(out)) samples, colnames(at$beta))
  out
}
