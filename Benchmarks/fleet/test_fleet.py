"""Tests of the simulation against results that follow from its constants.

    python3 -m unittest discover -s Benchmarks/fleet"""

import dataclasses
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402
import scenarios  # noqa: E402
from model import Costs, Network, Timing  # noqa: E402
from simulation import Fleet, percentile  # noqa: E402

COSTS = Costs()
NEAR = Network().near


class OneGateway(unittest.TestCase):
    def test_an_idle_gateway_confirms_about_every_five_seconds(self):
        fleet = Fleet(1)
        fleet.start()
        fleet.run(100)
        self.assertLess(fleet.clock.now - fleet.gateways[0].confirmed, 5.1)
        self.assertTrue(19 <= fleet.redis.commands["XINFO"] <= 24, fleet.redis.commands)
        self.assertLess(fleet.utilization(0, 100), 1e-4)

    def test_a_reading_takes_the_time_of_both_sides(self):
        records = 50_000
        fleet = Fleet(1, records=records)
        fleet.start()
        fleet.run(10, lambda: fleet.all_ready)
        rounds = records / 1000 + 4
        expected = records * (COSTS.record + COSTS.gateway_record) + rounds * (
            2 * NEAR + COSTS.round + COSTS.gateway_round)
        self.assertAlmostEqual(fleet.measures.ready[0], expected, delta=0.05 * expected)

    def test_other_keys_add_slices(self):
        fleet = Fleet(1, records=10_000, other_keys=30_000)
        fleet.start()
        fleet.run(10, lambda: fleet.all_ready)
        self.assertEqual(fleet.redis.commands["HMGET"], 10_000)
        self.assertEqual(fleet.redis.commands["SCAN"], 40)

    def test_a_revocation_takes_a_write_a_wake_and_a_round(self):
        fleet = Fleet(1, rate=0.5)
        fleet.start()
        fleet.run(200)
        # To Redis, to the gateway, and a round.
        expected = 4 * NEAR + COSTS.write + COSTS.wake / 2 + COSTS.gateway_round + COSTS.round + COSTS.named_record
        self.assertAlmostEqual(percentile(fleet.measures.latencies, 0.5), expected, delta=0.1 * expected)
        self.assertEqual(fleet.measures.violations, 0)


class Capacity(unittest.TestCase):
    # Redis is a hundred times slower, so that few events show its capacity.
    slow = dataclasses.replace(COSTS, named_record=2e-4, entry=5e-5, round=1e-4, wake=2e-4, write=1e-4)

    def lag(self, rate, seconds=20):
        fleet = Fleet(20, rate=rate, costs=self.slow)
        fleet.start(warm=True)
        fleet.run(seconds / 2)
        half = fleet.lag()
        fleet.run(seconds)
        return half, fleet.lag(), fleet.utilization(seconds / 2, seconds)

    def test_below_the_capacity_the_lag_is_bounded(self):
        # 20 gateways * 250 us * 100/s = 50 %.
        half, end, busy = self.lag(100)
        self.assertLess(end, 20)
        self.assertTrue(0.5 < busy < 0.95, busy)
        self.assertLess(half, 20)

    def test_above_the_capacity_the_lag_grows(self):
        # 20 gateways * 250 us * 400/s = 200 %.
        half, end, busy = self.lag(400)
        self.assertGreater(busy, 0.98)
        self.assertGreater(half, 800)
        self.assertGreater(end, 1.7 * half)

    def test_simultaneous_readings_share_redis(self):
        fleet = Fleet(20, records=20_000)
        fleet.start()
        fleet.run(60, lambda: fleet.all_ready)
        expected = 20 * 20_000 * COSTS.record
        self.assertAlmostEqual(max(fleet.measures.ready.values()), expected, delta=0.1 * expected)

    def test_a_round_longer_than_its_timeout_never_completes_a_reading(self):
        # 20 gateways * 1,000 records * 0.4 ms = 8 s for each round.
        slow = dataclasses.replace(COSTS, record=4e-4)
        fleet = Fleet(20, records=5_000, costs=slow)
        fleet.start()
        fleet.run(200)
        self.assertLess(len(fleet.measures.ready), 3)
        self.assertGreater(fleet.measures.timeouts, 50)
        # With half of the gateways, the same readings complete.
        fleet = Fleet(10, records=5_000, costs=slow)
        fleet.start()
        fleet.run(200)
        self.assertTrue(fleet.all_ready)
        self.assertEqual(fleet.measures.timeouts, 0)


