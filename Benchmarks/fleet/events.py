"""The queue of events of the simulation, and the network."""

import heapq
import random


class Clock:
    """The queue of events. Events of the same time run in the order in which they were added."""

    def __init__(self, seed=1):
        self.now, self.random, self.count = 0.0, random.Random(seed), 0
        self.events = []

    def at(self, time, action, *arguments):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, action, arguments))

    def run(self, until, stop=lambda: False):
        """Runs events up to a time, or until `stop` holds, which is checked every thousand events."""
        steps = 0
        while self.events and self.events[0][0] <= until:
            self.now, _, action, arguments = heapq.heappop(self.events)
            action(*arguments)
            steps += 1
            if steps % 1000 == 0 and stop():
                return
        self.now = max(self.now, until)


class Link:
    """The network between one region and Redis."""

    def __init__(self, delay):
        self.delay, self.is_up = delay, True
