#!/usr/bin/env python3
"""Tests of the checker: it finds each planted violation, and accepts histories that the manual permits.

    python3 Faults/test_checker.py"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checker  # noqa: E402


SHARDS = {"single": [["r1"]], "sentinel": [["r1", "r2", "r3"]], "sqlite": [[]],
          "cluster": [["r1", "r4"], ["r2", "r5"], ["r3", "r6"]]}


def run(topology="single", staleness=5, on_lost_store="restore"):
    return {"kind": "run", "topology": topology, "seed": 1, "seconds": 60, "staleness": staleness, "recovery": 30,
            "gateways": ["g1", "g2"], "servers": sorted(server for shard in SHARDS[topology] for server in shard),
            "shards": SHARDS[topology], "on_lost_store": on_lost_store}


def token(name="t1", user="ada", at=0.0, identity=None, complete=None):
    return {"kind": "credential", "name": name, "user": user, "identity": identity, "invoke": at,
            "complete": at if complete is None else complete}


def operation(op, at, gateway="g1", status=200, code=None, length=0.01, **details):
    return {"kind": "op", "op": op, "gateway": gateway, "invoke": at, "complete": at + length, "status": status,
            "code": code, "error": None if status else "timeout", **details}


def present(at, status=200, gateway="g2", route="replicated", credential="t1", code=None, **details):
    code = code or {401: "auth/id-token-revoked", 503: "auth/store-unavailable"}.get(status)
    return operation("pass", at, gateway, status, code, route=route, credential=credential, **details)


def revoke(at, user="ada", means="revoke", **details):
    return operation(means, at, ends={"user": user}, means=means, **details)


def enable(at, **details):
    return operation("enable", at, restores={"user": "ada"}, undoes="disable", **details)


def fault(kind, begin, end, target="r1", replication=None, number=1, result=None, **details):
    fields = {"kind": "fault", "fault": kind, "target": target, "replication": replication, "number": number}
    return [dict(fields, phase="begin", at=begin, **details), dict(fields, phase="end", at=end, result=result)]


def role(server, role, at):
    return {"kind": "role", "server": server, "role": role, "at": at}


def names(voter, server, at):
    return {"kind": "names", "voter": voter, "server": server, "at": at}


def cut(gateway, begin, end):
    return [{"kind": "cut", "phase": phase, "gateway": gateway, "at": at} for phase, at in (("begin", begin),
                                                                                         ("end", end))]


class CheckerTests(unittest.TestCase):
    def violations(self, *events, topology="single", **options):
        flat = [run(topology, **options), {"kind": "over", "at": 1000.0}]
        for event in events:
            flat += event if isinstance(event, list) else [event]
        self.report = checker.check(flat)
        return [invariant.split()[0] for invariant, _, _ in self.report.violations]

    def test_a_clean_history_has_no_violation(self):
        self.assertEqual(self.violations(
            token(), present(1), revoke(2), present(3), present(7.5, 401), present(8, 503),
            operation("sign-in", 1, item="nonce 1"), operation("sign-in", 1, "g2", 400, "auth/missing-or-invalid-nonce",
                                                              item="nonce 1"),
            {"kind": "recovered", "gateway": "g1", "after": 3.0, "at": 50}), [])
        self.assertEqual(self.report.operations["pass"], 4)

    # 1: a revoked credential passes

    def test_a_pass_after_the_bound_of_staleness(self):
        self.assertEqual(self.violations(token(), revoke(2), present(7.1)), ["1"])

    def test_a_pass_within_the_bound_of_staleness(self):
        self.assertEqual(self.violations(token(), revoke(2), present(6.9)), [])

    def test_a_pass_at_the_gateway_that_acknowledged(self):
        self.assertEqual(self.violations(token(), revoke(2), present(2.1, gateway="g1")), [])
        self.assertEqual(self.count_of_late_passes(), 1)
        self.assertEqual(self.violations(token(), revoke(2), present(7.1, gateway="g1")), ["1"])

    def test_a_pass_at_the_gateway_that_acknowledged_after_its_restart(self):
        self.assertEqual(self.violations(
            token(), revoke(2), fault("kill", 2.05, 2.06, "g1"), present(2.1, gateway="g1")), [])
        self.assertEqual(self.count_of_late_passes(), 0)

    def count_of_late_passes(self):
        return self.report.notes["passes at the gateway that acknowledged the end, within max_staleness"]

    def test_a_pass_on_a_strict_route(self):
        self.assertEqual(self.violations(token(), revoke(2), present(2.1, route="strict")), ["1"])

    def test_a_pass_with_an_embedded_store(self):
        self.assertEqual(self.violations(
            token(), revoke(2), fault("kill", 2.05, 2.06, "g1"), present(2.1, gateway="g1"), topology="sqlite"), ["1"])

    def test_a_request_that_began_before_the_acknowledgement(self):
        self.assertEqual(self.violations(token(), revoke(2, length=1), present(2.9, route="strict", length=3)), [])

    def test_a_revocation_that_was_not_acknowledged(self):
        self.assertEqual(self.violations(token(), revoke(2, status=None), present(9)), [])
        self.assertEqual(self.violations(token(), revoke(2, status=503, code="auth/store-unavailable"), present(9)), [])

    def test_a_token_that_was_created_after_the_revocation(self):
        self.assertEqual(self.violations(token(at=3), revoke(2), present(9)), [])

    def test_another_user(self):
        self.assertEqual(self.violations(token(), revoke(2, "grace"), present(9)), [])

    def test_one_session(self):
        end = operation("sign out", 2, ends={"credential": "t1"}, means="sign out")
        self.assertEqual(self.violations(token(), end, present(9)), ["1"])
        self.assertEqual(self.violations(token("t2"), token(), end, present(9, credential="t2")), [])

    def test_a_disabled_user_with_a_new_token(self):
        self.assertEqual(self.violations(token(at=5), revoke(2, means="disable"), present(9)), ["1"])

    def test_a_user_who_was_enabled(self):
        self.assertEqual(self.violations(token(), revoke(2, means="disable"), enable(4), present(20)), [])
        self.assertEqual(self.violations(
            token(), revoke(2, means="disable"), enable(4, status=None, length=10), present(20)), [])

    def test_a_user_who_was_enabled_and_disabled_again(self):
        self.assertEqual(self.violations(
            token(), revoke(2, means="disable"), enable(4), revoke(6, means="disable"), present(20)), ["1"])

    def test_enable_does_not_undo_a_revocation(self):
        self.assertEqual(self.violations(token(), revoke(2), enable(4), present(20)), ["1"])

    # 2: an acknowledged revocation is lost

    def test_a_pass_at_the_end_of_the_run(self):
        self.assertEqual(self.violations(token(), revoke(2), present(900, phase="final")), ["2"])

    def test_a_loss_without_a_failover_is_not_excused(self):
        self.assertEqual(self.violations(
            token(), fault("kill", 2.5, 4, "r1", "cut"), revoke(2), present(900, phase="final")), ["2"])

    def failover(self, promotion=6.0, replication="cut"):
        return [role("r1", "master", 0), role("r2", "replica", 0), *fault("kill", 2.5, 20, "r1", replication),
                role("r1", "down", 2.6), role("r2", "master", promotion), role("r1", "replica", 22)]

    def test_a_failover_may_lose_the_last_writes(self):
        self.assertEqual(self.violations(
            token(), self.failover(), revoke(2), present(900, phase="final"), topology="sentinel"), [])
        self.assertEqual(sum(self.report.excused.values()), 1)

    def test_a_failover_does_not_excuse_the_loss_of_earlier_writes(self):
        self.assertEqual(self.violations(
            token(), self.failover(), revoke(1), present(900, phase="final"), topology="sentinel"), ["2"])

    def test_a_failover_does_not_excuse_the_loss_of_later_writes(self):
        self.assertEqual(self.violations(
            token(), self.failover(30.0), revoke(7), present(900, phase="final"), topology="sentinel"), ["2"])

    def test_a_fault_that_takes_effect_slowly(self):
        effective = {"kind": "fault", "phase": "effective", "number": 1, "at": 5.0}
        events = [token(), self.failover(30.0), effective, revoke(7), present(900, phase="final")]
        self.assertEqual(self.violations(*events, topology="sentinel"), [])

    def test_a_replica_that_receives_nothing_may_lose_more(self):
        self.assertEqual(self.violations(
            token(), self.failover(30.0, "behind"), revoke(7), present(900, phase="final"), topology="sentinel"), [])

    def test_a_failover_without_a_fault(self):
        masters = [role("r1", "master", 0), role("r2", "replica", 0), role("r1", "replica", 30),
                   role("r2", "master", 30.1)]
        final = present(900, phase="final")
        self.assertEqual(self.violations(token(), masters, revoke(25), final, topology="sentinel"), [])
        self.assertEqual(self.violations(token(), masters, revoke(15), final, topology="sentinel"), ["2"])

    # 2: a former master, which gateways leave by the rules of the manual

    def former_master(self, informed=(), hidden=(), since=1, end=40, topology="sentinel", new="r2"):
        """r1 is isolated from 1 s to 40 s. Another server is promoted at 10 s. The voters in `informed` name it at 11
        s, all others still name r1. The gateway g2 does not reach the voters in `hidden` from `since` on."""
        servers = [server for shard in SHARDS[topology] for server in shard]
        others = ("r2", "r3") if topology == "cluster" else ()
        roles = [role(server, "master" if server == "r1" else "other" if server in others else "replica", 0)
                 for server in servers]
        voters = [names(voter, "r1", 0) for voter in servers] + [names(voter, new, 11) for voter in informed]
        return [*roles, *voters, *fault("link down", 1, end, "r1", "cut", servers=["r1"]),
                *fault("partition", since, end, "g2", number=9, hidden=[["g2", voter] for voter in hidden]),
                role(new, "master", 10), role("r1", "replica", end)]

    def passes(self, at, route="strict", topology="sentinel", **details):
        """The violations of a pass, after a revocation that the next master acknowledged at 10.5 s."""
        found = self.violations(token(), self.former_master(topology=topology, **details), revoke(10.5),
                                present(at, route=route), topology=topology)
        self.assertEqual(sum(self.report.excused.values()), 0 if found else 1)
        return found

    def test_a_gateway_whose_sentinels_do_not_know_the_next_master(self):
        self.assertEqual(self.passes(38), [])
        self.assertEqual(self.passes(42), [])
        self.assertEqual(self.passes(43), ["1"])
        self.assertEqual(self.passes(47, "replicated"), [])
        self.assertEqual(self.passes(48, "replicated"), ["1"])

    def test_a_gateway_that_two_of_three_sentinels_inform(self):
        self.assertEqual(self.passes(13, informed=["r2", "r3"]), [])
        self.assertEqual(self.passes(14, informed=["r2", "r3"]), ["1"])
        self.assertEqual(self.passes(18, "replicated", informed=["r2", "r3"]), [])
        self.assertEqual(self.passes(19, "replicated", informed=["r2", "r3"]), ["1"])

    def test_a_gateway_that_reaches_one_of_three_sentinels(self):
        self.assertEqual(self.passes(10.9, hidden=["r2", "r3"]), ["1"])
        self.assertEqual(self.passes(11, hidden=["r2", "r3"], since=8), [])
        self.assertEqual(self.passes(15, hidden=["r2", "r3"], since=8), ["1"])

    def test_a_gateway_that_reaches_two_sentinels_which_disagree(self):
        self.assertEqual(self.passes(16.5, informed=["r2"], hidden=["r3"]), [])
        self.assertEqual(self.passes(17.5, informed=["r2"], hidden=["r3"]), ["1"])

    def test_a_gateway_whose_quorum_returns_before_it_is_informed(self):
        split = fault("split", 1, 10.2, "g2", number=2, hidden=[["g2", "r2"], ["g2", "r3"]])
        informed = [names(voter, "r2", 12) for voter in ("r2", "r3")]
        events = [token(), self.former_master(), split, informed, revoke(10.5)]
        self.assertEqual(self.violations(*events, present(14, route="strict"), topology="sentinel"), [])
        self.assertEqual(self.violations(*events, present(15, route="strict"), topology="sentinel"), ["1"])
        # A gateway that knows the next master does not return.
        split = fault("split", 15, 30, "g2", number=3, hidden=[["g2", "r2"], ["g2", "r3"]])
        self.assertEqual(self.violations(*events, split, present(18, route="strict"), topology="sentinel"), ["1"])
        restart = fault("kill", 16, 17, "g2", number=4)
        self.assertEqual(self.violations(*events, split, restart, present(18, route="strict"), topology="sentinel"), [])

    def test_a_gateway_that_perhaps_reaches_its_sentinels(self):
        frozen = fault("freeze", 12, 20, "g2", number=2, perhaps_hidden=[["g2", voter] for voter in ("r1", "r2", "r3")])
        events = [token(), self.former_master(["r2", "r3"]), frozen, revoke(10.5)]
        self.assertEqual(self.violations(*events, present(22, route="strict"), topology="sentinel"), [])
        self.assertEqual(self.violations(*events, present(23, route="strict"), topology="sentinel"), ["1"])

    def test_a_gateway_on_a_machine_without_processor_time(self):
        events = [token(), self.former_master(["r2", "r3"]), revoke(10.5), present(15, route="strict")]
        self.assertEqual(self.violations(*events, topology="sentinel"), ["1"])
        stall = {"kind": "stall", "length": 2.0, "at": 13}
        self.assertEqual(self.violations(*events, stall, topology="sentinel"), [])

    def test_a_former_master_does_not_excuse_changes_before_the_failover(self):
        events = [token(), self.former_master(), revoke(8), present(12, route="strict")]
        self.assertEqual(self.violations(*events, topology="sentinel"), ["1"])

    def test_masters_of_a_cluster_inform_a_gateway(self):
        self.assertEqual(self.passes(38, topology="cluster", new="r4"), [])
        self.assertEqual(self.passes(13, topology="cluster", new="r4", informed=["r2", "r3"]), [])
        self.assertEqual(self.passes(14, topology="cluster", new="r4", informed=["r2", "r3"]), ["1"])
        # Replicas have no vote.
        self.assertEqual(self.passes(14, topology="cluster", new="r4", informed=["r2", "r5", "r6"]), [])

    # 2: failovers and moves of the slot in a cluster

    def shard_failover(self, kind="kill", servers=("r1",), replication="cut"):
        return [role("r1", "master", 0), role("r2", "other", 0), role("r3", "other", 0), role("r4", "replica", 0),
                role("r5", "replica", 0), *fault(kind, 2.5, 20, servers[0], replication, servers=list(servers)),
                role("r1", "down", 2.6), role("r4", "master", 10), role("r1", "replica", 22)]

    def test_a_failover_in_a_cluster_may_lose_the_last_writes(self):
        final = present(900, phase="final")
        events = [token(), self.shard_failover()]
        self.assertEqual(self.violations(*events, revoke(3), final, topology="cluster"), [])
        self.assertEqual(self.violations(*events, revoke(1), final, topology="cluster"), ["2"])
        self.assertEqual(self.violations(*events, revoke(7), final, topology="cluster"), ["2"])

    def test_a_manual_failover_loses_nothing(self):
        events = [token(), revoke(3), present(900, phase="final")]
        manual = self.shard_failover("manual failover", ["r4"], None)
        self.assertEqual(self.violations(*events, manual, topology="cluster"), ["2"])
        # Without it, the machine may be too slow.
        self.assertEqual(self.violations(*events, self.shard_failover("delay", ["r4"], None), topology="cluster"), [])

    def test_a_fault_of_another_shard_excuses_no_loss(self):
        events = [token(at=-9), self.shard_failover(servers=["r2"]), present(900, phase="final")]
        self.assertEqual(self.violations(*events, revoke(-2), topology="cluster"), ["2"])
        self.assertEqual(self.violations(*events, revoke(1), topology="cluster"), [])

    def move(self, *events, result="complete"):
        return [role("r1", "master", 0), role("r2", "other", 0), role("r4", "replica", 0), role("r5", "replica", 0),
                *fault("reshard", 30, 35, "r1>r2", servers=[], result=result), *events]

    def test_a_move_of_the_slot_loses_nothing(self):
        events = [token(), revoke(31), present(900, phase="final")]
        moved = self.move(role("r2", "master", 34), role("r1", "other", 34.1))
        self.assertEqual(self.violations(*events, moved, topology="cluster"), ["2"])
        self.assertEqual(self.report.notes["reshard: complete"], 1)

    def test_a_failover_during_a_move_may_lose_records(self):
        for server, state in (("r4", "master"), ("r5", "other")):
            broken = self.move(role(server, state, 33), result="abandoned, repaired")
            events = [token(), broken, fault("kill", 32, 34, "g2", number=2)]
            final = present(900, phase="final")
            self.assertEqual(self.violations(*events, revoke(31), final, topology="cluster"), [])
            # A gateway that ran knows an earlier record.
            self.assertEqual(self.violations(
                *events, revoke(10), present(50, gateway="g1"), topology="cluster"), ["1"])
            self.assertEqual(self.violations(*events, revoke(10), present(50), topology="cluster"), [])
            # The others write it back.
            again = [role(server, "other", 100), role("r3", "master", 100)]
            self.assertEqual(self.violations(*events, again, revoke(10), final, topology="cluster"), ["2"])
            self.assertEqual(self.violations(
                *events, again, revoke(10), final, topology="cluster", on_lost_store="keep"), [])

    def test_a_gateway_that_starts_during_a_repair(self):
        moved = self.move(role("r2", "master", 33), role("r1", "other", 33.1), result="abandoned, repaired")
        events = [token(), moved, revoke(10), fault("kill", 31, 32, "g2", number=2)]
        self.assertEqual(self.violations(*events, present(300), topology="cluster"), [])
        self.assertEqual(self.violations(*events, present(300, gateway="g1"), topology="cluster"), ["1"])
        # It reads all records again at the next owner of the slot.
        moved = [role("r2", "other", 200), role("r1", "master", 200)]
        self.assertEqual(self.violations(*events, moved, present(229), topology="cluster"), [])
        self.assertEqual(self.violations(*events, moved, present(231), topology="cluster"), ["1"])
        complete = self.move(role("r2", "master", 33), role("r1", "other", 33.1))
        events = [token(), complete, revoke(10), fault("kill", 31, 32, "g2", number=2)]
        self.assertEqual(self.violations(*events, present(300), topology="cluster"), ["1"])

    def test_a_redis_that_lost_its_data(self):
        loss = fault("lost data", 20, 25, "r1", "cut")
        self.assertEqual(self.violations(token(), loss, revoke(2), present(22)), ["1"])
        self.assertEqual(self.violations(token(), loss, revoke(2), present(900, phase="final")), ["2"])
        self.assertEqual(self.violations(token(), loss, revoke(17), present(900, phase="final")), [])
        self.assertEqual(self.violations(token(), loss, revoke(30), present(900, phase="final")), ["2"])

    def test_a_gateway_that_starts_after_the_loss(self):
        events = [token(), fault("lost data", 20, 25, "r1", "cut"), fault("kill", 21, 26, "g2", number=2), revoke(2)]
        self.assertEqual(self.violations(*events, present(30)), [])
        self.assertEqual(self.violations(*events, present(30, gateway="g1")), ["1"])
        self.assertEqual(self.violations(*events, present(60)), ["1"])

    # 3: a session outlives its origin

    def test_a_session_of_an_unlinked_identity(self):
        unlink = operation("unlink", 2, ends={"identity": "oidc.corp:o1", "user": "ada"}, means="unlink")
        session = token("s1", identity="oidc.corp:o1")
        self.assertEqual(self.violations(session, unlink, present(9, credential="s1")), ["3"])
        other = token("s1", identity="google.com:o1")
        self.assertEqual(self.violations(other, unlink, present(9, credential="s1")), [])
        next_account = token("s1", user="grace", identity="oidc.corp:o1", at=4)
        self.assertEqual(self.violations(next_account, unlink, present(9, credential="s1")), [])

    def test_a_session_whose_sign_in_overlapped_the_unlink(self):
        unlink = operation("unlink", 2, ends={"identity": "oidc.corp:o1", "user": "ada"}, means="unlink")
        session = token("s1", identity="oidc.corp:o1", at=1.9, complete=3)
        self.assertEqual(self.violations(session, unlink, present(9, credential="s1")), ["3"])

    def test_a_session_of_a_revoked_identity(self):
        end = operation("revoke identity", 2, ends={"identity": "oidc.corp:o1"}, means="identity")
        self.assertEqual(self.violations(token("s1", identity="oidc.corp:o1"), end, present(9, credential="s1")), ["3"])

    def test_a_session_whose_cookie_was_replaced(self):
        link = operation("link", 2, renames="s1")
        self.assertEqual(self.violations(token("s1"), link, present(9, credential="s1")), ["1"])
        self.assertEqual(self.violations(token("s1"), link, present(3, 401, credential="s1")), [])
        self.assertEqual(self.violations(token("s1"), link, token("s2"), present(9, credential="s2")), [])
        # A link that failed may have replaced it.
        failed = operation("link", 2, status=503, code="auth/store-unavailable", renames="s1")
        self.assertEqual(self.violations(token("s1"), failed, present(9, credential="s1")), [])
        self.assertEqual(self.violations(token("s1"), failed, present(9, 401, credential="s1")), [])

    # 4: one winner

    def test_two_winners(self):
        calls = [operation("sign-in", at, gateway, item="nonce 1") for at, gateway in ((1, "g1"), (1.1, "g2"))]
        self.assertEqual(self.violations(calls), ["4"])

    def test_two_winners_in_a_failover(self):
        calls = [operation("sign-in", at, gateway, item="nonce 1") for at, gateway in ((2.4, "g1"), (8, "g2"))]
        self.assertEqual(self.violations(self.failover(), calls, topology="sentinel"), [])
        late = [operation("sign-in", at, gateway, item="nonce 1") for at, gateway in ((40, "g1"), (41, "g2"))]
        self.assertEqual(self.violations(self.failover(), late, topology="sentinel"), ["4"])

    def test_two_winners_around_a_loss_of_data(self):
        calls = [operation("sign-in", at, gateway, item="nonce 1") for at, gateway in ((19, "g1"), (26, "g2"))]
        self.assertEqual(self.violations(fault("lost data", 20, 25, "r1", "cut"), calls), [])

    # 5: closed, not open

    def test_a_gateway_without_contact_passes_after_the_bound(self):
        self.assertEqual(self.violations(token(), cut("g2", 10, 30), present(15.1)), ["5"])
        self.assertEqual(self.violations(token(), cut("g2", 10, 30), present(14.9)), [])
        self.assertEqual(self.violations(token(), cut("g1", 10, 30), present(15.1)), [])

    def test_a_gateway_without_contact_passes_on_a_strict_route(self):
        self.assertEqual(self.violations(token(), cut("g2", 10, 30), present(10.5, route="strict")), ["5"])

    def test_a_response_at_the_end_of_the_cut(self):
        self.assertEqual(self.violations(token(), cut("g2", 10, 30), present(29.9, route="strict", length=0.5)), [])

    def test_an_undocumented_response(self):
        self.assertEqual(self.violations(token(), present(1, 502, code="upstream/unreachable")), ["5"])
        self.assertEqual(self.violations(token(), present(1, 500, code="gateway/internal")), ["5"])
        self.assertEqual(self.violations(token(), present(1, 401, code="auth/invalid-id-token")), ["5"])

    def test_a_denial_by_a_shifted_clock(self):
        events = [token(), fault("clock", 0.5, 2, "g2 -90s")]
        self.assertEqual(self.violations(*events, present(1, 401, code="auth/invalid-id-token")), [])
        self.assertEqual(self.violations(*events, present(200, 401, code="auth/invalid-id-token")), ["5"])

    # 6: recovery

    def test_a_late_recovery(self):
        self.assertEqual(self.violations({"kind": "recovered", "gateway": "g1", "after": 31.0, "at": 90}), ["6"])
        self.assertEqual(self.violations({"kind": "recovered", "gateway": "g1", "after": None, "at": 90}), ["6"])

    def test_a_recovery_on_a_machine_without_processor_time(self):
        late = {"kind": "recovered", "gateway": "g1", "after": 31.0, "at": 90}
        healed, stall = {"kind": "healed", "at": 59}, {"kind": "stall", "length": 3.0, "at": 61}
        self.assertEqual(self.violations(healed, stall, late), [])
        self.assertEqual(self.violations(healed, dict(stall, at=50), late), ["6"])

    # 7: no denial without a reason

    def test_a_denial_without_a_revocation(self):
        self.assertEqual(self.violations(token(), present(1, 401)), ["7"])
        self.assertEqual(self.violations(token(), present(1, 401), revoke(2)), ["7"])
        self.assertEqual(self.violations(token(), revoke(2, status=None), present(3, 401)), [])

    def test_a_lost_withdrawal(self):
        events = [token(), revoke(2, means="disable"), enable(4), present(900, 401, phase="final")]
        self.assertEqual(self.violations(*events), ["7"])
        events = [token(), revoke(2, means="disable"), enable(4), present(900, phase="final")]
        self.assertEqual(self.violations(*events), [])

    def test_a_process_that_ended_by_itself(self):
        self.assertEqual(self.violations({"kind": "exit", "name": "g1", "status": -4, "at": 5}), ["a"])


class ReadingTests(unittest.TestCase):
    def test_a_line_that_was_cut_off_is_omitted(self):
        import tempfile

        import history
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "history.jsonl"
            log = history.History(path)
            log.record("run", topology="single")
            log.record("op", invoke=1.0, complete=2.0)
            log.close()
            with open(path, "a") as file:
                file.write('{"kind": "op", "inv')
            events = history.read(path)
        self.assertEqual([event["kind"] for event in events], ["run", "op"])
        self.assertIn("at", events[0])
        self.assertIn("wall", events[1])


if __name__ == "__main__":
    unittest.main()
