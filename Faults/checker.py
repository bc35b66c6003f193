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

# The time in which a gateway abandons a server that has become a replica.
ABANDON = 2.5
# A gateway asks all sentinels, or all masters of a cluster, every 1 to 1.1 s, and waits up to 1 s for each response.
REACTION = 2.5
# A gateway closes its last connection to Redis within this time, if too few of them respond and agree.
QUORUM = 6
# The interval between two observations of a role, if the observer has enough processor time.
OBSERVATION = 0.5
# A machine without enough processor time can cause a failover without a fault. The bound of its loss.
UNEXPLAINED = 10
# A manual failover is given up after this time.
MANUAL_FAILOVER = 10
# The recovery is not judged if the clients and proxies had no processor time for longer than this meanwhile.
STALLS = 2
# Before a fault, a master may have acknowledged writes that were on their way to the replicas.
IN_FLIGHT = 1
# A master rejects writes when it has not heard from a replica for 2 s, which it checks once per second.
ISOLATED_WRITES = 4
# After a Redis has lost its data and is back, the time in which gateways write their records back.
RESTORATION = 30
# The time in which a gateway that starts reads all records.
START = 30
# Credentials that a gateway with a fast clock creates are in the future of the others for up to 90 s.
CLOCK_EFFECT = 100
# The longest time from the record of a kill to its signal.
KILL = 3
# The step in which rules that depend on a duration are evaluated.
STEP = 0.1
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


class Timeline:
    """A value that changes."""

    def __init__(self):
        self.times, self.values = [], []

    def add(self, at, value):
        self.times.append(at)
        self.values.append(value)

    def value(self, at):
        index = bisect.bisect_right(self.times, at)
        return self.values[index - 1] if index else None

    def end_of(self, value, at):
        """When the value first differs after `at`."""
        for time, other in zip(self.times, self.values):
            if time > at and other != value:
                return time
        return math.inf


