#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""oracles.py arviz|forestci|ppo|minpack: prints what other programs compute on problems that a test of ours makes again.

The tests keep the numbers: arviz in tests/unit/mcmc/arviz.hpp, forestci in tests/unit/surrogate/forestci.hpp, ppo in
tests/unit/explore/ppo.hpp, minpack in tests/statistical/nist_strd.hpp. Needs numpy, and the package of that name; scipy for minpack.
Problems are made of the numbers of a 64-bit congruential generator, which are the same in any language.
"""
import math
import pathlib
import re
import sys

import numpy as np


class Uniforms:
    """In [0, 1)."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return (self.state >> 11) * 2.0**-53

    def many(self, n):
        return np.array([self() for _ in range(n)])


def table(versions, comment, name, columns, rows):
    """The text of a header: a struct of doubles and an array of it."""
    print(f'// SPDX-License-Identifier: MIT\n// {comment} {versions}. Made by tests/support/oracles.py {sys.argv[1]}.')
    print(f'#pragma once\n\nnamespace {name} {{\n\nstruct row {{\n    double {", ".join(columns)};\n}};\n')
    print('inline constexpr row rows[] = {')
    for row in rows:
        print('    {' + ', '.join(repr(float(x)) for x in row) + '},')
    print(f'}};\n\n}}  // namespace {name}')


