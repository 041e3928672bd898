# What can be tested where only this package is: R's own data.
library(strads)
x <- as.matrix(mtcars[, -1])
y <- mtcars$mpg
fit <- strads_lasso(x, y, lambda = 0.5, thresh = 1e-12)
# The conditions of an optimum: x'r / N is lambda sd(x) where a coefficient is not zero, and less elsewhere.
residual <- as.numeric(y - predict(fit, x))
deviation <- apply(x, 2, function(column) sqrt(mean((column - mean(column))^2)))
slope <- as.numeric(crossprod(x, residual)) / nrow(x) / deviation
chosen <- as.numeric(fit$beta) != 0
stopifnot(fit$converged, any(chosen), all(abs(slope) < 0.5 + 1e-5),
          all(abs(slope[chosen] - 0.5 * sign(fit$beta[chosen, 1])) < 1e-5), abs(sum(residual)) < 1e-8)
cv <- strads_cv(x, y, nfolds = 4)
stopifnot(cv$lambda.1se >= cv$lambda.min, length(cv$foldid) == nrow(x))
wrong <- tryCatch(strads_lasso(x, y, options = list(rhoo = 1)), strads_usage_error = conditionMessage)
stopifnot(grepl("unknown option rhoo", wrong))
