# SPDX-License-Identifier: MIT
from gest_api.vocs import VOCS
from libensemble import Ensemble
from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, SimSpecs
from work import bowl

from tunekit.gest import Generator


def simulate(point: dict[str, int]) -> dict[str, float]:
    return {"seconds": bowl(int(point["tile"]), int(point["unroll"]))}


if __name__ == "__main__":
    vocs = VOCS(variables={"tile": set(range(1, 33)), "unroll": {1, 2, 4, 8}}, objectives={"seconds": "MINIMIZE"})
    run = Ensemble(parse_args=True)
    run.libE_specs.gen_on_manager = True
    run.gen_specs = GenSpecs(generator=Generator(vocs, seed=1), vocs=vocs, batch_size=3)
    run.sim_specs = SimSpecs(simulator=simulate, vocs=vocs)
    run.alloc_specs = AllocSpecs(alloc_f=only_persistent_gens)
    run.exit_criteria = ExitCriteria(sim_max=40)
    history, _, _ = run.run()
    if run.is_manager:
        ended = history[history["sim_ended"]]
        best = ended[ended["seconds"].argmin()]
        print(f"best {best['seconds']} at tile {best['tile']}, unroll {best['unroll']} of {len(ended)}")
