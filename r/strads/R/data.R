# From x, y and what goes beside them to what the compiled half takes.

# x as the compiled half takes it, or the options that name its files.
x_of <- function(x) {
  if (is.character(x) && is.null(dim(x))) return(list(x = NULL, options = file_options(x)))
  if (is(x, "sparseMatrix")) {
    if (!is(x, "dgCMatrix")) {
      message("x is a ", class(x)[1], ": copied as a dgCMatrix")
      x <- as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    }
    if (.Call(strads_r_has_zeros, x@x)) {
      message("x stores zeros: copied without them")
      x <- drop0(x)
    }
  } else {
    if (!is.matrix(x) || !(is.numeric(x) || is.logical(x) || is.raw(x))) {
      refuse("x: found ", if (is.matrix(x)) shown(x) else class(x)[1],
             ", expected a matrix of numbers, a dgCMatrix, or the path of a .bed or .pgen",
             if (is.data.frame(x)) "; as.matrix() makes one of numbers, model.matrix() one of factors, too")
    }
    if (!is.double(x) && !is.raw(x)) {
      if (length(x) > 1e5) message("x is of ", typeof(x), "s: copied as doubles")
      storage.mode(x) <- "double"
    }
  }
  if (any(dim(x) == 0)) refuse("x: found ", nrow(x), " rows and ", ncol(x), " columns, expected at least one of each")
  list(x = x, options = list())
}

file_options <- function(path, name = "x") {
  if (length(path) != 1 || is.na(path)) expected(name, path, "one path of a .bed or .pgen")
  prefix <- sub("\\.(bed|pgen)$", "", path)
  if (prefix == path) {
    refuse(name, ": found '", path, "', expected a matrix of numbers, a dgCMatrix, or the path of a .bed or .pgen")
  }
  prefix <- path.expand(prefix)
  if (grepl("\\.bed$", path)) list(bfile = prefix) else list(pfile = prefix)
}

# The response: numbers, and for two classes given by name what 0 and 1 are called.
response_of <- function(y, rows, family) {
  if (is.null(y)) return(list(y = NULL))
  if (is.matrix(y) && ncol(y) == 1) y <- y[, 1]
  words <- named <- NULL
  if (is.factor(y) || is.character(y) || is.logical(y)) {
    if (family != "binomial") {
      refuse("y: found a ", class(y)[1], ", expected numbers; for two classes say family = \"binomial\"")
    }
    y <- droplevels(as.factor(y))
    words <- levels(y)
    if (length(words) != 2) {
      refuse("y: found ", length(words), if (length(words) == 1) " class (" else " classes (",
             paste(utils::head(words, 4), collapse = ", "), if (length(words) > 4) ", ...", "), expected two")
    }
    y <- as.integer(y) - 1L
    # The command takes the word that comes first in the alphabet for 0.
    if (!identical(sort(words, method = "radix"), words)) {
      message("strads: y: 0 is '", words[1], "', 1 is '", words[2], "'")
      named <- words
    }
  }
  if (!is.numeric(y) || is.matrix(y)) expected("y", y, "a vector of numbers or of two classes")
  check_length(y, rows, "y", "row")
  infinite <- which(is.infinite(y))
  if (length(infinite) > 0) refuse("y: found ", y[infinite[1]], " in row ", infinite[1], ", expected finite numbers")
  list(y = as.double(y), words = if (is.null(named)) words, classes = words)
}

# What goes beside x, a value or more for each row. As glmnet does, an offset of numbers is taken from them.
rows_of <- function(x, y, weights, offset, covariates, family) {
  named <- if (is.null(dim(x))) NULL else rownames(x)
  check_row_names(if (is.null(dim(y))) names(y) else rownames(y), named, "y")
  check_row_names(if (is.data.frame(covariates)) row_names_of(covariates) else rownames(covariates), named, "covariates")
  covariates <- covariates_of(covariates)
  at_least_0 <- "finite numbers of at least 0"
  weights <- numbers_of_rows(weights, "weights", at_least_0, function(v) v >= 0)
  offset <- numbers_of_rows(offset, "offset", "finite numbers")
  check_row_names(names(weights), named, "weights")
  check_row_names(names(offset), named, "offset")
  given <- !is.null(offset)
  if (given && family == "gaussian") {
    if (is.matrix(y) && ncol(y) == 1) y <- y[, 1]
    if (!is.numeric(y) || length(y) != length(offset)) {
      refuse("offset: found ", length(offset), " values, expected one for each number of y")
    }
    y <- as.double(y) - as.double(offset)
    offset <- NULL
  }
  list(y = y, weights = weights, offset = offset, covariates = covariates, has_offset = given)
}

# Those that somebody gave; numbers that R made are none.
row_names_of <- function(table) if (is.character(attr(table, "row.names"))) attr(table, "row.names")

# A list of columns by name, or NULL.
covariates_of <- function(covariates, name = "covariates") {
  if (is.null(covariates)) return(NULL)
  if (!is.null(dim(covariates)) && ncol(covariates) == 0) {
    refuse(name, ": found no columns, expected at least one; NULL is none")
  }
  if (is.atomic(covariates) && is.null(dim(covariates))) covariates <- matrix(covariates, dimnames = list(NULL, "C1"))
  if (is.matrix(covariates)) {
    if (is.null(colnames(covariates))) colnames(covariates) <- paste0("C", seq_len(ncol(covariates)))
    covariates <- as.data.frame(covariates, optional = TRUE)
  }
  numeric <- is.data.frame(covariates) && all(vapply(covariates, function(one) is.numeric(one) || is.logical(one), NA))
  if (!numeric) {
    refuse(name, ": expected a matrix or data.frame of numbers with a row for each row of x; model.matrix() makes one of ",
           "factors")
  }
  names <- names(covariates)
  if (anyNA(names) || any(names == "")) refuse(name, ": found a column without a name, expected a name for each")
  if (anyDuplicated(names) > 0) {
    refuse(name, ": found two columns with the name ", names[anyDuplicated(names)], ", expected different ones")
  }
  lapply(as.list(covariates), as.double)
}
