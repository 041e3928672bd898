# Counts: values of glmnet and glm, bits of the command, and what is refused.
source("support.R")
if (!requireNamespace("glmnet", quietly = TRUE)) stop("glmnet is not installed: scripts/install_packages r")
diabetes <- read_dataset("diabetes")
x <- diabetes$x
y <- floor(diabetes$y / 30)  # 0 to 11
weights <- rep(c(0.5, 1, 2, 0.25), length.out = length(y))
offset <- 0.5 * sin(seq_along(y))

near <- function(ours, theirs, tolerance = 1e-6) {
  distance <- max(abs(as.double(as.matrix(ours)) - as.double(as.matrix(theirs)))) / max(1, abs(as.double(as.matrix(theirs))))
  expect(length(ours) == length(theirs) && distance < tolerance, c(length(ours), length(theirs), distance))
}

refused <- function(sentence, what) {
  found <- tryCatch({
    what
    "nothing"
  }, strads_error = conditionMessage)
  expect(grepl(sentence, found, fixed = TRUE), c("expected:", sentence, "found:", found))
}

test("paths are glmnet's: elastic net, scaling, weights, offsets, factors and limits", {
  expect(any(y == 0))
  factors <- c(1, 2, 0.5, 1, 1, 1, 1, 3, Inf, 1)
  for (standardize in c(TRUE, FALSE)) for (alpha in c(1, 0.5)) {
    for (more in list(list(), list(weights = weights, offset = offset), list(lower.limits = 0), list(penalty.factor = factors))) {
      how <- c(list(x, y, family = "poisson", standardize = standardize, alpha = alpha), more)
      theirs <- do.call(glmnet::glmnet, c(how, list(nlambda = 12, thresh = 1e-20, maxit = 1e7)))
      ours <- do.call(strads_path, c(how, list(lambda = theirs$lambda, thresh = 1e-12)))
      near(ours$lambda, theirs$lambda, 1e-12)
      near(coef(ours), coef(theirs))
      near(ours$dev.ratio, theirs$dev.ratio)
      near(ours$nulldev, theirs$nulldev, 1e-9)
      near(deviance(ours), deviance(theirs))
      between <- theirs$lambda[1] * c(0.9, 0.51)
      for (type in c("link", "response")) {
        near(predict(ours, x, s = between, type = type, newoffset = more$offset),
             predict(theirs, x, s = between, type = type, newoffset = more$offset))
      }
    }
  }
})

test("a grid begins where glmnet's does, and one lambda is one of the path", {
  theirs <- glmnet::glmnet(x, y, family = "poisson", nlambda = 12, thresh = 1e-20, maxit = 1e7)
  ours <- strads_path(x, y, family = "poisson", nlambda = 12, thresh = 1e-12)
  both <- seq_len(min(length(ours$lambda), length(theirs$lambda)))
  expect(length(both) >= 5)
  near(ours$lambda[both], theirs$lambda[both], 1e-7)
  one <- strads_lasso(x, y, family = "poisson", lambda = theirs$lambda[4], thresh = 1e-12)
  near(coef(one), coef(theirs, s = theirs$lambda[4]))
  between <- theirs$lambda[1] * 0.4
  near(coef(ours, s = between, exact = TRUE, x = x, y = y), coef(strads_lasso(x, y, family = "poisson", lambda = between, thresh = 1e-12)))
})

test("ridge is glmnet's, but for the first solution of a grid", {
  for (standardize in c(TRUE, FALSE)) {
    theirs <- glmnet::glmnet(x, y, family = "poisson", alpha = 0, standardize = standardize, nlambda = 8, thresh = 1e-20, maxit = 1e7)
    ours <- strads_path(x, y, family = "poisson", alpha = 0, standardize = standardize, lambda = theirs$lambda, thresh = 1e-14)
    near(coef(ours)[, -1], coef(theirs)[, -1])
  }
})

