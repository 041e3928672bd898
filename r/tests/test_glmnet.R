# Results are glmnet's, within 1e-6 of the largest coefficient, on real data and with a tight thresh on both sides.
source("support.R")
if (!requireNamespace("glmnet", quietly = TRUE)) stop("glmnet is not installed: scripts/install_packages r")
diabetes <- read_dataset("diabetes")
leukemia <- read_dataset("leukemia")
classes <- factor(ifelse(diabetes$y > 140, "high", "low"))

near <- function(ours, theirs, tolerance = 1e-6) {
  ours <- as.matrix(ours)
  theirs <- as.matrix(theirs)
  distance <- max(abs(ours - theirs)) / max(1, abs(theirs))
  expect(distance < tolerance, distance)
}

# Both at glmnet's lambdas.
same_path <- function(x, y, family, ours = 1e-12, theirs = 1e-20, ...) {
  theirs <- glmnet::glmnet(x, y, family = family, thresh = theirs, maxit = 1e7, ...)
  ours <- suppressMessages(strads_path(x, y, lambda = theirs$lambda, family = family, thresh = ours, ...))
  near(ours$lambda, theirs$lambda, 1e-12)
  near(coef(ours), coef(theirs))
  between <- theirs$lambda[1] * c(0.9, 0.51, 0.33)
  for (type in c("link", "response")) {
    near(predict(ours, x, s = between, type = type), predict(theirs, x, s = between, type = type))
  }
  expect(identical(unname(ours$df), as.integer(unname(theirs$df))))
  list(ours = ours, theirs = theirs)
}

test("the path of diabetes is glmnet's, with its grid and its end", {
  theirs <- glmnet::glmnet(diabetes$x, diabetes$y, thresh = 1e-20, maxit = 1e7)
  ours <- strads_path(diabetes$x, diabetes$y, thresh = 1e-12)
  expect(length(ours$lambda) == length(theirs$lambda), c(length(ours$lambda), length(theirs$lambda)))
  near(ours$lambda, theirs$lambda, 1e-12)
  near(coef(ours), coef(theirs))
  near(ours$dev.ratio, theirs$dev.ratio, 1e-9)
})

test("the path of leukemia, 72 x 7129, is glmnet's", {
  theirs <- glmnet::glmnet(leukemia$x, leukemia$y, nlambda = 20, thresh = 1e-22, maxit = 1e8)
  ours <- strads_path(leukemia$x, leukemia$y, lambda = theirs$lambda, thresh = 1e-12)
  near(coef(ours), coef(theirs))
})

test("families, elastic net, scaling, weights, factors and limits are glmnet's", {
  weights <- rep(c(0.5, 1, 2, 0.25), length.out = nrow(diabetes$x))
  factors <- c(1, 2, 0.5, 1, 1, 1, 1, 3, Inf, 1)
  for (family in c("gaussian", "binomial")) for (standardize in c(TRUE, FALSE)) for (alpha in c(1, 0.5)) {
    y <- if (family == "gaussian") diabetes$y else classes
    same_path(diabetes$x, y, family, alpha = alpha, standardize = standardize, weights = weights,
              penalty.factor = factors, nlambda = 20)
    same_path(diabetes$x, y, family, alpha = alpha, standardize = standardize, lower.limits = 0, nlambda = 20)
  }
})

test("ridge is glmnet's, whose first solution of a grid is 0 by convention", {
  weights <- rep(c(0.5, 1, 2, 0.25), length.out = nrow(diabetes$x))
  for (family in c("gaussian", "binomial")) for (standardize in c(TRUE, FALSE)) {
    y <- if (family == "gaussian") diabetes$y else classes
    theirs <- glmnet::glmnet(diabetes$x, y, family = family, alpha = 0, standardize = standardize, weights = weights,
                             nlambda = 20, thresh = 1e-20, maxit = 1e7)
    ours <- suppressMessages(strads_path(diabetes$x, y, family = family, alpha = 0, standardize = standardize,
                                         weights = weights, lambda = theirs$lambda, thresh = 1e-14))
    near(coef(ours)[, -1], coef(theirs)[, -1])
    if (!standardize) next
    own <- suppressMessages(strads_path(diabetes$x, y, family = family, alpha = 0, weights = weights, nlambda = 20))
    near(own$lambda, theirs$lambda, 1e-12)
  }
})

