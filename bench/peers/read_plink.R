# A PLINK set as R has it: x, columns centred and of unit 2-norm, missing calls at the mean; y, the last column of
# PREFIX.pheno.tsv. For the scripts beside it.
read_plink <- function(prefix) {
  samples <- length(readLines(paste0(prefix, ".fam"))); variables <- length(readLines(paste0(prefix, ".bim")))
  stride <- (samples + 3) %/% 4
  file <- file(paste0(prefix, ".bed"), "rb"); invisible(readBin(file, "raw", 3))
  x <- matrix(0, samples, variables); dosage <- c(2, NA, 1, 0)
  for (first in seq(1, variables, 20000)) {
    last <- min(variables, first + 19999)
    bytes <- as.integer(readBin(file, "raw", stride * (last - first + 1)))
    codes <- matrix(rbind(bytes %% 4, bytes %/% 4 %% 4, bytes %/% 16 %% 4, bytes %/% 64), 4 * stride)[1:samples, , drop = FALSE]
    piece <- matrix(dosage[codes + 1], samples)
    piece <- sweep(piece, 2, colMeans(piece, na.rm = TRUE)); piece[is.na(piece)] <- 0
    norms <- sqrt(colSums(piece^2)); norms[norms == 0] <- 1
    x[, first:last] <- sweep(piece, 2, norms, "/")
  }
  close(file)
  pheno <- read.delim(paste0(prefix, ".pheno.tsv"))
  list(x = x, y = pheno[[ncol(pheno)]])
}
