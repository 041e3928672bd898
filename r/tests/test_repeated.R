# Many fits in one process, and fits in processes that were forked after one: nothing is left behind, nothing hangs.
source("support.R")
diabetes <- read_dataset("diabetes")
trait <- utils::read.delim(file.path(dirname(genotypes), "pheno.tsv"))$sim20

fits <- function(times) for (k in seq_len(times)) {
  strads_lasso(diabetes$x, diabetes$y, lambda_ratio = 0.1)
  if (k %% 4 == 0) strads_lasso(genotypes, trait, lambda_ratio = 0.5)
  tryCatch(strads_lasso(diabetes$x, diabetes$y, options = list(rhoo = 1)), error = identity)
}

resident_kib <- function() {
  gc()
  line <- grep("^VmRSS:", readLines("/proc/self/status"), value = TRUE)
  as.double(gsub("[^0-9]", "", line))
}
count <- function(what) length(list.files(file.path("/proc/self", what)))

test("a hundred fits leave no memory, no file and no thread behind", {
  fits(20)
  before <- c(resident_kib(), count("fd"), count("task"))
  fits(80)
  after <- c(resident_kib(), count("fd"), count("task"))
  # The matrix has 35 KiB, the genotypes 1.2 MiB: these, left behind, would show.
  expect(after[1] - before[1] < 80 * 20, c(before[1], after[1]))
  expect(all(after[-1] == before[-1]), c(before, after))
})

test("forked after a fit, each process fits, with the same bits", {
  here <- strads_lasso(diabetes$x, diabetes$y, lambda_ratio = 0.1, options = list(threads = 2))
  there <- parallel::mclapply(1:4, function(k) {
    strads_lasso(diabetes$x, diabetes$y, lambda_ratio = 0.1, options = list(threads = 2))$beta.hash
  }, mc.cores = 2)
  expect(identical(unlist(there), rep(here$beta.hash, 4)), there)
})
