# An existing script of glmnet: that of its vignette "An Introduction to glmnet" (Hastie, Qian, Tay), which comes with the
# package (doc/glmnet.R). Its chapters "Quick Start", "Linear Regression" and "Logistic Regression" run twice, as they stand,
# with glmnet and with our functions in its place; whatever an expression returns is the same within 1e-6.
source("support.R")
script <- as.list(parse(system.file("doc", "glmnet.R", package = "glmnet", mustWork = TRUE), keep.source = FALSE))
texts <- vapply(script, function(one) paste(deparse(one), collapse = " "), "")
starts <- function(name) which(texts == paste0("data(", name, ")"))[1]
chapters <- c(seq(starts("QuickStartExample"), starts("MultiGaussianExample") - 1),
              seq(starts("BinomialExample"), starts("MultinomialExample") - 1))
# What docs/R.md says is not there, what needs the results of that, and a cv of ridge: glmnet writes 0 for the first lambda of
# its grid.
not_there <- grepl("exact = TRUE|coef.exact|alpha = 0\\)|cv0|upper.limits|tfit", texts[chapters])
lines <- script[chapters][!not_there]

# cv.glmnet deals folds with R's random numbers and gives each its own grid: both get the same folds and lambdas.
run <- function(fit, cv) {
  here <- new.env()
  here$data <- function(name) utils::data(list = deparse(substitute(name)), package = "glmnet", envir = here)
  here$glmnet <- fit
  here$cv.glmnet <- function(x, y, nfolds = 10, foldid = sample(rep(seq_len(nfolds), length.out = length(y))),
                             type.measure = "default", ...) {
    lambda <- glmnet::glmnet(x, y, ...)$lambda
    cv(x, y, lambda = lambda, foldid = foldid, type.measure = type.measure, ...)
  }
  set.seed(1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  utils::capture.output(values <- lapply(lines, function(line) list(eval(line, here))))
  lapply(values, `[[`, 1)
}

theirs <- run(function(...) glmnet::glmnet(..., thresh = 1e-18, maxit = 1e7),
              function(...) glmnet::cv.glmnet(..., thresh = 1e-18, maxit = 1e7))
ours <- suppressMessages(run(function(...) strads_path(..., thresh = 1e-11), function(...) strads_cv(..., thresh = 1e-11)))

# The parts that a script reads, as numbers; NULL for what is none (plots, functions). Where factors of 0 are given dev.ratio is
# another one, and with it the end of the grid: then only the first 60 lambdas.
numbers_of <- function(value) {
  if (inherits(value, c("cv.glmnet", "strads_cv"))) {
    return(unlist(value[c("lambda", "cvm", "cvsd", "lambda.min", "lambda.1se")]))
  }
  if (inherits(value, c("glmnet", "strads"))) {
    all_alike <- is.null(value$call$penalty.factor)
    steps <- if (all_alike) seq_along(value$lambda) else 1:60
    return(c(value$lambda[steps], if (all_alike) value$dev.ratio, as.matrix(coef(value))[, steps]))
  }
  if (is.numeric(value) || inherits(value, "Matrix")) return(as.double(as.matrix(value)))
  if (is.character(value)) return(c(value))
}

test("a script of glmnet has the same results with our functions in their place", {
  compared <- 0
  for (k in seq_along(lines)) {
    a <- numbers_of(ours[[k]])
    b <- numbers_of(theirs[[k]])
    if (is.null(b) || inherits(theirs[[k]], "proc_time")) next
    about <- paste(deparse(lines[[k]]), collapse = " ")
    expect(length(a) == length(b), c(about, length(a), length(b)))
    if (is.numeric(b)) expect(max(abs(a - b)) <= 1e-6 * max(1, abs(b)), c(about, max(abs(a - b))))
    if (is.character(b)) expect(identical(a, b), about)
    compared <- compared + 1
  }
  expect(sum(not_there) == 7 && compared > 30, c(sum(not_there), compared, length(lines)))
})
