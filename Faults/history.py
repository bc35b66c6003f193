"""The history of a run: one JSON object per line, with monotonic and wall times in seconds."""

import json
import time


class History:
    """Records events. The events of operations have `invoke` and `complete`, all others have `at`."""

    def __init__(self, path):
        self.file = open(path, "w", buffering=1 << 16)
        self.counts = {}

    def record(self, kind, **fields):
        if "invoke" not in fields:
            fields.setdefault("at", time.monotonic())
        event = {"kind": kind, **fields, "wall": round(time.time(), 6)}
        self.file.write(json.dumps(event, separators=(",", ":")) + "\n")
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return event

    def close(self):
        self.file.close()


def read(path):
    """Returns the events of a file. A line that was cut off at the end of a killed run is omitted."""
    events = []
    with open(path) as file:
        for line in file:
            if line.endswith("\n"):
                events.append(json.loads(line))
    return events