class Faults(unittest.TestCase):
    def test_a_failover_makes_every_gateway_read_everything(self):
        fleet = Fleet(10, records=20_000, rate=100)
        fleet.start(warm=True)
        fleet.run(10)
        fleet.fail_over(after=2.3, lost=5)
        fleet.run(30)
        self.assertEqual(fleet.measures.readings["gap"], 10)
        self.assertGreater(fleet.measures.refused, 150)
        self.assertEqual(fleet.measures.violations, 0)
        self.assertTrue(all(g.is_whole and g.followed is fleet.redis for g in fleet.gateways))

    def test_a_long_reading_makes_views_stale(self):
        timing = dataclasses.replace(Timing(), max_staleness=1)
        fleet = Fleet(10, records=100_000, timing=timing)
        fleet.start(warm=True)
        fleet.run(5)
        fleet.fail_over(after=0.1, lost=0)
        fleet.run(20)
        # 10 gateways * 100,000 records * 2.6 us = 2.6 s, of which 1 s is permitted.
        self.assertAlmostEqual(fleet.measures.unavailable / 10, 1.6, delta=0.5)

    def test_a_cut_link_is_caught_up_without_a_reading(self):
        fleet = Fleet(4, rate=100, regions=2)
        fleet.start(warm=True)
        fleet.run(10)
        fleet.cut(1)
        fleet.run(100)
        fleet.restore(1)
        fleet.run(120)
        fleet.finish()
        self.assertEqual(fleet.measures.readings["gap"], 0)
        self.assertLess(fleet.lag(), 100)
        # Two gateways, stale from 60 s after their last confirmation.
        self.assertTrue(50 < fleet.measures.unavailable < 75, fleet.measures.unavailable)
        self.assertEqual(fleet.measures.violations, 0)

    def test_a_trimmed_stream_makes_a_gateway_read_everything(self):
        timing = dataclasses.replace(Timing(), stream=2_000)
        fleet = Fleet(4, records=5_000, rate=100, regions=2, timing=timing)
        fleet.start(warm=True)
        fleet.run(10)
        fleet.cut(1)
        fleet.run(60)
        fleet.restore(1)
        fleet.run(80)
        self.assertEqual(fleet.measures.readings["gap"], 2)
        self.assertLess(fleet.lag(), 100)


class Defects(unittest.TestCase):
    def run_with(self, defect):
        fleet = Fleet(4, rate=200, defect=defect)
        fleet.start(warm=True)
        fleet.run(20)
        return fleet

    def is_complete(self, fleet):
        reached = min(gateway.applied for gateway in fleet.gateways)
        return all(fleet.measures.copies[number] == 4 for number in fleet.measures.sent if number <= reached - 1000)

    def test_without_a_defect_every_gateway_applies_every_entry(self):
        fleet = self.run_with(None)
        self.assertTrue(self.is_complete(fleet))
        self.assertEqual(fleet.measures.violations, 0)

    def test_a_confirmation_before_the_records_are_read_is_seen(self):
        self.assertGreater(self.run_with("confirms-early").measures.violations, 0)

    def test_a_gateway_that_skips_entries_is_seen(self):
        self.assertFalse(self.is_complete(self.run_with("skips-entries")))


class Scenarios(unittest.TestCase):
    def test_a_failover_that_is_simulated_in_part_has_the_time_of_the_whole_one(self):
        whole = scenarios.reading(10, 300_000, failover=True)
        scenarios.LARGEST_READING, limit = 0, scenarios.LARGEST_READING
        try:
            part = scenarios.reading(10, 10_000_000, failover=True, window=5)
        finally:
            scenarios.LARGEST_READING = limit
        # The first 3 s of the whole one are the failover itself.
        self.assertAlmostEqual((whole["all read after"] - 3) * 100 / 3, part["all read after"], delta=60)

    def test_far_gateways_are_current_again_after_a_cut(self):
        row = scenarios.link_down(4, 10, 70)
        self.assertTrue(5 < row["503 per far gateway"] < 25, row)
        self.assertEqual(row["503 of near gateways"], 0)
        self.assertEqual(row["violations"], 0)

    def test_every_table_has_its_columns(self):
        self.assertEqual(set(run.SETS), set(run.COLUMNS))
        row = scenarios.memory(1_000_000, 100)
        self.assertEqual(run.table([row], run.COLUMNS["memory"]).splitlines()[-1], "| 1,000,000 | 100 | 131 | 0.2 |")


class Repetition(unittest.TestCase):
    def test_the_same_seed_has_the_same_result(self):
        def result(seed):
            fleet = Fleet(5, records=2_000, rate=200, regions=2, seed=seed)
            fleet.start(spread=1)
            fleet.run(10)
            return fleet.measures.latencies, fleet.redis.commands, fleet.redis.busy

        self.assertEqual(result(7), result(7))
        self.assertNotEqual(result(7)[0], result(8)[0])


if __name__ == "__main__":
    unittest.main()
