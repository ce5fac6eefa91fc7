#!/bin/sh
# SPDX-License-Identifier: MIT
# A batch job of Slurm that tunes a network on 32 ranks, and requeues itself until the time is spent.
#SBATCH --job-name=tune
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
# Two hours of tuning in jobs of at most one. 120 s before its end Slurm sends SIGTERM to the steps: rank 0 prints what it has and ends with 143.
# --kill-on-bad-exit=0 would keep a step whose rank failed waiting.
status=0
srun --cpu-bind=cores --kill-on-bad-exit=1 --cpus-per-task=4 tune_network_mpi --network resnet18 --seconds 7200 --log run.jsonl --resume || status=$?
# There is more to do: the same job again, which goes on from the log. A machine that fails requeues it by itself.
[ "$status" -ne 143 ] || scontrol requeue "$SLURM_JOB_ID"
exit "$status"
