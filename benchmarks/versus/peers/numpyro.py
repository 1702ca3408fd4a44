"""NumPyro: the Plackett-Luce posterior by the No-U-Turn sampler; effective draws a second of the same quantity."""

from __future__ import annotations

from functools import partial

import inputs
import numpy as np
from job import Job

WARMUP, DRAWS, PLACES = 500, 1_000, 3


def prepared(n_cases, k):
    """Orders of the first places that six annotators gave, and the class that is most often first in each case."""
    orders = inputs.rankings(n_cases, 6, k, PLACES)
    first = np.stack([np.bincount(case[:, 0], minlength=k) for case in orders])
    return orders, first.argmax(1), k


def of_best(plausibility, best):
    """Draws (cases, draws) of the plausibility of the best class, of draws (cases, draws, classes)."""
    return np.take_along_axis(np.asarray(plausibility), best[:, None, None], axis=2)[:, :, 0]


def moments(draws):
    """Mean, its Monte Carlo error and effective draws of each case, for both sides by NumPyro's own function."""
    from numpyro.diagnostics import effective_sample_size

    effective = np.array([effective_sample_size(case[None]) for case in draws])
    return draws.mean(1), draws.std(1) / np.sqrt(effective), effective


def errors_apart(ours, theirs):
    """Largest difference of posterior means, in its Monte Carlo error."""
    (a, a_error, _), (b, b_error, _) = moments(ours), moments(theirs)
    return float(np.max(np.abs(a - b) / np.hypot(a_error, b_error)))


def effective(draws):
    return moments(draws)[2].mean()


def model(orders, shape, k):
    """Rates with gamma priors; of the classes that are left, the next one in proportion to its rate."""
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions

    left = np.ones((*orders.shape, k), bool)  # before each place
    for place in range(1, orders.shape[2]):
        left[:, :, place] = left[:, :, place - 1]
        np.put_along_axis(left[:, :, place], orders[:, :, place - 1, None], False, axis=2)

    def program():
        rate = numpyro.sample("rate", distributions.Gamma(shape, 1.0).expand([len(orders), k]).to_event(2))
        chosen = jnp.take_along_axis(rate[:, None, None, :], orders[..., None], axis=3)[..., 0]
        numpyro.factor("orders", jnp.sum(jnp.log(chosen) - jnp.log((rate[:, None, None, :] * left).sum(-1))))

    return program


def posterior(n_cases, k, shape):
    def ours(data):
        import ugt

        orders, best, _ = data
        rankings = ugt.Rankings.from_blocks([[[[int(item)] for item in order] for order in case] for case in orders], n_classes=k)
        options = {"prior_shape": shape, "n_draws": DRAWS, "n_warmup": WARMUP, "n_chains": 1, "seed": 1}
        return lambda: of_best(ugt.plackett_luce(rankings, method="gibbs", **options).draws(DRAWS), best)

    def theirs(data):
        import jax
        import numpyro
        from numpyro.infer import MCMC, NUTS

        numpyro.enable_x64()
        orders, best, _ = data
        sampler = MCMC(NUTS(model(orders, shape, k)), num_warmup=WARMUP, num_samples=DRAWS, progress_bar=False)

        @jax.jit  # of the whole run: by itself the sampler compiles its loop anew in every run
        def rates(key):
            sampler.run(key)
            return sampler.get_samples()["rate"]

        def call():
            rate = np.moveaxis(np.asarray(rates(jax.random.PRNGKey(1))), 0, 1)
            return of_best(rate / rate.sum(-1, keepdims=True), best)

        return call

    size = f"{n_cases} {'cases' if n_cases > 1 else 'case'} x 6 rankings of 3 of {k} classes"
    note = f"{WARMUP} sweeps or steps thrown away, {DRAWS:,} kept, one chain; compiling is not in the time; "
    note += "the answers are posterior means, their difference in Monte Carlo errors"
    data = partial(prepared, n_cases, k)
    return Job(f"Plackett-Luce posterior, prior shape {shape}", size, data, ours, theirs, 5.0, errors_apart, note, effective)


def jobs(quick):
    return [posterior(1, 10, 0.5), *([] if quick else [posterior(50, 10, 0.5), posterior(1, 10, 0.1), posterior(1, 100, 0.5)])]
