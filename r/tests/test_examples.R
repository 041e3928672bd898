# The tutorial runs, and its score predicts people who were held out.
source("support.R")
picture <- tempfile(fileext = ".png")
shown <- system2(file.path(R.home("bin"), "Rscript"),
                 c("--vanilla", "../examples/genotypes.R", genotypes, file.path(dirname(genotypes), "pheno.tsv"), "sim20",
                   picture), stdout = TRUE, stderr = TRUE)

test("the script ends well, with a picture", {
  expect(is.null(attr(shown, "status")), shown)
  expect(file.size(picture) > 5000)
})

test("the score has a correlation with the trait of people who were held out", {
  line <- grep("^correlation with the trait", shown, value = TRUE)
  expect(as.double(sub(".*: ([0-9.]+) of 100 people.*", "\\1", line)) > 0.3, line)
})
