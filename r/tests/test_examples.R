# The tutorial runs, and its score predicts people who were held out.
source("support.R")
picture <- tempfile(fileext = ".png")
file <- tempfile(fileext = ".txt")
shown <- system2(file.path(R.home("bin"), "Rscript"),
                 c("--vanilla", "../examples/genotypes.R", genotypes, file.path(dirname(genotypes), "pheno.tsv"), "sim20",
                   picture, file), stdout = TRUE, stderr = TRUE)

test("the script ends well, with a picture", {
  expect(is.null(attr(shown, "status")), shown)
  expect(file.size(picture) > 5000)
})

test("the scoring file has a weight for each variant, and plink2 ranks people by it as the script does", {
  weights <- utils::read.delim(file, comment.char = "#")
  expect(nrow(weights) > 20 && all(c("effect_allele", "effect_weight") %in% names(weights)), nrow(weights))
  scored <- tempfile()
  # plink2 takes no lines of comment.
  utils::write.table(weights[, c("rsID", "effect_allele", "effect_weight")], scored, quote = FALSE, row.names = FALSE)
  system2("plink2", c("--bfile", sub("\\.bed$", "", genotypes), "--score", scored, "1", "2", "3", "header", "--out", scored),
          stdout = FALSE)
  trait <- utils::read.delim(file.path(dirname(genotypes), "pheno.tsv"))$sim20
  held_out <- seq_along(trait) %% 5 == 0
  score <- utils::read.table(paste0(scored, ".sscore"), header = TRUE, comment.char = "")
  line <- grep("^correlation with the trait", shown, value = TRUE)
  expect(sprintf("%.3f", cor(score[held_out, ncol(score)], trait[held_out])) ==
           sub(".*: ([0-9.]+) of 100 people.*", "\\1", line), line)
})

test("the score has a correlation with the trait of people who were held out", {
  line <- grep("^correlation with the trait", shown, value = TRUE)
  expect(as.double(sub(".*: ([0-9.]+) of 100 people.*", "\\1", line)) > 0.3, line)
})
