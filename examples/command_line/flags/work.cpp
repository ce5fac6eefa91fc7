// SPDX-License-Identifier: MIT
// What many programs do, in one file: floating point over arrays, branches, bytes, pointers. Each part prints what it computed, so
// that a compiler that gets it wrong is noticed. A program to find flags for: see docs/command_line.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Numbers that are the same everywhere.
class sequence {
public:
    explicit sequence(std::uint64_t seed) : x_(seed) {}
    std::uint64_t next()
    {
        x_ ^= x_ << 13;
        x_ ^= x_ >> 7;
        x_ ^= x_ << 17;
        return x_;
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t x_;
};

// Bodies that attract each other: square roots and divisions, arrays of numbers.

struct bodies {
    std::vector<double> x, y, z, u, v, w, mass;
};

bodies random_bodies(std::size_t n)
{
    sequence draw(1);
    bodies b;
    for (auto* of : {&b.x, &b.y, &b.z, &b.u, &b.v, &b.w, &b.mass})
        for (std::size_t i = 0; i < n; ++i) of->push_back(draw.uniform() + (of == &b.mass ? 0.5 : -0.5));
    return b;
}

void step(bodies& b, double dt)
{
    const std::size_t n = b.x.size();
    for (std::size_t i = 0; i < n; ++i) {
        double fx = 0, fy = 0, fz = 0;
        for (std::size_t j = 0; j < n; ++j) {
            const double dx = b.x[j] - b.x[i], dy = b.y[j] - b.y[i], dz = b.z[j] - b.z[i];
            const double square = dx * dx + dy * dy + dz * dz + 0.01;
            const double pull = b.mass[j] / (square * std::sqrt(square));
            fx += pull * dx;
            fy += pull * dy;
            fz += pull * dz;
        }
        b.u[i] += dt * fx;
        b.v[i] += dt * fy;
        b.w[i] += dt * fz;
    }
    for (std::size_t i = 0; i < n; ++i) {
        b.x[i] += dt * b.u[i];
        b.y[i] += dt * b.v[i];
        b.z[i] += dt * b.w[i];
    }
}

double motion(std::size_t n, int steps)
{
    bodies b = random_bodies(n);
    for (int k = 0; k < steps; ++k) step(b, 1e-4);
    double energy = 0;
    for (std::size_t i = 0; i < n; ++i)
        energy += 0.5 * b.mass[i] * (b.u[i] * b.u[i] + b.v[i] * b.v[i] + b.w[i] * b.w[i]);
    return energy;
}

// A product of matrices: three loops and nothing else.

double product(std::size_t n)
{
    sequence draw(2);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (float& x : a) x = static_cast<float>(draw.uniform());
    for (float& x : b) x = static_cast<float>(draw.uniform());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            float sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) trace += static_cast<double>(c[i * n + i]);
    return trace;
}

// Sorting records by a key: branches that nobody foresees, and a comparison that wants to be inlined.

struct parcel {
    std::uint32_t weight;
    std::uint32_t number;
};

void sort_parcels(std::vector<parcel>& all, std::size_t low, std::size_t high)
{
    while (high - low > 16) {
        const std::uint32_t pivot = all[low + (high - low) / 2].weight;
        std::size_t i = low, j = high - 1;
        while (true) {
            while (all[i].weight < pivot) ++i;
            while (all[j].weight > pivot) --j;
            if (i >= j) break;
            std::swap(all[i++], all[j--]);
        }
        sort_parcels(all, low, j + 1);
        low = j + 1;
    }
    for (std::size_t i = low + 1; i < high; ++i)
        for (std::size_t j = i; j > low && all[j].weight < all[j - 1].weight; --j) std::swap(all[j], all[j - 1]);
}

std::uint64_t sorting(std::size_t n)
{
    sequence draw(3);
    std::vector<parcel> all(n);
    for (std::size_t i = 0; i < n; ++i)
        all[i] = {static_cast<std::uint32_t>(draw.next() >> 32), static_cast<std::uint32_t>(i)};
    sort_parcels(all, 0, n);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum = sum * 31 + all[i].weight;
    return sum;
}

