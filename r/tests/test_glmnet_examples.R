# The examples of glmnet's help pages with our functions in their place (glmnet_examples.R): what is not the same has a
# reason, and docs/R.md lists it. Without the two pages that take longest, whose calls others have, too.
source("support.R")
suppressPackageStartupMessages(library(glmnet))
source("glmnet_examples.R")
table <- compare_pages(setdiff(names(pages_of_glmnet()), c("cv.glmnet", "plot.cv.glmnet")))

test("every call that is not glmnet's has a reason", {
  wrong <- table[is.na(table$reason), ]
  expect(nrow(wrong) == 0, paste(wrong$page, wrong$call, wrong$outcome, sep = ": ", collapse = "\n"))
  # Other versions of glmnet may have other examples.
  expect(sum(table$outcome == "same") >= 30, c(sum(table$outcome == "same"), nrow(table)))
})

test("docs/R.md lists what is left", {
  document <- paste(readLines("../../docs/R.md"), collapse = "\n")
  left <- table[!is_well(table), ]
  for (k in seq_len(nrow(left))) {
    expect(grepl(shortened(left$call[k]), document, fixed = TRUE) && grepl(left$reason[k], document, fixed = TRUE), left$call[k])
  }
  expect(nrow(left) > 0)
})
