# Whether arguments are what they have to be. Each error names the argument, what was found and what is possible.

refuse <- function(...) {
  stop(structure(class = c("strads_usage_error", "strads_error", "error", "condition"),
                 list(message = paste0(...), call = NULL)))
}

# A value as an error shows it.
shown <- function(value) {
  if (is.null(value)) return("NULL")
  if (is.function(value)) return("a function")
  if (is.atomic(value) && length(value) == 0) return(paste0("no value (", class(value)[1], " of length 0)"))
  if (is.atomic(value) && is.null(dim(value)) && !is.factor(value) && length(value) <= 3) {
    return(paste(deparse(as.vector(value)), collapse = ""))
  }
  if (is.null(dim(value))) paste("a", class(value)[1], "of length", length(value))
  else paste("a", class(value)[1], "of", paste(dim(value), collapse = " x "))
}

expected <- function(name, value, what) refuse(name, ": found ", shown(value), ", expected ", what)

any_of <- function(choices) listed(paste0("\"", choices, "\""))

listed <- function(choices) {
  if (length(choices) == 1) return(choices)
  paste(paste(choices[-length(choices)], collapse = ", "), "or", choices[length(choices)])
}

# As match.arg(), but that NULL is no choice and that the error names the argument.
one_of <- function(value, choices, name) {
  if (identical(value, choices)) return(choices[1])
  at <- if (is.character(value) && length(value) == 1) pmatch(value, choices) else NA
  if (is.na(at)) expected(name, value, any_of(choices))
  choices[at]
}

flag <- function(value, name) {
  if (is.logical(value) && length(value) == 1 && !is.na(value)) return(value)
  expected(name, value, "TRUE or FALSE")
}

is_number <- function(value) is.numeric(value) && length(value) == 1 && !is.na(value)

# One number for which `valid` is true.
number_of <- function(value, name, valid, what) {
  if (is_number(value) && isTRUE(valid(value))) return(as.double(value))
  expected(name, value, what)
}

number_or_null <- function(value, ...) if (!is.null(value)) number_of(value, ...)

whole_of <- function(value, name, least) {
  number_of(value, name, function(v) v >= least && v == round(v) && v < 2^31, paste("a whole number of at least", least))
}

# lambda of a path, or of a fit (`one`); NULL where the command chooses.
lambda_of <- function(lambda, one = FALSE) {
  if (is.null(lambda)) return(NULL)
  what <- if (one) "one number above 0; strads_path() takes several" else "numbers above 0"
  valid <- is.numeric(lambda) && length(lambda) >= 1 && all(is.finite(lambda)) && (!one || length(lambda) == 1)
  if (!valid) expected("lambda", lambda, what)
  if (any(lambda <= 0)) {
    several <- length(lambda) > 1
    refuse("lambda: found ", format(lambda[lambda <= 0][1]), if (several) paste(" in place", which(lambda <= 0)[1]),
           ", expected ", what, "; ", if (several) "leave it out: ", "for no penalty at all take lm() or glm()")
  }
  as.double(lambda)
}

# Last lambda of a grid over its first. The default is glmnet's, also for as many rows as columns; with files it is the
# command's.
ratio_of_grid <- function(ratio, x) {
  if (is.null(ratio)) return(if (is.null(dim(x))) NULL else if (nrow(x) < ncol(x)) 0.01 else 1e-4)
  number_of(ratio, "lambda.min.ratio", function(v) v > 0 && v < 1,
            "a number above 0 and below 1, or NULL: 1e-4, or 0.01 with fewer rows than columns")
}

alpha_of <- function(alpha) {
  number_of(alpha, "alpha", function(v) v >= 0 && v <= 1, "a number from 0 to 1")
}

thresh_of <- function(thresh) {
  number_or_null(thresh, "thresh", function(v) v > 0 && v < 1, "a number above 0 and below 1")
}

check_length <- function(values, expected, name, of) {
  if (!is.na(expected) && length(values) != expected) {
    refuse(name, ": found ", length(values), " values, expected one for each ", of, " of x: ", expected)
  }
}