test("one lambda of strads_lasso is glmnet's", {
  theirs <- glmnet::glmnet(diabetes$x, diabetes$y, lambda = c(10, 2), thresh = 1e-20, maxit = 1e7)
  near(coef(strads_lasso(diabetes$x, diabetes$y, lambda = 2, thresh = 1e-12)), coef(theirs, s = 2))
  theirs <- glmnet::glmnet(diabetes$x, classes, family = "binomial", lambda = c(0.1, 0.02), thresh = 1e-20, maxit = 1e7)
  ours <- suppressMessages(strads_lasso(diabetes$x, classes, family = "binomial", lambda = 0.02, thresh = 1e-12))
  near(coef(ours), coef(theirs, s = 0.02))
  expect(identical(unname(predict(ours, diabetes$x, type = "class")),
                   unname(predict(theirs, diabetes$x, s = 0.02, type = "class"))))
})

test("offsets are glmnet's, of numbers and of two classes", {
  offset <- sin(seq_along(diabetes$y))
  for (family in c("gaussian", "binomial")) {
    y <- if (family == "gaussian") diabetes$y / 10 else classes
    theirs <- glmnet::glmnet(diabetes$x, y, family = family, offset = offset, nlambda = 20, thresh = 1e-20, maxit = 1e7)
    ours <- suppressMessages(strads_path(diabetes$x, y, family = family, offset = offset, lambda = theirs$lambda,
                                         thresh = 1e-12))
    near(coef(ours), coef(theirs))
    near(ours$dev.ratio, theirs$dev.ratio)
    s <- theirs$lambda[9]
    near(predict(ours, diabetes$x, s = s, newoffset = offset, type = "response"),
         predict(theirs, diabetes$x, s = s, newoffset = offset, type = "response"))
  }
})

# glmnet makes the mean of all factors 1, those of the covariates (0) among them: 8 of 10 columns have a penalty.
test("covariates are glmnet's columns with a penalty.factor of 0", {
  free <- c("age", "sex")
  others <- setdiff(colnames(diabetes$x), free)
  x <- diabetes$x[, c(free, others)]
  for (family in c("gaussian", "binomial")) {
    y <- if (family == "gaussian") diabetes$y else classes
    theirs <- glmnet::glmnet(x, y, family = family, penalty.factor = rep(0:1, c(2, 8)), nlambda = 20, thresh = 1e-20,
                             maxit = 1e7)
    ours <- suppressMessages(strads_path(x[, others], y, family = family, covariates = x[, free],
                                         lambda = theirs$lambda * 10 / 8, thresh = 1e-12))
    near(coef(ours), coef(theirs))
    near(predict(ours, x[, others], s = ours$lambda[9], newcovariates = as.data.frame(x[, rev(free)])),
         predict(theirs, x, s = theirs$lambda[9]))
  }
})

# With lambda given: without it cv.glmnet's folds have grids of their own and are interpolated.
test("a cross-validation at given lambdas and folds is cv.glmnet's", {
  folds <- rep(1:7, length.out = nrow(diabetes$x))
  for (measure in c("mse", "mae")) {
    lambda <- exp(seq(3.5, -2, length.out = 25))
    theirs <- glmnet::cv.glmnet(diabetes$x, diabetes$y, lambda = lambda, foldid = folds, type.measure = measure,
                                thresh = 1e-20, maxit = 1e7)
    ours <- strads_cv(diabetes$x, diabetes$y, lambda = lambda, foldid = folds, type.measure = measure, thresh = 1e-12)
    for (part in c("cvm", "cvsd", "cvup", "cvlo", "lambda.min", "lambda.1se")) near(ours[[part]], theirs[[part]])
    expect(identical(ours$foldid, folds))
    expect(all(ours$nzero == theirs$nzero) && all(ours$index == theirs$index))
  }
  lambda <- exp(seq(-2, -6, length.out = 20))
  theirs <- glmnet::cv.glmnet(diabetes$x, classes, family = "binomial", lambda = lambda, foldid = folds,
                              thresh = 1e-20, maxit = 1e7)
  ours <- suppressMessages(strads_cv(diabetes$x, classes, family = "binomial", lambda = lambda, foldid = folds,
                                     thresh = 1e-12))
  for (part in c("cvm", "cvsd", "lambda.min", "lambda.1se")) near(ours[[part]], theirs[[part]])
  near(coef(ours), coef(theirs))
  offset <- cos(seq_along(diabetes$y))
  theirs_offset <- glmnet::cv.glmnet(diabetes$x, classes, family = "binomial", lambda = lambda, foldid = folds,
                                     offset = offset, thresh = 1e-20, maxit = 1e7)
  ours_offset <- suppressMessages(strads_cv(diabetes$x, classes, family = "binomial", lambda = lambda, foldid = folds,
                                            offset = offset, thresh = 1e-12))
  near(ours_offset$cvm, theirs_offset$cvm)
  near(predict(ours, diabetes$x, s = "lambda.min"), predict(theirs, diabetes$x, s = "lambda.min"))
})
