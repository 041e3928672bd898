# From genotypes to a score: choose lambda on some people by cross-validation, score the others, look at it, hand it over.
# Usage: Rscript genotypes.R PREFIX.bed PHENO.tsv COLUMN PICTURE.png SCORE.txt
library(strads)
arguments <- commandArgs(trailingOnly = TRUE)
genotypes <- arguments[1]
trait <- read.delim(arguments[2])[[arguments[3]]]  # rows in the order of the .fam, as strads_samples(genotypes)

# Every fifth person is held out. A trait that is NA takes no part.
held_out <- seq_along(trait) %% 5 == 0
training <- replace(trait, held_out, NA)

cv <- strads_cv(genotypes, training, nfolds = 5)
print(cv)

score <- predict(cv, genotypes, s = "lambda.min")[, 1]
cat(sprintf("correlation with the trait: %.3f of %d people who were held out, %.3f of the others\n",
            cor(score[held_out], trait[held_out]), sum(held_out), cor(score[!held_out], trait[!held_out])))

# The variants with the largest coefficients; A1 is the allele whose copies are counted.
variants <- strads_variants(genotypes)
variants$coefficient <- coef(cv, s = "lambda.min")[-1, 1]
print(head(variants[order(-abs(variants$coefficient)), ], 5), row.names = FALSE)

png(arguments[4], width = 900, height = 450)
par(mfrow = c(1, 2), mar = c(4.5, 4.5, 3.5, 1))
plot(cv)
plot(score[held_out], trait[held_out], xlab = "Score", ylab = "Trait", main = "People who were held out")
abline(0, 1, lty = 3)
invisible(dev.off())

# A scoring file of the PGS Catalog, for others: allele weights without the people that they are from.
strads_export(cv, arguments[5], s = "lambda.min", options = list(genome_build = "GRCh37", trait = arguments[3]))