// Packing bytes by what came before them, and unpacking them again.

std::vector<std::uint8_t> text(std::size_t n)
{
    static const std::array<const char*, 8> words{"tile ", "loop ", "vector ", "cache ",
                                                  "the ",  "of ",   "unroll ", "flag "};
    sequence draw(4);
    std::vector<std::uint8_t> out;
    while (out.size() < n)
        for (const char* c = words[draw.next() % words.size()]; *c != '\0'; ++c)
            out.push_back(static_cast<std::uint8_t>(*c));
    out.resize(n);
    return out;
}

/// Pairs of a length and a distance, or a length of 0 and a byte.
std::vector<std::uint8_t> packed(const std::vector<std::uint8_t>& in)
{
    std::vector<std::size_t> last(1 << 15, SIZE_MAX);
    std::vector<std::uint8_t> out;
    for (std::size_t i = 0; i < in.size();) {
        std::size_t length = 0, from = SIZE_MAX;
        if (i + 4 < in.size()) {
            const std::uint32_t four =
                in[i] | std::uint32_t{in[i + 1]} << 8 | std::uint32_t{in[i + 2]} << 16 | std::uint32_t{in[i + 3]} << 24;
            std::size_t& slot = last[(four * 2654435761U) >> 17];
            from = std::exchange(slot, i);
            if (from != SIZE_MAX && i - from < 65536)
                while (length < 255 && i + length < in.size() && in[from + length] == in[i + length]) ++length;
        }
        if (length < 4) {
            out.push_back(0);
            out.push_back(in[i++]);
            continue;
        }
        const std::size_t distance = i - from;
        out.push_back(static_cast<std::uint8_t>(length));
        out.push_back(static_cast<std::uint8_t>(distance & 255));
        out.push_back(static_cast<std::uint8_t>(distance >> 8));
        i += length;
    }
    return out;
}

std::vector<std::uint8_t> unpacked(const std::vector<std::uint8_t>& in)
{
    std::vector<std::uint8_t> out;
    for (std::size_t i = 0; i < in.size();) {
        const std::size_t length = in[i++];
        if (length == 0) {
            out.push_back(in[i++]);
            continue;
        }
        const std::size_t distance = in[i] | std::size_t{in[i + 1]} << 8;
        i += 2;
        for (std::size_t k = 0; k < length; ++k) out.push_back(out[out.size() - distance]);
    }
    return out;
}

// A tree of words: pointers, small calls, virtual ones too.

struct node {
    virtual ~node() = default;
    virtual std::uint64_t value() const = 0;
};
struct leaf final : node {
    std::uint64_t x = 0;
    explicit leaf(std::uint64_t y) : x(y) {}
    std::uint64_t value() const override { return x; }
};
struct branch final : node {
    std::unique_ptr<node> left, right;
    branch(std::unique_ptr<node> l, std::unique_ptr<node> r) : left(std::move(l)), right(std::move(r)) {}
    std::uint64_t value() const override { return left->value() * 3 + right->value(); }
};

std::unique_ptr<node> tree(sequence& draw, int depth)
{
    if (depth == 0) return std::make_unique<leaf>(draw.next());
    auto left = tree(draw, depth - 1);
    return std::make_unique<branch>(std::move(left), tree(draw, depth - 1));
}

}  // namespace

int main()
{
    std::printf("motion %.9g\n", motion(400, 40));
    std::printf("product %.9g\n", product(240));
    std::printf("sorting %llu\n", static_cast<unsigned long long>(sorting(200000)));
    const auto bytes = text(1000000);
    const auto small = packed(bytes);
    std::printf("packed %zu, %s\n", small.size(), unpacked(small) == bytes ? "and back" : "and lost");
    sequence draw(5);
    const auto words = tree(draw, 12);
    std::uint64_t sum = 0;
    for (int k = 0; k < 400; ++k) sum += words->value();
    std::printf("tree %llu\n", static_cast<unsigned long long>(sum));
}
