/// What one worker counts while it serves: plain numbers in one fixed block of memory, made before the first request.
///
/// Owned by one event loop, so nothing here is atomic or locked; counting is an addition to a known address. Another thread gets
/// the numbers by asking the worker's loop for a `snapshot()`.
package final class WorkerCounters {
    /// Things that happened, each a number that only grows.
    package enum Counter: Int, CaseIterable, Sendable {
        case tokenCacheHits, tokenCacheMisses, tokenCacheEvictions
        case connectionsAccepted, connectionsRefused
        /// Idle connections that ended to make room for others.
        case connectionsEvicted
        /// TLS handshakes that failed or took too long; connections without a PROXY header that may be believed.
        case handshakeFailures, proxyHeaderFailures
        case bytesReceived, bytesSent
        /// Requests let through by a route's `on_store_failure: allow` although the store could not say.
        case storeFailuresAllowed
        /// Strict revocation and sign-in reads that went to the store.
        case storeReads, storeReadFailures
        case accessLogDropped
        /// Decisions by rules: they let the request pass, did not, failed or reached a limit, or asked for a later or stronger sign-in.
        case rulesAllowed, rulesDenied, rulesFailed, rulesSteppedUp
        /// Streams that were opened: tunnels, and answers that go on; and those that ended with their permission.
        case streamsTunneled, streamsAnswered, streamsRefused
    }

    /// Things that are, each a number that rises and falls.
    package enum Gauge: Int, CaseIterable, Sendable {
        case connectionsOpen, requestsInFlight, tokenCacheEntries, streamsOpen
    }

    /// What happens with one upstream.
    package enum UpstreamCounter: Int, CaseIterable, Sendable {
        case requests, connects, connectFailures, retries, timeouts
        /// Requests sent once more, by why: the connection ended, the status, no answer in time; and those that the budget did not allow.
        case retriesReset, retriesStatus, retriesTimeout, retriesRefused
        /// Answers by the first digit of their status, `status1xx` to `status5xx` in order.
        case status1xx, status2xx, status3xx, status4xx, status5xx
    }

    /// What one upstream's pool holds.
    package enum UpstreamGauge: Int, CaseIterable, Sendable {
        case connectionsIdle, connectionsBusy, requestsWaiting
    }

    /// What is timed. `request`: from a complete head to the last byte of the answer. `upstream`: from the forwarded head to the answer's first
    /// byte. `decision`: from a complete head to the permit or the denial, waits included.
    /// `storeRead`: from the question to a shared store to its answer, or to giving up. `queue`: from the permit to an upstream connection that
    /// takes the request, opening one included. `connect`: opening a connection to an upstream's server, TLS included. `handshake`: a client's
    /// TLS handshake.
    package enum Timing: Int, CaseIterable, Sendable {
        case request, upstream, decision, storeRead, queue, connect, handshake
    }

    /// How many routes are counted apart, besides "no route".
    package let routes: Int
    /// How many upstreams are counted apart.
    package let upstreams: Int
    // One allocation, a `let` pointer: an access costs neither a uniqueness nor an exclusivity check.
    private let cells: UnsafeMutablePointer<UInt64>
    private let layout: CounterLayout

    /// Zeroed counters for `routes` routes (besides "no route") and `upstreams` upstreams; `routes` times 264 bytes of memory.
    package init(routes: Int, upstreams: Int) {
        self.routes = routes
        self.upstreams = upstreams
        layout = CounterLayout(routes: routes, upstreams: upstreams)
        cells = .allocate(capacity: layout.count)
        cells.initialize(repeating: 0, count: layout.count)
    }

    package convenience init(_ indices: MetricIndices) {
        self.init(routes: indices.routeCapacity, upstreams: indices.upstreamCapacity)
    }

    deinit {
        cells.deallocate()
    }

    /// Counts a finished request. `route` is its index, -1 where none was found; other values count as none.
    @inline(__always)
    package func count(_ code: DecisionCode, route: Int) {
        let row = route >= 0 && route < routes ? route &+ 1 : 0
        cells[row &* DecisionCode.count &+ Int(truncatingIfNeeded: code.rawValue)] &+= 1
    }

    /// Counts a request that a phase denied.
    @inline(__always)
    package func countDenial(in phase: DecisionPhase) {
        cells[layout.denials &+ Int(truncatingIfNeeded: phase.rawValue)] &+= 1
    }

    /// Adds to a counter.
    @inline(__always)
    package func add(_ amount: UInt64 = 1, to counter: Counter) {
        cells[layout.counters &+ counter.rawValue] &+= amount
    }

    /// Moves a gauge up or down.
    @inline(__always)
    package func adjust(_ gauge: Gauge, by amount: Int64) {
        cells[layout.gauges &+ gauge.rawValue] &+= UInt64(bitPattern: amount)
    }

    /// Sets a gauge.
    @inline(__always)
    package func set(_ gauge: Gauge, to value: Int64) {
        cells[layout.gauges &+ gauge.rawValue] = UInt64(bitPattern: value)
    }

    /// Adds to a counter of an upstream. An index out of range is ignored.
    @inline(__always)
    package func add(_ amount: UInt64 = 1, to counter: UpstreamCounter, upstream: Int) {
        guard upstream >= 0, upstream < upstreams else { return }
        cells[layout.upstreams &+ upstream &* CounterLayout.upstreamRow &+ counter.rawValue] &+= amount
    }

    /// Counts an upstream's answer by the first digit of its status.
    @inline(__always)
    package func countStatus(_ status: Int, upstream: Int) {
        guard status >= 100, status < 600, upstream >= 0, upstream < upstreams else { return }
        let column = UpstreamCounter.status1xx.rawValue &+ status / 100 &- 1
        cells[layout.upstreams &+ upstream &* CounterLayout.upstreamRow &+ column] &+= 1
    }

    /// Moves a gauge of an upstream's pool up or down. An index out of range is ignored.
    @inline(__always)
    package func adjust(_ gauge: UpstreamGauge, by amount: Int64, upstream: Int) {
        guard upstream >= 0, upstream < upstreams else { return }
        let column = CounterLayout.upstreamGauges &+ gauge.rawValue
        cells[layout.upstreams &+ upstream &* CounterLayout.upstreamRow &+ column] &+= UInt64(bitPattern: amount)
    }

    /// Sets a gauge of an upstream's pool. An index out of range is ignored.
    @inline(__always)
    package func set(_ gauge: UpstreamGauge, to value: Int64, upstream: Int) {
        guard upstream >= 0, upstream < upstreams else { return }
        let column = CounterLayout.upstreamGauges &+ gauge.rawValue
        cells[layout.upstreams &+ upstream &* CounterLayout.upstreamRow &+ column] = UInt64(bitPattern: value)
    }

    /// Records how long something took.
    @inline(__always)
    package func record(_ timing: Timing, nanoseconds: UInt64) {
        let row = layout.timings &+ timing.rawValue &* CounterLayout.timingRow
        cells[row &+ LatencyBuckets.index(nanoseconds: nanoseconds)] &+= 1
        cells[row &+ LatencyBuckets.count] &+= nanoseconds
    }

    /// Forgets what rows counted that are given to others.
    package func clear(_ rows: MetricIndices.Cleared) {
        for route in rows.routes where route < routes {
            (cells + (route + 1) * DecisionCode.count).update(repeating: 0, count: DecisionCode.count)
        }
        for upstream in rows.upstreams where upstream < upstreams {
            let row = layout.upstreams + upstream * CounterLayout.upstreamRow
            (cells + row).update(repeating: 0, count: CounterLayout.upstreamRow)
        }
    }

    /// A copy of all numbers, to be handed to another thread. Call it on the worker's loop.
    package func snapshot() -> CountersSnapshot {
        CountersSnapshot(layout: layout, cells: Array(UnsafeBufferPointer(start: cells, count: layout.count)))
    }
}
