# PLINK 2's genotypes: hard calls of a .pgen are those of the .bed that it was made from, here as in the command.
source("support.R")
trait <- utils::read.delim(file.path(dirname(genotypes), "pheno.tsv"))$sim20
folder <- tempfile("pgen")
dir.create(folder)
prefix <- file.path(folder, "chr2-eur")
invisible(system2("plink2", c("--bfile", sub("\\.bed$", "", genotypes), "--make-pgen", "--out", prefix), stdout = FALSE))
pgen <- paste0(prefix, ".pgen")

test("a fit of a .pgen has the bits of the .bed and of the command", {
  of_pgen <- strads_lasso(pgen, trait, lambda_ratio = 0.5)
  of_bed <- strads_lasso(genotypes, trait, lambda_ratio = 0.5)
  expect(of_pgen$beta.hash == of_bed$beta.hash, c(of_pgen$beta.hash, of_bed$beta.hash))
  expect(identical(of_pgen$beta, of_bed$beta))
  run <- run_lasso("fit", "--pfile", prefix, "--pheno", file.path(dirname(genotypes), "pheno.tsv"), "--pheno-name",
                   "sim20", "--lambda-ratio", "0.5")
  expect(of_pgen$beta.hash == hashes_of(run)[1], c(of_pgen$beta.hash, hashes_of(run)))
})

test("a model of either predicts the other, and tables have the same samples and variants", {
  fit <- strads_lasso(pgen, trait, lambda_ratio = 0.5)
  expect(identical(predict(fit, genotypes), predict(fit, pgen)))
  expect(identical(strads_variants(pgen)[, c("id", "A1", "A2")], strads_variants(genotypes)[, c("id", "A1", "A2")]))
  expect(identical(strads_samples(pgen)$IID, strads_samples(genotypes)$IID))
})

test("filters of variants are options, and leave out the same ones", {
  left_out <- function(path) {
    fit <- suppressMessages(strads_lasso(path, trait, lambda_ratio = 0.5, options = list(maf = 0.2)))
    c(fit$beta.hash, grep("left out", fit$notes, value = TRUE))
  }
  expect(length(left_out(pgen)) == 2 && identical(left_out(pgen), left_out(genotypes)), left_out(pgen))
})
unlink(folder, recursive = TRUE)
