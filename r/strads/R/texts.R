# Texts of the compiled half speak of the command line's options; here they are said in R's words.

# Options that have an argument of their own. What is not here is said as options = list(...).
arguments_by_option <- c(
  x = "x", bfile = "x", pfile = "x", bpfile = "x", y = "y", pheno = "y", lambda = "lambda", `lambda-file` = "lambda",
  `lambda-ratio` = "lambda_ratio", lambdas = "nlambda", `lambda-min-ratio` = "lambda.min.ratio", `l1-ratio` = "alpha",
  tolerance = "thresh", folds = "nfolds", measure = "type.measure", family = "family", scale = "standardize",
  intercept = "intercept", center = "intercept", `center-y` = "intercept", nonnegative = "lower.limits = 0",
  `penalty-factors` = "penalty.factor",
  weights = "weights", offset = "offset", covar = "covariates", model = "object", split = "split",
  `warm-start` = "start", sumstats = "sumstats", n = "n", `ld-blocks` = "ld_blocks", shrink = "shrink",
  `validate-bfile` = "validation", `validate-pfile` = "validation")

# Arguments that are TRUE or FALSE where the command says on or off.
flag_arguments <- c("standardize", "intercept")

# What the command line calls a value's kind, and R has no use for.
placeholders <- "FILE|PREFIX|DIR|COLUMN|LIST|PATH|PEOPLE|CASES|CONTROLS|BED|[A-Z]"

# One mention of an option, with what follows it: "--family binomial" is family = "binomial".
mention_in_r <- function(name, value) {
  own <- arguments_by_option[name]
  placeholder <- grepl(paste0("^(", placeholders, ")$"), value)
  if (value == "" || placeholder) {
    return(if (is.na(own)) paste0("options$", gsub("-", "_", name)) else unname(own))
  }
  switch <- value %in% c("on", "off")
  number <- grepl("^[0-9]", value)
  if (is.na(own)) {
    return(paste0("options = list(", gsub("-", "_", name), " = ",
                  if (switch) value == "on" else if (number) value else paste0("\"", value, "\""), ")"))
  }
  said <- if (switch && own %in% flag_arguments) value == "on"
          else if (number) value
          else paste0("\"", value, "\"")
  paste0(own, " = ", said)
}

# Commands of other programs keep their own words: "plink2 --bfile P --make-bed".
foreign_commands <- "plink2?( (--?[a-z][a-z0-9-]*|[A-Z][A-Z.]*|ref-first|[0-9]+|\\.\\.\\.))+"

in_r <- function(text) {
  vapply(text, function(one) {
    if (!grepl("--|lasso |glmnet's alpha|of the command|dropped\\.tsv", one)) return(one)
    kept <- regmatches(one, gregexpr(foreign_commands, one))[[1]]
    regmatches(one, gregexpr(foreign_commands, one)) <- list(sprintf("\001%d\001", seq_along(kept)))
    # A name that no option has is said as it was given.
    one <- gsub("unknown option --([A-Za-z0-9-]+)", "unknown option \\1", one)
    one <- gsub(" \\(--help(-all)? (shows|lists)( the options| all| them)?\\)", " (strads_options() lists all)", one)
    pattern <- paste0("--([a-z0-9][a-z0-9-]*)(=| )?((?<=[= ])(", placeholders,
                      "|on|off|id|place|binomial|gaussian|poisson|mean|auto|auc|deviance|mse|mae|class|unit|sample|csv|pgs|GRCh3[78]|",
                      "[0-9][0-9.e+-]*)(?![A-Za-z0-9]))?")
    found <- gregexpr(pattern, one, perl = TRUE)
    said <- vapply(regmatches(one, found)[[1]], function(mention) {
      parts <- regmatches(mention, regexec("^--([a-z0-9][a-z0-9-]*)(=| )?(.*)$", mention))[[1]]
      # A blank behind the name belongs to the sentence where no value follows.
      paste0(mention_in_r(parts[2], parts[4]), if (parts[4] == "" && parts[3] == " ") " ")
    }, "")
    regmatches(one, found) <- list(unname(said))
    one <- gsub("family = \"binomial\" or poisson", "family = \"binomial\" or \"poisson\"", one, fixed = TRUE)
    one <- gsub("intercept = (TRUE|FALSE) and intercept = \\1", "intercept = \\1", one)
    one <- gsub("lasso path sumstats", "strads_sumstats()", one, fixed = TRUE)
    one <- gsub("dropped.tsv lists them", "$dropped counts them", one, fixed = TRUE)
    one <- gsub("use lasso (path|cv)\\b", "take the program, lasso \001\\1", one)
    one <- gsub("lasso fit\\b", "strads_lasso()", one)
    one <- gsub("lasso (path|cv|export)\\b", "strads_\\1()", one)
    one <- gsub("lasso (predict|score)\\b", "predict()", one)
    one <- gsub("lasso \001", "lasso ", one, fixed = TRUE)
    for (k in seq_along(kept)) one <- sub(sprintf("\001%d\001", k), kept[k], one, fixed = TRUE)
    one
  }, "", USE.NAMES = FALSE)
}
