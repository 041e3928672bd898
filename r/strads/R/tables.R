# Tables: samples and variants of genotypes, and the options of a command.

strads_samples <- function(path, options = list()) {
  as.data.frame(tables_of(option_list(file_options(path), options))$samples, stringsAsFactors = FALSE)
}

strads_variants <- function(path, options = list()) {
  as.data.frame(tables_of(option_list(file_options(path), options))$variants, stringsAsFactors = FALSE)
}

strads_options <- function(command = c("fit", "path", "cv", "predict")) {
  as.data.frame(.Call(strads_r_options, match.arg(command)), stringsAsFactors = FALSE)
}
