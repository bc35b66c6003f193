"""Parses the output of wrk, and prints the table of costs that all benchmarks share."""

import re
import statistics
import sys


def percentile(output, which):
    """Returns a percentile of wrk's `--latency` in milliseconds."""
    value, unit = re.search(rf"\s{which}%\s+([\d.]+)(us|ms|s)", output).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def cost(output, spent, seconds, **more):
    """Returns one measurement from wrk's output, the gateway's CPU time of the same seconds, and further columns."""
    count = int(re.search(r"(\d+) requests in", output).group(1))
    if count == 0:
        sys.exit(f"wrk received no response in {seconds} s; repeat the run on a machine with less load\n{output}")
    other = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", output)
    return {"us": spent / count * 1e6, "rate": count / seconds,
            "p50": percentile(output, 50), "p99": percentile(output, 99),
            "not 2xx": int(other.group(1)) if other else 0,
            "errors": sum(map(int, errors.groups())) if errors else 0, **more}


def median(results):
    """Returns the medians of several measurements of the same row."""
    return {key: statistics.median(result[key] for result in results) for key in results[0]}


def show(rows, further=()):
    """Prints the medians of each row. `further` has (key, title, width, digits) of columns between costs and rates."""
    width = max(12, *(len(name) + 2 for name in rows))
    titles = "".join(f"{title:>{columns}}" for _, title, columns, _ in further)
    print(f"{'':{width}}{'us CPU/request':>16}{'(best-worst)':>16}{titles}"
          f"{'requests/s':>12}{'p50 ms':>9}{'p99 ms':>9}{'not 2xx':>9}{'errors':>9}")
    for name, results in rows.items():
        found = median(results)
        spread = f"({min(r['us'] for r in results):.1f}-{max(r['us'] for r in results):.1f})"
        more = "".join(f"{found[key]:{columns}.{digits}f}" for key, _, columns, digits in further)
        print(f"{name:{width}}{found['us']:16.1f}{spread:>16}{more}{found['rate']:12.0f}"
              f"{found['p50']:9.2f}{found['p99']:9.2f}"
              f"{sum(r['not 2xx'] for r in results):9}{sum(r['errors'] for r in results):9}")
