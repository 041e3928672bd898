# What the R package costs beside the command, and glmnet beside it. Usage: Rscript bench/r_package.R [BUILD]
# Needs R's package strads in R_LIBS (build/release/r/library) and glmnet. Processor seconds are medians of 5, elapsed
# times of calls of 21, alternating.
suppressMessages({
  library(Matrix)
  library(strads)
  library(glmnet)
})
build <- c(commandArgs(trailingOnly = TRUE), "build/release")[1]
data <- function(name) {
  folder <- file.path("tests/datasets", name)
  x <- as.matrix(read.csv(gzfile(file.path(folder, "X.csv.gz"))))
  storage.mode(x) <- "double"
  list(x = x, y = as.double(read.csv(file.path(folder, "y.csv"))[[1]]))
}
processor <- function(what) {
  before <- proc.time()
  force(what)
  used <- proc.time() - before
  sum(used[c("user.self", "sys.self")])
}
status_kib <- function(name) {
  line <- grep(paste0("^", name, ":"), readLines("/proc/self/status"), value = TRUE)
  as.double(gsub("[^0-9]", "", line))
}

one <- list(threads = 1)
set.seed(1)
large <- list(x = matrix(rnorm(500 * 20000), 500))
large$y <- rowSums(large$x[, 1:30]) + rnorm(500)
# Before all others: memory that an earlier fit gave back would hide what this one takes.
invisible(gc())
writeLines("5", "/proc/self/clear_refs")
before <- status_kib("VmRSS")
fit <- strads_lasso(large$x, large$y, lambda_ratio = 0.3, options = one)
cat(sprintf("memory: x %.1f MiB, peak during the fit %.1f MiB more than before\n", object.size(large$x) / 2^20,
            (status_kib("VmHWM") - before) / 2^10))
# What a call takes beside the run's own reading, solving and checking; the cases take turns.
leukemia <- data("leukemia")
diabetes <- data("diabetes")
genotypes <- "tests/datasets/1000g-chr2-eur/chr2-eur.bed"
trait <- read.delim("tests/datasets/1000g-chr2-eur/pheno.tsv")$sim20
cases <- list(
  "diabetes, 442 x 10" = function() strads_lasso(diabetes$x, diabetes$y, options = one),
  "leukemia, 72 x 7129" = function() strads_lasso(leukemia$x, leukemia$y, options = one),
  "500 x 20000 doubles, 0.3 lambda_max" = function() strads_lasso(large$x, large$y, lambda_ratio = 0.3, options = one),
  "chr2-eur.bed, 503 x 10025, 0.5 lambda_max" = function() strads_lasso(genotypes, trait, lambda_ratio = 0.5, options = one))
beside <- replicate(21, vapply(cases, function(call) {
  begin <- as.double(Sys.time())
  fit <- call()
  1e3 * c(as.double(Sys.time()) - begin, sum(fit$seconds))
}, double(2)))
for (case in names(cases)) {
  cat(sprintf("strads_lasso, %s: %.2f ms a call, %.2f ms of it beside load, solve and check\n", case,
              median(beside[1, case, ]), median(beside[1, case, ] - beside[2, case, ])))
}

for (tight in c(FALSE, TRUE)) {
  theirs_thresh <- if (tight) 1e-20 else 1e-7
  ours_thresh <- if (tight) 1e-12 else 1e-6
  theirs <- glmnet(leukemia$x, leukemia$y, thresh = theirs_thresh, maxit = 1e8)
  reference <- glmnet(leukemia$x, leukemia$y, lambda = theirs$lambda, thresh = 1e-22, maxit = 1e8)
  times <- vapply(1:5, function(k) {
    c(processor(glmnet(leukemia$x, leukemia$y, thresh = theirs_thresh, maxit = 1e8)),
      processor(ours <<- strads_path(leukemia$x, leukemia$y, lambda = theirs$lambda, thresh = ours_thresh, options = one)))
  }, double(2))
  scale <- max(abs(reference$beta))
  cat(sprintf("leukemia, path of %d lambdas, %s: glmnet %.3f s, strads %.3f s of processor time; from the optimum (glmnet at 1e-22), share of the largest coefficient: glmnet %.1e, strads %.1e\n",
              length(theirs$lambda), if (tight) "glmnet thresh 1e-20, ours 1e-12" else "defaults", median(times[1, ]),
              median(times[2, ]), max(abs(theirs$beta - reference$beta)) / scale,
              max(abs(ours$beta - reference$beta)) / scale))
}
