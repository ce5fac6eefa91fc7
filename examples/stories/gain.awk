# SPDX-License-Identifier: MIT
# Pairs `before after`, a line each: how many times as much before costs, with a 95 % interval.
# how=median: the median of the quotients, between the order statistics that the binomial distribution gives, whatever the noise is.
# how=total: the quotient of the sums, between percentiles of 4000 bootstrap samples of the lines, drawn by a fixed generator.
function sort(x, n, gap, i, j, t) {
    for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
        for (i = gap + 1; i <= n; ++i) {
            t = x[i]
            for (j = i; j > gap && x[j - gap] > t; j -= gap) x[j] = x[j - gap]
            x[j] = t
        }
}
# How many of n order statistics lie below the interval of their median, and as many above it.
function outside(n, k, p, sum) {
    p = 0.5 ^ n
    for (k = 0; sum + p <= 0.025; ++k) { sum += p; p *= (n - k) / (k + 1) }
    return k
}
function drawn(n) { state = state * 16807 % 2147483647; return 1 + int(n * state / 2147483647) }
$1 + 0 > 0 && $2 + 0 > 0 { ++n; a[n] = $1; b[n] = $2; quotient[n] = $1 / $2; all_a += $1; all_b += $2 }
END {
    if (n == 0) { print "nothing to compare"; exit 1 }
    if (how == "median") {
        sort(quotient, n)
        value = (quotient[int((n + 1) / 2)] + quotient[int(n / 2) + 1]) / 2
        k = outside(n); low = quotient[k]; high = quotient[n + 1 - k]
    } else {
        value = all_a / all_b
        for (state = 20261125; s < 4000; t[++s] = x / y)
            for (i = 1 + (x = y = 0); i <= n; ++i) { j = drawn(n); x += a[j]; y += b[j] }
        sort(t, 4000)
        k = n >= 8; low = t[100]; high = t[3901]
    }
    if (k) printf "%.3f [%.3f, %.3f]\n", value, low, high
    else printf "%.3f [no interval from %d]\n", value, n
}
