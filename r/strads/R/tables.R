# Tables: samples and variants of genotypes, and the options of a command.

strads_samples <- function(path, options = list()) {
  table_of(tables_of(option_list(file_options(path, "path"), options))$samples)
}

strads_variants <- function(path, options = list()) {
  table_of(tables_of(option_list(file_options(path, "path"), options))$variants)
}

strads_options <- function(command = c("fit", "path", "cv", "predict", "sumstats")) {
  table_of(.Call(strads_r_options, one_of(command, c("fit", "path", "cv", "predict", "sumstats"), "command")))
}
