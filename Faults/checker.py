#!/usr/bin/env python3
"""Checks the history of a run against the promises of the manual.

    python3 Faults/checker.py FOLDER/history.jsonl

All times are of the monotonic clock of the clients' process, so no clock of a gateway or server takes part. An
operation takes effect at some time between `invoke` and `complete`. One without a response may take effect at any time
after `invoke`."""

import bisect
import collections
import math
import statistics
import sys

# The time in which a gateway abandons a server that has become a replica, and the interval of the role watcher.
ABANDON = 2.5
# A machine without enough processor time can cause a failover without a fault. The bound of its loss.
UNEXPLAINED = 10
# The recovery is not judged if the clients and proxies had no processor time for longer than this meanwhile.
STALLS = 2
# Before a fault, a master may have acknowledged writes that were on their way to the replicas.
IN_FLIGHT = 1
# A master rejects writes when it has not heard from a replica for 2 s, which it checks once per second.
ISOLATED_WRITES = 4
# After a Redis has lost its data and is back, the time in which gateways write their records back.
RESTORATION = 30
# Credentials that a gateway with a fast clock creates are in the future of the others for up to 90 s.
CLOCK_EFFECT = 100
# The longest time from the record of a kill to its signal.
KILL = 3
# The precision of the recorded times.
PRECISION = 0.02

DENIALS = {"auth/id-token-revoked", "auth/session-cookie-revoked", "auth/user-disabled"}
CLOCK_CODES = {"auth/invalid-id-token", "auth/id-token-expired", "auth/invalid-session-cookie",
               "auth/session-cookie-expired", "auth/invalid-credential", "auth/requires-recent-login"}
UNAVAILABLE = {"auth/store-unavailable", "auth/keys-unavailable", "gateway/overloaded", "gateway/unavailable"}
ACCOUNT_CODES = DENIALS | {
    "auth/missing-or-invalid-nonce", "auth/credential-already-in-use", "auth/provider-already-linked",
    "auth/requires-recent-login", "auth/no-such-provider", "auth/operation-not-allowed", "auth/invalid-credential",
    "auth/account-exists-with-different-credential"}


class Report:
    def __init__(self):
        self.violations, self.excused = [], collections.Counter()
        self.operations, self.faults, self.outcomes = collections.Counter(), collections.Counter(), {}
        self.recoveries, self.run, self.notes = {}, {}, collections.Counter()
        self.after_fault = collections.defaultdict(list)

    def violate(self, invariant, text, *events):
        self.violations.append((invariant, text, events))

    def text(self):
        run = self.run
        lines = [f"topology {run.get('topology')}, seed {run.get('seed')}, {run.get('seconds')} s of faults", ""]
        lines.append(f"{'operation':<16}{'all':>8}{'2xx':>8}{'4xx':>8}{'503':>8}{'other':>8}{'none':>8}")
        for name, count in sorted(self.operations.items()):
            row = self.outcomes[name]
            cells = "".join(f"{row[column]:>8}" for column in ("2xx", "4xx", "503", "other", "none"))
            lines.append(f"{name:<16}{count:>8}{cells}")
        total = collections.Counter()
        for row in self.outcomes.values():
            total.update(row)
        cells = "".join(f"{total[column]:>8}" for column in ("2xx", "4xx", "503", "other", "none"))
        lines += [f"{'total':<16}{sum(self.operations.values()):>8}{cells}", ""]
        lines.append("faults: " + (", ".join(f"{kind} {n}" for kind, n in sorted(self.faults.items())) or "none"))
        for kind, times in sorted(self.after_fault.items()):
            lines.append(f"  first strict pass at a gateway after a {kind}: median {statistics.median(times):.2f} s, "
                         f"longest {max(times):.2f} s, {len(times)} times")
        lines.append("recovery after the last fault: "
                     + ", ".join(f"{name} {after} s" for name, after in sorted(self.recoveries.items())))
        for title, counts in (("excused", self.excused), ("note", self.notes)):
            lines += [f"{title}: {name}: {count}" for name, count in sorted(counts.items()) if count]
        kinds = collections.Counter(invariant for invariant, _, _ in self.violations)
        lines.append(f"violations: {len(self.violations)}")
        lines += [f"  {invariant}: {count}" for invariant, count in sorted(kinds.items())]
        for invariant, text, events in self.violations[:40]:
            lines.append(f"- {invariant}: {text}")
            lines += [f"    {event}" for event in events]
        return "\n".join(lines) + "\n"