class History:
    """The events of a run by their meaning."""

    def __init__(self, events):
        self.run = next((event for event in events if event["kind"] == "run"), {})
        self.operations = sorted((event for event in events if event["kind"] == "op"), key=lambda e: e["invoke"])
        self.credentials = {event["name"]: event for event in events if event["kind"] == "credential"}
        self.others = [event for event in events if event["kind"] not in ("op", "credential", "run")]
        self.cuts, self.clocks = collections.defaultdict(Intervals), Intervals()
        self.kills, self.faults, self.unexplained = collections.defaultdict(list), {}, 0
        self.promotions, self.data_losses, self.repairs = [], Intervals(), Intervals()
        self.starts = collections.defaultdict(list)
        self.read_faults()
        self.read_roles()
        self.read_moves()
        self.losses = self.loss_windows()

    def of(self, kind):
        return [event for event in self.others if event["kind"] == kind]

    def read_faults(self):
        for event in self.of("cut"):
            intervals = self.cuts[event["gateway"]]
            (intervals.begin if event["phase"] == "begin" else intervals.end)(event["at"])
        for event in self.of("fault"):
            if event["phase"] == "begin":
                self.faults[event["number"]] = dict(event, effective=event["at"], ending=math.inf, end=math.inf)
            elif event["number"] in self.faults:
                fault = self.faults[event["number"]]
                fault[event["phase"]] = event["at"]
                if event["phase"] == "end":
                    fault["ending"] = min(fault["ending"], event["at"])
                    fault |= {key: event[key] for key in ("target", "result") if key in event}
        for fault in self.faults.values():
            name = fault["target"].split()[0] if fault["target"] else ""
            if fault["fault"] == "clock":
                self.clocks.list.append([fault["at"], fault["end"], {}])
            if fault["fault"] == "lost data":
                self.data_losses.list.append([fault["at"], fault["end"], {}])
            if "kill" in fault["fault"] or "kill" in fault["target"]:
                self.kills[name].append(fault["at"])
                self.starts[name].append(fault["end"])
        for event in self.of("exit"):
            self.kills[event["name"]].append(event["at"])
            self.starts[event["name"]].append(event["at"])

    def read_roles(self):
        """Finds the promotions of replicas."""
        self.roles, self.names = collections.defaultdict(Timeline), collections.defaultdict(Timeline)
        firm, masters = {}, set()
        for event in self.of("names"):
            self.names[event["voter"]].add(event["at"], event["server"])
        for event in self.of("role"):
            server, role = event["server"], event["role"]
            self.roles[server].add(event["at"], role)
            (masters.add if role == "master" else masters.discard)(server)
            if role in ("master", "other") and firm.get(server) == "replica":
                since = max(event.get("since", event["at"]) - OBSERVATION, 0)
                self.promotions.append(dict(event, since=since, formers=masters - {server}))
            if role in ("master", "replica", "other"):
                firm[server] = role

    @property
    def failovers(self):
        """The promotions that changed the master of the gateways."""
        return [promotion for promotion in self.promotions if promotion["role"] == "master"]

    def shard(self, server):
        return next((shard for shard in self.run.get("shards", []) if server in shard), self.run["servers"])

    def read_moves(self):
        """A failover of one of the two nodes during a move of the slot may lose records, as if Redis lost data."""
        for fault in self.faults.values():
            if fault["fault"] != "reshard" or ">" not in fault["target"]:
                continue
            servers = [server for node in fault["target"].split(">") for server in self.shard(node)]
            if any(promotion["server"] in servers and fault["at"] <= promotion["at"] and
                   promotion["since"] <= fault["end"] for promotion in self.promotions):
                self.data_losses.list.append([fault["at"], fault["end"], {}])
            if "repaired" in (fault.get("result") or ""):
                self.repairs.list.append([fault["at"], fault["end"], {}])

    def reads_again(self, at):
        """When all gateways have read all records after a time: they do so at another master of the slot."""
        changes = [time for timeline in self.roles.values() for time, role in zip(timeline.times, timeline.values)
                   if role == "master" and time > at]
        return min(changes, default=math.inf) + RESTORATION

    def former_masters(self):
        """Returns the servers that remained masters after a failover, each with the failover and the end."""
        return [(former, failover, self.roles[former].end_of("master", failover["at"]))
                for failover in self.failovers for former in failover["formers"]]

    def loss_windows(self):
        """Returns the intervals whose acknowledged writes a failover may lose."""
        windows = Intervals()
        for failover in self.failovers:
            at, shard, count = failover["at"], self.shard(failover["server"]), len(windows.list)
            last = max([at, *(self.roles[former].end_of("master", at) for former in failover["formers"])])
            for fault in self.faults.values():
                if not fault["replication"] or fault["at"] > at or fault["end"] < at - 60:
                    continue
                if not set(fault.get("servers", shard)) & set(shard):
                    continue
                end = last if fault["replication"] == "behind" else min(last, fault["effective"] + ISOLATED_WRITES)
                windows.list.append([fault["at"] - IN_FLIGHT, end, {}])
            if len(windows.list) == count and not self.is_manual(failover):
                self.unexplained += 1
                windows.list.append([at - UNEXPLAINED, at, {}])
        return windows

    def is_manual(self, failover):
        """Whether a failover was a manual one, which loses nothing."""
        return any(fault["fault"] == "manual failover" and fault["target"] == failover["server"]
                   and fault["at"] <= failover["at"] <= fault["at"] + MANUAL_FAILOVER for fault in self.faults.values())

    # The voters of a failover: sentinels, each named by the server beside it, or the masters of a cluster.

    @property
    def voter_count(self):
        return len(self.run["shards"]) if self.run["topology"] == "cluster" else len(self.run["servers"])

    def voters(self, at):
        servers = self.run["servers"]
        if self.run["topology"] != "cluster":
            return servers
        return [server for server in servers if self.roles[server].value(at) in ("master", "other", "down")]

    def reaches(self, gateway, voter, at):
        """Whether a gateway reaches a voter: `True`, `False`, or `None` if that is uncertain."""
        result = True
        for fault in self.faults.values():
            if fault["at"] <= at <= fault["end"] + PRECISION:
                if [gateway, voter] in fault.get("hidden", []):
                    if fault["effective"] <= at <= fault["ending"]:
                        return False
                    result = None
                elif [gateway, voter] in fault.get("perhaps_hidden", []):
                    result = None
        return result

    def is_informed(self, gateway, former, at):
        """Whether more than half of the voters surely told the gateway of another server than the former master."""
        informed = [voter for voter in self.voters(at)
                    if self.names[voter].value(at) not in (None, former) and self.reaches(gateway, voter, at)]
        return 2 * len(informed) > self.voter_count

    def is_without_quorum(self, gateway, at):
        """Whether surely no server was named to the gateway by at least half of the voters and more often than
        others."""
        counts = collections.Counter(self.names[voter].value(at) for voter in self.voters(at)
                                     if self.reaches(gateway, voter, at) is not False)
        most = counts.most_common(2)
        return not most or 2 * most[0][1] < self.voter_count or (len(most) == 2 and most[0][1] == most[1][1])

    def stays(self, gateway, former, since, end):
        """Returns the intervals in which a gateway may use a former master, by the rules of the manual. A gateway that
        knows of the next master does not return, unless it restarts. One without a quorum returns with the quorum."""
        stays, informed, lonely, is_gone = Intervals(), None, None, False
        at = since - QUORUM
        while at < end + ABANDON:
            if any(at - STEP < kill <= at for kill in self.kills[gateway]):
                informed, is_gone = None, False
            informed = (at if informed is None else informed) if self.is_informed(gateway, former, at) else None
            lonely = (at if lonely is None else lonely) if self.is_without_quorum(gateway, at) else None
            is_gone = is_gone or informed is not None and at - informed >= REACTION
            if at >= since and not is_gone and not (lonely is not None and at - lonely >= QUORUM):
                last = at + STEP + self.stalled(since - QUORUM, at)
                if stays.list and stays.list[-1][1] >= at:
                    stays.list[-1][1] = last
                else:
                    stays.list.append([at, last, {}])
            at += STEP
        return stays

    def stalled(self, first, last):
        """The time in which the machine had no processor time for the clients and proxies, and perhaps for gateways."""
        return sum(event["length"] for event in self.of("stall") if first <= event["at"] <= last)

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
        self.stays = {}
        self.ends, self.restores = collections.defaultdict(list), collections.defaultdict(list)
        for operation in self.history.operations:
            if "ends" in operation:
                for key in self.keys(operation["ends"]):
                    self.ends[key].append(operation)
            if "renames" in operation:
                end = dict(operation, ends={"credential": operation["renames"]}, means="rename")
                self.ends[operation["renames"]].append(end)
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
        report.notes["failovers"] = len(self.history.failovers)
        for fault in self.history.faults.values():
            if fault.get("result"):
                report.notes[f"{fault['fault']}: {fault['result']}"] += 1
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
        if self.is_at_former_master(end, probe):
            self.report.excused["a gateway had not left a former master yet, within the limits of the manual"] += 1
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

    def is_at_former_master(self, end, probe):
        """Whether a gateway may use a former master still, which does not know a change that the next one
        acknowledged."""
        wait = 0 if probe["route"] == "strict" else self.bound
        for former, failover, last in self.history.former_masters():
            if not failover["since"] <= end["complete"] or failover["since"] > probe["invoke"]:
                continue
            key = probe["gateway"], former, failover["at"]
            if key not in self.stays:
                self.stays[key] = self.history.stays(
                    probe["gateway"], former, failover["since"], min(last, failover["at"] + 120))
            if self.stays[key].overlaps(probe["invoke"] - wait, probe["invoke"]):
                return True
        return False

    def is_lost_with_data(self, end, probe):
        """Whether a gateway may not know a revocation because Redis lost its data: it had not confirmed the revocation
        before, or it started afterwards, and the other gateways had no time to write it back."""
        for begin, last, _ in self.history.data_losses.list:
            if begin - self.bound - IN_FLIGHT < end["complete"] < last + IN_FLIGHT:
                return True
            is_unknown = not self.history.ran_between(probe["gateway"], begin, probe["complete"])
            restoration = math.inf if self.history.run.get("on_lost_store") == "keep" else RESTORATION
            if end["complete"] < last and is_unknown and begin < probe["invoke"] < last + restoration:
                return True
        for begin, last, _ in self.history.repairs.list:
            # The repair may name the next node as the owner before it has all keys.
            if end["complete"] < last and begin < probe["invoke"] < self.history.reads_again(last) and any(
                    begin - START < start <= min(last, probe["invoke"])
                    for start in self.history.starts[probe["gateway"]]):
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
            if not self.history.failovers and not self.history.data_losses.list:
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
