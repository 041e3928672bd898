# Coefficients of the package are those of the command line, to the last bit.
source("support.R")
diabetes <- read_dataset("diabetes")
leukemia <- read_dataset("leukemia")

same_fit <- function(fit, folder) {
  expect(fit$beta.hash == hashes_of(folder)[1], c(fit$beta.hash, hashes_of(folder)))
  expect(identical(as.double(coef(fit)[-1, 1]), coefficients_of(folder, fit$dim[1])))
}

test("a fit has the command's coefficients", {
  same_fit(strads_lasso(diabetes$x, diabetes$y, lambda_ratio = 0.1),
           run_lasso("fit", diabetes$files, "--lambda-ratio", "0.1"))
})