class Intervals:
    """Intervals of time, from events with a begin and an end."""

    def __init__(self):
        self.list = []

    def begin(self, at, **details):
        self.list.append([at, math.inf, details])

    def end(self, at, **details):
        for item in reversed(self.list):
            if item[1] == math.inf and item[2] == details:
                item[1] = at
                return

    def overlaps(self, first, last, before=0, after=0):
        return any(begin - before <= last and first <= end + after for begin, end, _ in self.list)


class History:
    """The events of a run by their meaning."""

    def __init__(self, events):
        self.run = next((event for event in events if event["kind"] == "run"), {})
        self.operations = sorted((event for event in events if event["kind"] == "op"), key=lambda e: e["invoke"])
        self.credentials = {event["name"]: event for event in events if event["kind"] == "credential"}
        self.others = [event for event in events if event["kind"] not in ("op", "credential", "run")]
        self.cuts, self.two_masters = collections.defaultdict(Intervals), Intervals()
        self.clocks, self.kills = Intervals(), collections.defaultdict(list)
        self.promotions, self.faults, self.unexplained = [], {}, 0
        self.data_losses = Intervals()
        self.read_faults()
        self.read_roles()
        self.losses = self.loss_windows()

    def of(self, kind):
        return [event for event in self.others if event["kind"] == kind]

    def read_faults(self):
        for event in self.of("cut"):
            intervals = self.cuts[event["gateway"]]
            (intervals.begin if event["phase"] == "begin" else intervals.end)(event["at"])
        for event in self.of("fault"):
            if event["phase"] == "begin":
                self.faults[event["number"]] = dict(event, effective=event["at"], end=math.inf)
            elif event["number"] in self.faults:
                self.faults[event["number"]][event["phase"]] = event["at"]
        for fault in self.faults.values():
            name = fault["target"].split()[0]
            if fault["fault"] == "clock":
                self.clocks.list.append([fault["at"], fault["end"], {}])
            if fault["fault"] == "lost data":
                self.data_losses.list.append([fault["at"], fault["end"], {}])
            if "kill" in fault["fault"] or "kill" in fault["target"]:
                self.kills[name].append(fault["at"])
        for event in self.of("exit"):
            self.kills[event["name"]].append(event["at"])

    def read_roles(self):
        """Finds the promotions, and the intervals in which more than one server is a master."""
        roles, have_two = {}, False
        for event in self.of("role"):
            before = roles.get(event["server"])
            roles[event["server"]] = event["role"]
            if event["role"] == "master" and before in ("replica", "loading"):
                self.promotions.append(event)
            two = sum(role == "master" for role in roles.values()) > 1
            if two != have_two:
                (self.two_masters.begin if two else self.two_masters.end)(event["at"])
                have_two = two

    def loss_windows(self):
        """Returns the intervals whose acknowledged writes a failover may lose."""
        windows = Intervals()
        for promotion in self.promotions:
            at, count = promotion["at"], len(windows.list)
            for fault in self.faults.values():
                if not fault["replication"] or fault["at"] > at or fault["end"] < at - 60:
                    continue
                end = at if fault["replication"] == "behind" else min(at, fault["effective"] + ISOLATED_WRITES)
                windows.list.append([fault["at"] - IN_FLIGHT, end, {}])
            if len(windows.list) == count:
                self.unexplained += 1
                windows.list.append([at - UNEXPLAINED, at, {}])
        return windows

    def ran_between(self, gateway, first, last):
        """Whether a gateway ran without a restart."""
        return not any(first <= at + KILL and at <= last for at in self.kills[gateway])


def is_success(operation):
    return operation["status"] is not None and 200 <= operation["status"] < 300


def covers(end, credential):
    """Whether an operation ends a credential, if it succeeds. Sessions of an unlinked identity end also if their
    sign-in was under way."""
    target = end["ends"]
    if "credential" in target:
        return target["credential"] == credential["name"]
    if "user" in target and target["user"] != credential["user"]:
        return False
    if "identity" in target and target["identity"] != credential["identity"]:
        return False
    if end["means"] in ("unlink", "disable", "delete"):
        return True
    return credential["complete"] < end["invoke"]