# Numbers beside x, one for each row: `NA` where a row takes no part.
numbers_of_rows <- function(values, name, what = "numbers", valid = function(v) TRUE) {
  if (is.null(values)) return(NULL)
  if (is.matrix(values) && ncol(values) == 1) values <- stats::setNames(values[, 1], rownames(values))
  if (!is.numeric(values) || is.matrix(values)) expected(name, values, paste0(what, ", one for each row of x"))
  wrong <- which(!is.na(values) & !(is.finite(values) & valid(values)))
  if (length(wrong) > 0) {
    refuse(name, ": found ", format(values[[wrong[1]]]), " in row ", wrong[1], ", expected ", what)
  }
  values
}

# Names of rows that are all there, in another order: somebody sorted one and not the other.
check_row_names <- function(names, of_x, name) {
  if (is.null(names) || is.null(of_x) || length(names) != length(of_x) || identical(names, of_x)) return()
  if (anyDuplicated(of_x) > 0 || !setequal(names, of_x)) return()
  at <- which(names != of_x)[1]
  refuse(name, ": its names are the row names of x in another order (row ", at, ": ", names[at], ", of x ", of_x[at],
         "); expected the order of x")
}

# Factors as glmnet uses them: their mean over all columns is 1, where an infinite one (takes no part) counts as 1.
factors_of <- function(factors, columns) {
  if (is.null(factors)) return(NULL)
  check_length(factors, columns, "penalty.factor", "column")
  if (!is.numeric(factors) || anyNA(factors) || any(factors < 0)) {
    expected("penalty.factor", factors, "numbers of at least 0, or Inf for a column that takes no part")
  }
  counted <- ifelse(is.infinite(factors), 1, factors)
  if (sum(factors) == 0) refuse("penalty.factor: found only 0, expected some above 0; for no penalty at all take lm() or glm()")
  ifelse(is.infinite(factors), Inf, counted * length(counted) / sum(counted))
}

is_nonnegative <- function(lower.limits) {
  if (is.numeric(lower.limits) && length(lower.limits) > 0 && !anyNA(lower.limits)) {
    if (all(lower.limits == -Inf)) return(FALSE)
    if (all(lower.limits == 0)) return(TRUE)
  }
  expected("lower.limits", lower.limits, "-Inf, or 0 for coefficients that are not negative")
}

# Folds from 0, in the order of their numbers.
folds_of <- function(foldid, rows) {
  if (is.null(foldid)) return(NULL)
  if (!is.atomic(foldid) || !is.null(dim(foldid))) expected("foldid", foldid, "a fold for each row of x")
  check_length(foldid, rows, "foldid", "row")
  if (anyNA(foldid)) refuse("foldid: found NA, expected a fold for each row")
  folds <- sort(unique(foldid))
  if (length(folds) < 2) refuse("foldid: all rows are in one fold (", as.character(folds), "), expected at least two folds")
  match(foldid, folds) - 1L
}

# What is not finite in a matrix, as "NaN in row 3, column 2", or NULL.
not_finite <- function(x) {
  values <- if (is(x, "sparseMatrix")) as(x, "CsparseMatrix")@x else x
  # A sum is not finite where a value is not; only then it is looked for.
  if (if (is.double(values)) is.finite(sum(values)) || all(is.finite(values)) else !anyNA(values)) return(NULL)
  at <- which(!is.finite(values))[1]
  value <- format(values[at])
  if (is(x, "sparseMatrix")) {
    x <- as(x, "CsparseMatrix")
    row <- x@i[at] + 1
    column <- findInterval(at - 1, x@p)
  } else {
    row <- (at - 1) %% nrow(x) + 1
    column <- (at - 1) %/% nrow(x) + 1
  }
  name <- colnames(x)[column]
  paste0(value, " in row ", row, ", column ", column, if (!is.null(name)) paste0(" (", name, ")"))
}

# What a generic hands on and nobody takes: a misspelt argument would be passed over in silence.
no_more <- function(of, given, possible) {
  if (length(given) == 0) return(invisible())
  names <- if (is.null(names(given))) rep("", length(given)) else names(given)
  refuse(of, ": found ", if (any(names == "")) "an argument too many, without a name" else paste(names, collapse = ", "),
         ", expected ", paste(possible, collapse = ", "))
}
