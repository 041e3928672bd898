#!/usr/bin/python3
"""Makes study.tsv.gz and blocks.bed: a regression of the simulated trait sim20 on each variant of chr2-eur, in 300 people.

    make_study.py ../1000g-chr2-eur .

People 1 to 300 of the .fam are the study; the others may be panel and test."""
import gzip
import math
import sys

source, out = sys.argv[1:]
STUDY, BLOCK = 300, 400
COPIES = (2, None, 1, 0)  # of A1, by the two bits of a call


def tail_of_t(t, freedom):
    """P(|T| > t) of Student's t: the regularised incomplete beta function by its continued fraction."""
    x, a, b = freedom / (freedom + t * t), freedom / 2, 0.5
    turned = x > (a + 1) / (a + b + 2)
    if turned:
        x, a, b = 1 - x, b, a
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a if 0 < x < 1 else 0
    fraction = 0.0
    for k in range(200, 0, -1):
        m = k // 2
        term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) if k % 2 == 0 else -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        fraction = term / (1 + fraction)
    value = front / (1 + fraction)
    return 1 - value if turned else value


bim = [line.split() for line in open(f"{source}/chr2-eur.bim")]
fam = [line.split() for line in open(f"{source}/chr2-eur.fam")]
pheno = [line.split() for line in open(f"{source}/pheno.tsv")]
trait = pheno[0].index("sim20")
by_id = {row[1]: float(row[trait]) for row in pheno[1:]}
y = [by_id[row[1]] for row in fam[:STUDY]]
raw = open(f"{source}/chr2-eur.bed", "rb").read()[3:]
stride = (len(fam) + 3) // 4
lines = ["chromosome\tbase_pair_location\teffect_allele\tother_allele\tbeta\tstandard_error\teffect_allele_frequency\t"
         "p_value\trsid\tn\n"]
for k, (chromosome, name, _, position, a1, a2) in enumerate(bim):
    column = raw[k * stride:(k + 1) * stride]
    pairs = [(COPIES[column[i // 4] >> 2 * (i % 4) & 3], y[i]) for i in range(STUDY)]
    pairs = [(x, v) for x, v in pairs if x is not None]
    n = len(pairs)
    mean_x, mean_y = sum(x for x, _ in pairs) / n, sum(v for _, v in pairs) / n
    xx = sum((x - mean_x) ** 2 for x, _ in pairs)
    if xx == 0:
        continue
    xy = sum((x - mean_x) * (v - mean_y) for x, v in pairs)
    yy = sum((v - mean_y) ** 2 for _, v in pairs)
    beta = xy / xx
    se = math.sqrt((yy - beta * xy) / (n - 2) / xx)
    p = tail_of_t(abs(beta / se), n - 2)
    lines.append(f"{chromosome}\t{position}\t{a1}\t{a2}\t{beta:.5g}\t{se:.5g}\t{mean_x / 2:.4f}\t{p:.4g}\t{name}\t{n}\n")
with open(f"{out}/study.tsv.gz", "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
    packed.write("".join(lines).encode())
positions = sorted(int(row[3]) for row in bim)
cuts = [positions[0] - 1] + [positions[k] for k in range(BLOCK - 1, len(positions) - BLOCK // 2, BLOCK)] + [positions[-1]]
with open(f"{out}/blocks.bed", "w") as file:
    file.write("chr\tstart\tstop\n")
    for begin, end in zip(cuts, cuts[1:]):
        file.write(f"chr2\t{begin}\t{end}\n")