class Checker:
    def __init__(self, events):
        self.history, self.report = History(events), Report()
        self.report.run = self.history.run
        self.bound = self.history.run.get("staleness", 5)
        self.topology = self.history.run.get("topology")
        self.ends, self.restores = collections.defaultdict(list), collections.defaultdict(list)
        for operation in self.history.operations:
            if "ends" in operation:
                for key in self.keys(operation["ends"]):
                    self.ends[key].append(operation)
            if "restores" in operation:
                self.restores[operation["restores"]["user"]].append(operation)

    @staticmethod
    def keys(target):
        return [target.get("credential") or target.get("identity") or target.get("user")]

    def ends_of(self, credential):
        keys = [credential["name"], credential["user"], credential["identity"]]
        return [end for key in keys if key for end in self.ends[key] if covers(end, credential)]

    def check(self):
        self.count()
        for operation in self.history.operations:
            if operation["op"] == "pass":
                self.check_pass(operation)
            self.check_code(operation)
        self.check_winners()
        self.check_recovery()
        self.measure_faults()
        return self.report

    def count(self):
        report = self.report
        for operation in self.history.operations:
            name, status = operation["op"], operation["status"]
            report.operations[name] += 1
            column = "none" if status is None else "503" if status == 503 else {2: "2xx", 4: "4xx"}.get(
                status // 100, "other")
            report.outcomes.setdefault(name, collections.Counter())[column] += 1
        for fault in self.history.faults.values():
            report.faults[fault["fault"]] += 1
        stalls = [event["length"] for event in self.history.of("stall")]
        if stalls:
            report.notes[f"stalls of the clients' process, the longest {max(stalls)} s"] = len(stalls)
        report.notes["failovers"] = len(self.history.promotions)
        report.notes["failovers without a fault, because the machine is too slow"] = self.history.unexplained
        for event in self.history.of("exit"):
            report.violate("a process ended by itself", f"{event['name']}, status {event['status']}", event)

    # 1 to 3: a credential that ended never passes.

    def check_pass(self, probe):
        credential = self.history.credentials[probe["credential"]]
        ends = self.ends_of(credential)
        if probe["status"] == 401 and probe["code"] in DENIALS:
            self.check_denial(probe, credential, ends)
        if not is_success(probe):
            return
        self.check_cut(probe)
        for end in ends:
            if is_success(end) and not self.is_restored(end, credential, probe) and self.is_due(end, probe):
                self.judge(probe, end)

    def is_restored(self, end, credential, probe):
        """Whether an operation may have undone `end` before the probe."""
        return any(restore["undoes"] == end["means"] and restore["invoke"] < probe["complete"]
                   and (not is_success(restore) or restore["complete"] > end["invoke"])
                   for restore in self.restores[credential["user"]])

    def is_due(self, end, probe):
        """Whether the gateway must enforce `end`: at once on a strict route and with an embedded store, elsewhere after
        the bound of staleness. The gateway that acknowledged it should enforce it at once, too, but its connection that
        follows the changes may be late."""
        late = probe["invoke"] - end["complete"] - PRECISION
        if late > 0 and (probe["route"] == "strict" or self.topology == "sqlite"):
            return True
        if self.bound >= late > 0 and probe["gateway"] == end["gateway"] and \
                self.history.ran_between(end["gateway"], end["invoke"], probe["complete"]):
            self.report.notes["passes at the gateway that acknowledged the end, within max_staleness"] += 1
        return late > self.bound

    def judge(self, probe, end):
        history = self.history
        if history.losses.overlaps(end["complete"], end["complete"]):
            self.report.excused["a failover lost the acknowledged write"] += 1
            return
        if history.two_masters.overlaps(end["complete"] - ISOLATED_WRITES, probe["invoke"], after=ABANDON) and any(
                begin <= probe["invoke"] <= last + ABANDON for begin, last, _ in history.two_masters.list):
            is_isolated = any(fault["replication"] and fault["at"] <= probe["invoke"] <= fault["end"] + ABANDON
                              for fault in history.faults.values())
            self.report.excused["a former master was isolated with the gateway" if is_isolated else
                                "the isolation had ended, and the former master was not a replica yet"] += 1
            return
        if self.is_lost_with_data(end, probe):
            self.report.excused["a Redis lost its data"] += 1
            return
        names = {"unlink": "3 a session outlived its origin", "identity": "3 a session outlived its origin"}
        invariant = names.get(end["means"], "1 a revoked credential passed")
        if probe.get("phase") == "final":
            invariant = "2 an acknowledged revocation was lost"
        late = probe["invoke"] - end["complete"]
        self.report.violate(invariant, f"{late:.2f} s after `{end['op']}` at {end['gateway']} was acknowledged, "
                            f"{probe['gateway']} passed {probe['credential']} on {probe['route']}", end, probe)

    def is_lost_with_data(self, end, probe):
        """Whether a gateway may not know a revocation because Redis lost its data: it had not confirmed the revocation
        before, or it started afterwards, and the other gateways had no time to write it back."""
        for begin, last, _ in self.history.data_losses.list:
            if begin - self.bound - IN_FLIGHT < end["complete"] < last + IN_FLIGHT:
                return True
            is_unknown = not self.history.ran_between(probe["gateway"], begin, probe["complete"])
            if end["complete"] < last and is_unknown and begin < probe["invoke"] < last + RESTORATION:
                return True
        return False

    def check_denial(self, probe, credential, ends):
        """A credential is denied only if an operation may have ended it."""
        if not any(end["invoke"] < probe["complete"] for end in ends):
            self.report.violate("7 a valid credential was denied", f"{probe['gateway']} denied {probe['credential']}",
                                credential, probe)
            return
        if probe.get("phase") == "final" and all(
                self.is_surely_restored(end, credential) for end in ends if end["invoke"] < probe["complete"]):
            if not self.history.promotions and not self.history.data_losses.list:
                self.report.violate("7 an acknowledged withdrawal was lost",
                                    f"{probe['gateway']} denied {probe['credential']}", credential, probe)

    def is_surely_restored(self, end, credential):
        return any(restore["undoes"] == end["means"] and is_success(restore) and end["status"] is not None
                   and restore["invoke"] > end["complete"] for restore in self.restores[credential["user"]])

    # 4: one winner.

    def check_winners(self):
        winners = collections.defaultdict(list)
        for operation in self.history.operations:
            if "item" in operation and is_success(operation):
                winners[operation["item"]].append(operation)
        for item, operations in winners.items():
            if len(operations) < 2:
                continue
            first = min(operation["complete"] for operation in operations)
            last = max(operation["complete"] for operation in operations)
            if any(self.history.losses.overlaps(at, at) for at in (first, last)) or \
                    self.history.two_masters.overlaps(first, last, after=ABANDON) or \
                    self.history.data_losses.overlaps(first, last):
                self.report.excused["a failover lost the use of an item"] += 1
                continue
            self.report.violate("4 an item had several winners", item.split()[0], *operations)
        self.report.notes["items with one winner"] = sum(len(found) == 1 for found in winners.values())

    # 5: closed, not open.

    def check_cut(self, probe):
        """A gateway that has received nothing from any server for longer than the bound does not pass a request."""
        wait = 0 if probe["route"] == "strict" else self.bound
        for begin, end, _ in self.history.cuts[probe["gateway"]].list:
            if begin + wait + PRECISION < probe["invoke"] and probe["complete"] < end:
                self.report.violate(
                    "5 open without knowledge", f"{probe['gateway']} passed a request on {probe['route']} "
                    f"{probe['invoke'] - begin:.2f} s after it was cut off", probe)

    def check_code(self, operation):
        """Each response has a documented code."""
        status, code = operation["status"], operation["code"]
        if status is None or is_success(operation):
            return
        if status == 503 and code in UNAVAILABLE:
            return
        if status == 408 and code == "request/timeout":
            self.report.notes["the client was too slow to send its request"] += 1
            return
        if code in CLOCK_CODES and self.history.clocks.overlaps(
                operation["invoke"], operation["complete"], after=CLOCK_EFFECT):
            self.report.notes["denied because of a shifted clock"] += 1
            return
        allowed = DENIALS if operation["op"] == "pass" else ACCOUNT_CODES
        if status in (400, 401, 403, 404, 409) and code in allowed:
            return
        self.report.violate("5 an unexpected response", f"{operation['op']}: {status} {code}", operation)

    # 6: recovery.

    def check_recovery(self):
        healed = min((event["at"] for event in self.history.of("healed")), default=0)
        stalls = sum(event["length"] for event in self.history.of("stall") if event["at"] > healed)
        for event in self.history.of("recovered"):
            self.report.recoveries[event["gateway"]] = event["after"]
            if stalls > STALLS:
                self.report.notes["recoveries that are not judged, because the clients' process stalled"] += 1
            elif event["after"] is None or event["after"] > self.history.run.get("recovery", 30):
                self.report.violate("6 no recovery in time", f"{event['gateway']}: {event['after']} s", event)
        if not self.history.of("over"):
            self.report.notes["the run did not end"] = 1

    def measure_faults(self):
        """For faults that ended while no other fault was active: the time until each gateway's first strict pass."""
        passes = collections.defaultdict(list)
        for operation in self.history.operations:
            if operation["op"] == "pass" and operation["route"] == "strict" and is_success(operation):
                passes[operation["gateway"]].append(operation["complete"])
        for times in passes.values():
            times.sort()
        faults = sorted(self.history.faults.values(), key=lambda fault: fault["at"])
        for fault in faults:
            end = fault["end"]
            next_begin = min((other["at"] for other in faults if other["at"] > end), default=math.inf)
            if any(other is not fault and other["at"] < end < other["end"] for other in faults):
                continue
            for times in passes.values():
                index = bisect.bisect(times, end)
                if index < len(times) and times[index] < next_begin:
                    self.report.after_fault[fault["fault"]].append(times[index] - end)


def check(events):
    return Checker(events).check()


def main():
    from history import read
    report = check(read(sys.argv[1]))
    print(report.text())
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
