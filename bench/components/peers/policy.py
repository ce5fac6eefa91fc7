# SPDX-License-Identifier: MIT
"""Proximal policy optimisation in numpy: the work of ppo/128x500. Two networks 12-64-64-36 and 12-64-64-1 of tanh, 12 heads of three
choices, 128 episodes of 500 steps, three passes in batches of 512, Adam."""
import numpy as np

from work import D, SIZES, knobs, surface

EPISODES, STEPS, BATCH, PASSES, DISCOUNT, LAMBDA, CLIP, RATE, ENTROPY = 128, 500, 512, 3, 0.9, 0.99, 0.2, 1e-3, 0.01
F = np.float32


class Network:
    """Three layers, the last without tanh. Keeps what a step backward needs."""

    def __init__(self, sizes, rng):
        self.weights = [((rng.random((a + 1, b)) * 2 - 1) * np.sqrt(6 / (a + b))).astype(F) for a, b in zip(sizes, sizes[1:])]
        for w in self.weights:
            w[-1] = 0
        self.mean = [np.zeros_like(w) for w in self.weights]
        self.square = [np.zeros_like(w) for w in self.weights]

    def __call__(self, x):
        w = self.weights
        self.x = x
        self.a = np.tanh(x @ w[0][:-1] + w[0][-1])
        self.b = np.tanh(self.a @ w[1][:-1] + w[1][-1])
        return self.b @ w[2][:-1] + w[2][-1]

    def learn(self, slope, rate):
        w = self.weights
        back = slope @ w[2][:-1].T * (1 - self.b * self.b)
        first = back @ w[1][:-1].T * (1 - self.a * self.a)
        for i, (x, s) in enumerate(((self.x, first), (self.a, back), (self.b, slope))):
            g = np.empty_like(w[i])
            np.dot(x.T, s, out=g[:-1])
            s.sum(0, out=g[-1])
            self.mean[i] += F(0.1) * (g - self.mean[i])
            self.square[i] += F(0.001) * (g * g - self.square[i])
            w[i] -= rate * self.mean[i] / (np.sqrt(self.square[i]) + F(1e-5))


def probabilities(logits):
    e = np.exp(logits.reshape(-1, D, 3) - logits.reshape(-1, D, 3).max(2, keepdims=True))
    return e / e.sum(2, keepdims=True)


def search():
    rng = np.random.default_rng(1)
    policy, critic, steps = Network((D, 64, 64, 3 * D), rng), Network((D, 64, 64, 1), rng), 0
    at = knobs(710, EPISODES)[0].astype(int)
    before = np.log(surface(at))
    seen, actions = np.empty((STEPS, EPISODES, D), F), np.empty((STEPS, EPISODES, D), np.int8)
    chance, value, reward = (np.empty((STEPS, EPISODES), F) for _ in range(3))
    for t in range(STEPS):
        seen[t] = at / SIZES
        p, value[t] = probabilities(policy(seen[t])), critic(seen[t])[:, 0]
        u = rng.random((EPISODES, D), F)
        actions[t] = (u >= p[:, :, 0]).astype(np.int8) + (u >= p[:, :, 0] + p[:, :, 1])
        chance[t] = np.take_along_axis(p, actions[t][:, :, None], 2).prod((1, 2))
        at = np.clip(at + actions[t] - 1, 0, SIZES - 1)
        now = np.log(surface(at))
        reward[t], before = now - before, now
    advantage, later, next_value = np.empty((STEPS, EPISODES), F), 0, 0
    for t in range(STEPS - 1, -1, -1):
        later = reward[t] + DISCOUNT * next_value - value[t] + DISCOUNT * LAMBDA * later
        next_value, advantage[t] = value[t], later
    target = (advantage + value).ravel()
    advantage = ((advantage - advantage.mean()) / advantage.std()).ravel()
    seen, actions, chance = seen.reshape(-1, D), actions.reshape(-1, D).astype(int), chance.ravel()
    for _ in range(PASSES):
        order = rng.permutation(len(target))
        for i in range(0, len(order), BATCH):
            j = order[i : i + BATCH]
            x, adv, n = seen[j], advantage[j], len(j)
            p = probabilities(policy(x))
            chosen = np.zeros_like(p)
            np.put_along_axis(chosen, actions[j][:, :, None], 1, 2)
            ratio = (p * chosen).sum(2).prod(1) / chance[j]
            push = np.where(np.where(adv > 0, ratio > 1 + CLIP, ratio < 1 - CLIP), 0, -adv * ratio) / F(n)
            logs = np.log(p + F(1e-10))
            slope = push[:, None, None] * (chosen - p) + F(ENTROPY / n) * p * (logs - (p * logs).sum(2, keepdims=True))
            steps += 1
            rate = F(RATE * np.sqrt(1 - 0.999**steps) / (1 - 0.9**steps))
            error = critic(x)[:, 0] - target[j]
            policy.learn(slope.reshape(n, -1).astype(F), rate)
            critic.learn((F(2 / n) * error)[:, None], rate)
    return {"surface1": before.mean()}


ITEMS = {"ppo/128x500 numpy": lambda: search}