test("cross-validations are cv.glmnet's, with the predictions of the folds", {
  folds <- rep(1:5, length.out = length(y))
  lambda <- exp(seq(0, -6, length.out = 12))
  for (measure in c("deviance", "mse", "mae")) {
    theirs <- glmnet::cv.glmnet(x, y, family = "poisson", lambda = lambda, foldid = folds, type.measure = measure, offset = offset,
                                keep = TRUE, thresh = 1e-20, maxit = 1e7)
    ours <- strads_cv(x, y, family = "poisson", lambda = lambda, foldid = folds, type.measure = measure, offset = offset,
                      keep = TRUE, thresh = 1e-12)
    for (part in c("cvm", "cvsd", "lambda.min", "lambda.1se", "fit.preval")) near(ours[[part]], theirs[[part]])
    expect(identical(names(ours$name), names(theirs$name)) && ours$name[[1]] %in% theirs$name[[1]], c(ours$name, theirs$name))
  }
  expect(identical(strads_cv(x, y, family = "poisson", lambda = lambda, foldid = folds)$name, c(deviance = "Poisson Deviance")))
  near(unlist(glmnet::assess.glmnet(ours, newx = x, newy = y, newoffset = offset, s = "lambda.min")),
       unlist(glmnet::assess.glmnet(theirs, newx = x, newy = y, newoffset = offset, s = "lambda.min")))
})

test("the log-likelihood of the whole model is that of glm, and AIC and BIC are", {
  ours <- strads_path(x, y, family = "poisson", lambda = c(0.1, 1e-6), weights = weights, offset = offset, thresh = 1e-11)
  whole <- stats::glm(y ~ x, stats::poisson, weights = weights, offset = offset)
  near(logLik(ours)[2], logLik(whole))
  near(stats::AIC(logLik(ours))[2], stats::AIC(whole))
  near(stats::BIC(logLik(ours, s = 1e-6)), stats::BIC(whole))
  near(fitted(ours)[, 2], stats::fitted(whole), 1e-4)
})

test("covariates are fitted without a penalty, and fitted values are means", {
  free <- data.frame(half = cos(seq_along(y)))
  fit <- strads_path(x, y, family = "poisson", covariates = free, nlambda = 5)
  near(fit$nulldev, deviance(stats::glm(y ~ half, stats::poisson, free)), 1e-9)
  expect(identical(fitted(fit), predict(fit, x, newcovariates = free, type = "response")))
  expect(all(fitted(fit) > 0) && max(abs(colMeans(fitted(fit)) - mean(y))) < 1e-6)
})

test("a path and its hash are the command's", {
  table <- tempfile(fileext = ".csv")
  utils::write.csv(data.frame(y = y), table, row.names = FALSE, quote = FALSE)
  folder <- run_lasso("path", "--x", diabetes$files[2], "--y", table, "--family", "poisson", "--lambdas", "10",
                      "--lambda-min-ratio", "0.05")
  fit <- strads_path(x, y, family = "poisson", nlambda = 10, lambda.min.ratio = 0.05)
  expect(fit$path.hash %in% hashes_of(folder), c(fit$path.hash, hashes_of(folder)))
})

test("what is no count is refused, in R's words", {
  refused("the response of row 3 is -1, expected a count", strads_lasso(x, replace(y, 3, -1), family = "poisson"))
  refused("all counts are 0", strads_path(x, 0 * y, family = "poisson"))
  refused("y: found a factor, expected numbers", strads_path(x, factor(y > 3), family = "poisson"))
  refused("type.measure: found \"auc\", expected \"mse\", \"mae\" or \"deviance\"",
          strads_cv(x, y, family = "poisson", type.measure = "auc"))
  fit <- strads_path(x, y, family = "poisson", nlambda = 4)
  refused("type: \"class\" needs a fit of family \"binomial\"", predict(fit, x, type = "class"))
  expect(family(fit) == "poisson" && is.null(fit$classnames))
  missing <- strads_path(x, replace(y, 3, NA), family = "poisson", nlambda = 4)
  expect(nobs(missing) == length(y) - 1)
})