def arviz():
    import arviz as az

    def sequences(p):
        """Chains x steps: x_t = keep x_{t-1} + u, shifted by chain; then heavy-tailed, of few values, or one of them wider."""
        out = []
        for chain in range(2 + p % 4):
            u, x, row = Uniforms(100 * p + chain + 1), 0.0, []
            for _ in range(60 + 37 * p):
                x = [0.0, 0.5, 0.8, 0.95][p // 4 % 4] * x + u()
                row.append(x + 0.1 * (p % 3) * chain)
            out.append(row)
        x = np.array(out)
        if p % 5 == 1:
            x = x * x * x
        if p % 5 == 2 and p < 4:
            x = np.rint(4 * x) / 4
        if p % 5 == 3:
            x[0] *= 3
        return x

    def agreeing(p):
        """Eight chains of 2,000 steps and one distribution: x_t = keep x_{t-1} + u."""
        out, keep = [], 0.045 * p
        for chain in range(8):
            u, x, row = Uniforms(1000 * p + chain + 1), 0.5 / (1 - keep), []
            for _ in range(2000):
                x = keep * x + u()
                row.append(x)
            out.append(row)
        return np.array(out)

    rows = []
    for p in range(20):
        x = sequences(p)
        rows.append((az.rhat(x, method='rank'), az.ess(x, method='identity'), az.ess(agreeing(p), method='identity')))
    table(f'ArviZ {az.__version__}', 'rhat(x, method="rank") and ess(x, method="identity") of', 'arviz',
          ['r_hat', 'ess', 'ess_agreeing'], rows)


def forestci():
    import forestci as fci
    import sklearn
    from sklearn.ensemble import RandomForestRegressor

    class Tree:
        def __init__(self, predictions):
            self.predictions = predictions

        def predict(self, _):
            return self.predictions

    rows = []
    for p in range(20):
        u, trees, n = Uniforms(p + 1), 5 + 7 * p, 8 + 5 * (p % 7)
        inbag = np.zeros((n, trees))
        for b in range(trees):
            for _ in range(n):
                inbag[int(u() * n), b] += 1
        forest = RandomForestRegressor(n_estimators=trees)
        forest.n_outputs_ = 1
        # At the first point trees follow how often they saw row 0, at the second they are noise.
        forest.estimators_ = [Tree(np.array([10 * inbag[0, b] + u(), 3 * u()])) for b in range(trees)]
        rows.append(fci.random_forest_error(forest, (n, 1), np.zeros((2, 1)), inbag=inbag, calibrate=False))
    import importlib.metadata
    versions = f'forestci {importlib.metadata.version("forestci")} with scikit-learn {sklearn.__version__}'
    table(versions, 'random_forest_error(calibrate=False) of', 'forestci', ['led', 'noise'], rows)


def ppo():
    """The loss as the papers write it; its slopes by complex steps, so that nothing here is a derivative by hand."""
    rows = []
    for p in range(20):
        u, d, hidden, steps, layout, joint = Uniforms(p + 1), 1 + p % 4, 3 + p % 3, 4 + p, p % 3, p % 2 == 1
        clip, entropy_weight, value_weight, discount, lam = 0.1 + 0.02 * p, 0.05 * (p % 4), 0.5 + 0.1 * p, 0.9, 0.95
        # source, in, out, groups, gain of tanh (0: none); -1 is the input
        policy = [(-1, d, hidden, 1, 1), (0, hidden, hidden, 1, 1)]
        if layout == 2:
            policy += [(1, hidden, 3 * d, 1, 1), (2, 3 * d, 3 * d, d, 10), (3, 3 * d, 3 * d, d, 0)]
        else:
            policy += [(1, hidden, 3 * d, 1, 0)]
        layers, logits = list(policy), len(policy) - 1
        if layout != 0:
            layers.append((-1, d, hidden, 1, 1))
        for _ in range(2 if layout == 2 else 1):
            layers.append((0 if layout == 0 else len(layers) - 1, hidden, hidden, 1, 1))
        layers.append((len(layers) - 1, hidden, 1, 1, 0))

        weights = []
        for _, inputs, outputs, groups, _ in layers:
            for o in range(outputs):
                for i in range(inputs + 1):
                    drawn = 2 * u() - 1
                    apart = i < inputs and i // (inputs // groups) != o // (outputs // groups)
                    weights.append(0.0 if apart else drawn)
        weights = np.array(weights)
        seen = u.many(steps * d).reshape(steps, d)
        actions = (3 * u.many(steps * d)).astype(int).reshape(steps, d)
        chosen = 0.1 + 0.8 * u.many(steps * d).reshape(steps, d)
        rewards, values = u.many(steps), u.many(steps)

        advantage = np.zeros(steps)
        for t in range(steps):
            for k in range(t, steps):
                after = values[k + 1] if k + 1 < steps else 0.0
                advantage[t] += (discount * lam) ** (k - t) * (rewards[k] + discount * after - values[k])
        scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        target = rewards + discount * np.append(values[1:], 0.0)

        def loss(w):
            outs, at = [], 0
            for source, inputs, outputs, groups, gain in layers:
                x = seen if source < 0 else outs[source]
                m = w[at:at + outputs * (inputs + 1)].reshape(outputs, inputs + 1)
                at += m.size
                y = x @ m[:, :-1].T + m[:, -1]
                outs.append(gain * np.tanh(y) if gain else y)
            z = np.exp(outs[logits].reshape(steps, d, 3))
            q = z / z.sum(axis=2, keepdims=True)
            ratio = np.take_along_axis(q, actions[:, :, None], axis=2)[:, :, 0] / chosen
            if joint:
                ratio = ratio.prod(axis=1, keepdims=True)
            a = scaled[:, None]
            near = np.where(ratio.real < 1 - clip, 1 - clip, np.where(ratio.real > 1 + clip, 1 + clip, ratio))
            least = np.where((ratio * a).real <= (near * a).real, ratio * a, near * a)
            entropy = -(q * np.log(q)).sum(axis=2)
            miss = target - outs[-1][:, 0]
            return (-least.sum(axis=1) - entropy_weight * entropy.sum(axis=1) + value_weight * miss * miss).mean()

        free = [i for i in range(len(weights)) if weights[i] != 0]
        mean, square, norm = np.zeros(len(weights)), np.zeros(len(weights)), 0.0
        for step in (1, 2, 3):
            g = np.zeros(len(weights))
            for i in free:
                w = weights.astype(complex)
                w[i] += 1e-100j
                g[i] = loss(w).imag / 1e-100
            if step == 1:
                norm = math.sqrt((g * g).sum())
            mean = 0.9 * mean + 0.1 * g
            square = 0.999 * square + 0.001 * g * g
            length = 0.01 * math.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            weights = weights - length * mean / (np.sqrt(square) + 1e-5)
        mark = sum(w * math.cos(i) for i, w in enumerate(weights))
        rows.append((advantage[0], advantage[steps // 2], scaled[0], norm, weights[0], weights[len(weights) // 2], weights[-1], mark))
    table(f'NumPy {np.__version__}', 'Proximal policy optimisation by', 'ppo',
          ['first_advantage', 'middle_advantage', 'scaled', 'slope', 'first', 'middle', 'last', 'mark'], rows)


def minpack():
    """Reads the data from nist_strd.hpp and prints, per regression, evaluations and digits from both starts."""
    import scipy
    from scipy.optimize import leastsq
    exp, cos, sin, pi = np.exp, np.cos, np.sin, np.pi

    def ratio(p, q):
        return lambda b, x: sum(b[i] * x**i for i in range(p)) / (1 + sum(b[p + i] * x**(i + 1) for i in range(q)))

    def season(x, period, c, s):
        return c * cos(2 * pi * x / period) + s * sin(2 * pi * x / period)

    models = {
        'Misra1a': lambda b, x: b[0] * (1 - exp(-b[1] * x)),
        'BoxBOD': lambda b, x: b[0] * (1 - exp(-b[1] * x)),
        'Misra1b': lambda b, x: b[0] * (1 - (1 + b[1] * x / 2)**-2.0),
        'Misra1c': lambda b, x: b[0] * (1 - (1 + 2 * b[1] * x)**-0.5),
        'Misra1d': lambda b, x: b[0] * b[1] * x / (1 + b[1] * x),
        'Chwirut': lambda b, x: exp(-b[0] * x) / (b[1] + b[2] * x),
        'Lanczos': lambda b, x: b[0] * exp(-b[1] * x) + b[2] * exp(-b[3] * x) + b[4] * exp(-b[5] * x),
        'Gauss': lambda b, x: b[0] * exp(-b[1] * x) + b[2] * exp(-((x - b[3]) / b[4])**2) + b[5] * exp(-((x - b[6]) / b[7])**2),
        'DanWood': lambda b, x: b[0] * x**b[1],
        'Kirby2': ratio(3, 2), 'Hahn1': ratio(4, 3), 'Thurber': ratio(4, 3),
        'Nelson': lambda b, x: b[0] - b[1] * x[0] * exp(-b[2] * x[1]),
        'MGH17': lambda b, x: b[0] + b[1] * exp(-x * b[3]) + b[2] * exp(-x * b[4]),
        'Roszman1': lambda b, x: b[0] - b[1] * x - np.arctan(b[2] / (x - b[3])) / pi,
        'ENSO': lambda b, x: b[0] + season(x, 12, b[1], b[2]) + season(x, b[3], b[4], b[5]) + season(x, b[6], b[7], b[8]),
        'MGH09': lambda b, x: b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]),
        'Rat42': lambda b, x: b[0] / (1 + exp(b[1] - b[2] * x)),
        'MGH10': lambda b, x: b[0] * exp(b[1] / (x + b[2])),
        'Eckerle4': lambda b, x: b[0] / b[1] * exp(-0.5 * ((x - b[2]) / b[1])**2),
        'Rat43': lambda b, x: b[0] / (1 + exp(b[1] - b[2] * x))**(1 / b[3]),
        'Bennett5': lambda b, x: b[0] * (b[1] + x)**(-1 / b[2]),
    }
    np.seterr(all='ignore')
    text = (pathlib.Path(__file__).resolve().parents[1] / 'statistical' / 'nist_strd.hpp').read_text()

    def numbers(of):
        return [float(x) for x in of.replace('\n', ' ').split(',')]

    for name, predictors, first, second, certified in re.findall(
            r'\{"(\w+)",\s*(\d),\s*\{\{([^}]*)\},\s*\{([^}]*)\}\},\s*\{([^}]*)\}', text):
        data = numbers(re.search(r'double %s\[\] = \{([^}]*)\}' % name.lower(), text)[1])
        rows = np.array(data).reshape(-1, int(predictors) + 1)
        y, x = rows[:, 0], rows[:, 1] if predictors == '1' else rows[:, 1:].T
        f = next(m for prefix, m in models.items() if name.startswith(prefix))
        y = np.log(y) if name == 'Nelson' else y

        def slopes(b):
            out = []
            for i in range(len(b)):
                z = np.array(b, complex)
                z[i] += 1e-100j
                out.append(f(z, x).imag / 1e-100)
            return np.array(out).T

        told = []
        for start in (first, second):
            b, _, info, _, _ = leastsq(lambda b: f(b, x) - y, numbers(start), Dfun=slopes, full_output=True, maxfev=5000, ftol=1e-10, xtol=1e-10)
            told.append((info['nfev'], round(min(min(11, -math.log10(abs(v / c - 1) + 1e-300)) for v, c in zip(b, numbers(certified))), 1)))
        print(f'{name}: ' + ', '.join('{%d, %s}' % t for t in told) + f'  (SciPy {scipy.__version__})')


if __name__ == '__main__':
    {'arviz': arviz, 'forestci': forestci, 'ppo': ppo, 'minpack': minpack}[sys.argv[1]]()
