# New data of predictions: matched by their names to those of the fit, and finite.

# The offset for each of `rows` (NA: not known), or NULL where the fit had none.
new_offset <- function(object, newoffset, rows) {
  if (!object$offset) {
    if (!is.null(newoffset)) refuse("newoffset: the fit has no offset, expected none")
    return(NULL)
  }
  if (is.null(newoffset)) refuse("newoffset: found none, expected one for each row, since the fit has offsets")
  newoffset <- numbers_of_rows(newoffset, "newoffset", "finite numbers")
  if (anyNA(newoffset)) refuse("newoffset: found NA in row ", which(is.na(newoffset))[1], ", expected finite numbers")
  if (!is.na(rows) && length(newoffset) == 1) newoffset <- rep(newoffset, rows)
  check_length(newoffset, rows, "newoffset", "row")
  as.double(newoffset)
}

# The columns of the fit's covariates: by their names, or in their order where neither side has names.
new_covariates <- function(object, newcovariates) {
  wanted <- rownames(object$covariates)
  if (length(wanted) == 0) {
    if (!is.null(newcovariates)) refuse("newcovariates: the fit has no covariates, expected none")
    return(NULL)
  }
  if (is.null(newcovariates)) {
    refuse("newcovariates: found none, expected the covariates of the fit: ", paste(wanted, collapse = ", "))
  }
  found <- covariates_of(newcovariates, "newcovariates")
  unnamed <- is.null(colnames(newcovariates))
  if (unnamed && length(found) == length(wanted)) {
    # One column can only be that one; of several nobody knows which is which.
    if (length(wanted) > 1 && !identical(wanted, names(found))) {
      warning("newcovariates: has no column names; taken in the order of the fit: ", paste(wanted, collapse = ", "),
              call. = FALSE)
    }
    names(found) <- wanted
  }
  if (!all(wanted %in% names(found))) {
    refuse("newcovariates: found ", paste(names(found), collapse = ", "), ", expected the covariates of the fit: ",
           paste(wanted, collapse = ", "))
  }
  found <- found[wanted]
  for (name in wanted) {
    wrong <- which(!is.finite(found[[name]]))
    if (length(wrong) > 0) {
      refuse("newcovariates: found ", format(found[[name]][wrong[1]]), " in row ", wrong[1], " of ", name,
             ", expected finite numbers; leave such rows out or fill them in")
    }
  }
  found
}

# newx with the columns of the fit, in their order: by name where both have names.
columns_of_fit <- function(object, newx) {
  columns <- object$dim[1]
  if (is.numeric(newx) && is.null(dim(newx)) && length(newx) == columns) {
    newx <- matrix(newx, 1, dimnames = list(NULL, names(newx)))
  }
  matrix_like <- is(newx, "Matrix") || (is.matrix(newx) && (is.numeric(newx) || is.logical(newx) || is.raw(newx)))
  if (!matrix_like) {
    expected("newx", newx, paste0("a matrix of ", columns, " columns",
                                  if (is.data.frame(newx)) "; as.matrix() or model.matrix() makes one"))
  }
  if (is.raw(newx) || is.logical(newx)) storage.mode(newx) <- "double"
  wanted <- if (object$model$has_names || isTRUE(object$settings$named)) rownames(object$beta)
  names <- colnames(newx)
  if (is.null(wanted) || is.null(names) || identical(wanted, names)) {
    if (ncol(newx) != columns) {
      refuse("newx: found ", ncol(newx), " columns, expected a matrix of ", columns, " columns")
    }
    return(newx)
  }
  at <- match(wanted, names)
  if (anyNA(at)) {
    missing <- wanted[is.na(at)]
    refuse("newx: its columns are matched by name, and there is no ", paste(utils::head(missing, 3), collapse = ", "),
           if (length(missing) > 3) paste0(" (and ", length(missing) - 3, " more)"), " among ",
           paste(utils::head(names, 3), collapse = ", "), if (length(names) > 3) ", ...", " (", length(names),
           " columns); expected the names of the fit, or none: unname(newx)")
  }
  if (anyDuplicated(wanted) > 0 || anyDuplicated(names[names %in% wanted]) > 0) {
    refuse("newx: column names occur twice and are in another order than in the fit; expected the same order, or no names")
  }
  newx[, at, drop = FALSE]
}

# Of a fit with options$missing = "mean" missing values are the means of the fit, as for `lasso predict`. Columns that no
# solution has may hold anything.
filled <- function(object, newx) {
  if (!identical(object$settings$options$missing, "mean") || !is.matrix(newx) || !anyNA(newx)) return(newx)
  variables <- object$model$variables
  for (k in seq_along(variables$column)) {
    j <- variables$column[k]
    newx[is.na(newx[, j]), j] <- variables$mean[k]
  }
  newx[is.na(newx)] <- 0
  newx
}

predict_matrix <- function(object, at, newx, newoffset, newcovariates) {
  if (object$model$has_alleles) {
    refuse("newx: the fit is of genotypes: give the path of a .bed or .pgen, whose variants are found by id and alleles")
  }
  newx <- filled(object, columns_of_fit(object, newx))
  wrong <- not_finite(newx)
  if (!is.null(wrong)) refuse("newx: found ", wrong, ", expected finite numbers; leave such rows out or fill them in")
  out <- as.matrix(newx %*% at$beta)
  out <- sweep(out, 2, at$a0, "+")
  offset <- new_offset(object, newoffset, nrow(newx))
  if (!is.null(offset)) out <- out + offset
  covariates <- new_covariates(object, newcovariates)
  for (column in covariates) check_length(column, nrow(newx), "newcovariates", "row")
  if (is.data.frame(newcovariates)) check_row_names(row_names_of(newcovariates), rownames(newx), "newcovariates")
  if (is.matrix(newcovariates)) check_row_names(rownames(newcovariates), rownames(newx), "newcovariates")
  if (!is.null(covariates)) out <- out + do.call(cbind, covariates) %*% at$covariates
  dimnames(out) <- list(rownames(newx), colnames(at$beta))
  out
}
