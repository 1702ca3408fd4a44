"""One side of one job under pyperf, which finds the number of loops and starts the process that is timed.

timed.py --peer PEER --job JOB --side SIDE [--quick] and the options of pyperf
"""

from __future__ import annotations

import warnings

import pyperf


def pass_on(command, args):
    """What pyperf's worker has to be told."""
    command += ["--peer", args.peer, "--job", str(args.job), "--side", args.side, *(["--quick"] if args.quick else [])]


def main():
    runner = pyperf.Runner(add_cmdline_args=pass_on)
    for name, kind in (("--peer", str), ("--job", int), ("--side", str)):
        runner.argparser.add_argument(name, type=kind, required=True)
    runner.argparser.add_argument("--quick", action="store_true")
    args = runner.parse_args()
    call = print  # pyperf's own process calls nothing: libraries are imported and inputs made in the worker alone
    if args.worker:
        from job import jobs_of

        warnings.simplefilter("ignore")
        job = jobs_of(args.peer, args.quick)[args.job]
        call = getattr(job, args.side)(job.data())
    runner.bench_func(args.side, call)


if __name__ == "__main__":
    main()
