#!/bin/sh
# SPDX-License-Identifier: MIT
# generate.sh FOLDER FIRST COUNT BITS VARIABLES: COUNT instances of each kind in FOLDER, the same wherever they are made; FIRST is the number of the first.
# factor-N.cnf: two odd numbers of BITS bits whose product is a given number; it is a product of two primes in every even N, and a prime in every odd N.
# random-N.cnf: 3-SAT with VARIABLES variables and 4.26 clauses for each.
set -eu
mkdir -p "$1"
awk -v folder="$1" -v first="$2" -v count="$3" -v bits="$4" -v variables="$5" '
function drawn(n) { state = state * 16807 % 2147483647; return int(n * state / 2147483647) }
function begin(seed, k) { state = seed * 7919 + 1; for (k = 0; k < 20; ++k) drawn(1); vars = clauses = 0 }
function add(a, b, c) { clause[++clauses] = a " " (b ? b " " : "") (c ? c " " : "") 0 }
function written(name, k) {
    name = folder "/" name ".cnf"
    print "p cnf " vars " " clauses >name
    for (k = 1; k <= clauses; ++k) print clause[k] >name
    close(name)
}
function both(a, b, c) { c = ++vars; add(-c, a); add(-c, b); add(c, -a, -b); return c }
function other(a, b, c) { c = ++vars; add(-c, a, b); add(-c, -a, -b); add(c, -a, b); add(c, a, -b); return c }
function either(a, b, c) { c = ++vars; add(c, -a); add(c, -b); add(-c, a, b); return c }
function prime(n, d) { for (d = 3; d * d <= n; d += 2) if (n % d == 0) return 0; return n % 2 }
function a_prime(bits, n) { do n = 2 ^ (bits - 1) + 2 * drawn(2 ^ (bits - 2)) + 1; while (!prime(n)); return n }
# sum += b * 2^place where the bit a of the other factor is set: a row of full adders.
function row(place, a, j, x, y, s, c) {
    c = 0
    for (j = 0; j < bits; ++j) {
        x = both(a, B[j]); s = sum[place + j]
        if (!s && !c) { sum[place + j] = x; continue }
        if (!s || !c) { y = s ? s : c; sum[place + j] = other(x, y); c = both(x, y); continue }
        y = other(x, s)
        sum[place + j] = other(y, c)
        c = either(both(x, s), both(y, c))
    }
    if (c) sum[place + bits] = c
}
BEGIN {
    for (i = first; i < first + count; ++i) {
        begin(i)
        product = i % 2 ? a_prime(2 * bits - 1) : a_prime(bits) * a_prime(bits)
        for (k in sum) delete sum[k]
        for (k = 0; k < bits; ++k) A[k] = ++vars
        for (k = 0; k < bits; ++k) B[k] = ++vars
        for (k = 0; k < bits; ++k) row(k, A[k])
        for (k = 0; k < 2 * bits; ++k) {
            bit = product % 2; product = (product - bit) / 2
            if (sum[k]) add(bit ? sum[k] : -sum[k])
        }
        add(A[0]); add(B[0]); add(A[bits - 1]); add(B[bits - 1])
        written("factor-" i)

        begin(i + 1000000)
        vars = variables
        for (k = 0; k < 4.26 * variables; ++k) {
            a = 1 + drawn(vars)
            do b = 1 + drawn(vars); while (b == a)
            do c = 1 + drawn(vars); while (c == a || c == b)
            add(drawn(2) ? a : -a, drawn(2) ? b : -b, drawn(2) ? c : -c)
        }
        written("random-" i)
    }
}'
