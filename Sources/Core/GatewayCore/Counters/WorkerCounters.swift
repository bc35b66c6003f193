/// The counters of one worker in one fixed block of memory, allocated before the first request.
///
/// One event loop owns them, so they are neither atomic nor locked; counting is an addition at a known address. Other
/// threads request a `snapshot()` from the worker's event loop.
package final class WorkerCounters {
    /// Counters, which only increase.
    package enum Counter: Int, CaseIterable, Sendable {
        case tokenCacheHits, tokenCacheMisses, tokenCacheEvictions
        case connectionsAccepted, connectionsRefused
        /// Idle connections that were closed in favour of new ones.
        case connectionsEvicted
        /// TLS handshakes that failed or timed out; connections without a trusted PROXY header.
        case handshakeFailures, proxyHeaderFailures
        case bytesReceived, bytesSent
        /// Requests that a route's `on_store_failure: allow` permitted although the store was not available.
        case storeFailuresAllowed
        /// Strict revocation and sign-in reads in the store.
        case storeReads, storeReadFailures
        case accessLogDropped
        /// Decisions by rules: permitted, denied, failed or beyond a limit, and challenged for a later or stronger
        /// sign-in.
        case rulesAllowed, rulesDenied, rulesFailed, rulesSteppedUp
        /// Opened streams: tunnels and streamed responses; and streams closed because the token expired or was revoked.
        case streamsTunneled, streamsAnswered, streamsRefused
        /// Requests on HTTP/2 streams, and streams that were refused because of the limit.
        case http2Requests, http2StreamsRefused
        /// HTTP/2 connections that ended with an error, by reason.
        case http2ProtocolErrors, http2Resets, http2ControlFrames, http2Continuations, http2Settings, http2Timeouts
        case http2EncodingErrors, http2PingTimeouts
        /// Introspection requests with a wrong credential of the client, and those that were denied before it was
        /// compared.
        case introspectionClientsRefused, introspectionClientsLimited
    }

    /// Gauges, which increase and decrease.
    package enum Gauge: Int, CaseIterable, Sendable {
        case connectionsOpen, requestsInFlight, tokenCacheEntries, streamsOpen, http2Connections, http2Streams
    }

    /// Counters of one upstream.
    package enum UpstreamCounter: Int, CaseIterable, Sendable {
        case requests, connects, connectFailures, retries, timeouts
        /// HTTP/2 connections that ended with an error: the server's GOAWAY with an error code, a violation of the
        /// protocol, a close with open streams, or no response to a PING.
        case goAways, protocolErrors, lostConnections, pingTimeouts
        /// Retries by reason: closed connection, status, timeout; and retries that the budget did not permit.
        case retriesReset, retriesStatus, retriesTimeout, retriesRefused
        /// Responses by the first digit of their status, `status1xx` to `status5xx` in order.
        case status1xx, status2xx, status3xx, status4xx, status5xx
    }

    /// Gauges of one upstream's pool.
    package enum UpstreamGauge: Int, CaseIterable, Sendable {
        case connectionsIdle, connectionsBusy, requestsWaiting, streamsOpen
    }

    /// Latency histograms of each route.
    /// - `request`: from a complete head to the last byte of the response.
    /// - `upstream`: from the forwarded head to the first byte of the response.
    /// - `decision`: from a complete head to the permit or the denial, including waits.
    package enum RouteTiming: Int, CaseIterable, Sendable {
        case request, upstream, decision
    }

    /// Other latency histograms.
    /// - `storeRead`: from a strict lookup to its result or timeout.
    /// - `queue`: from the permit to an upstream connection, including opening one.
    /// - `connect`: opening a connection to an upstream server, including TLS.
    /// - `handshake`: the TLS handshake of a client.
    package enum Timing: Int, CaseIterable, Sendable {
        case storeRead, queue, connect, handshake
    }

    /// The number of routes with separate counters, without "no route".
    package let routes: Int
    /// The number of upstreams with separate counters.
    package let upstreams: Int
    // One allocation with a `let` pointer: an access needs neither a uniqueness nor an exclusivity check.
    private let cells: UnsafeMutablePointer<UInt64>
    private let layout: CounterLayout
    private var appChecks = AppCheckCounts()

    /// Creates zeroed counters for `routes` routes (and "no route") and `upstreams` upstreams. Each route takes 264
    /// bytes.
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

    /// Counts a finished request. `route` is its index, -1 for "no route". An index out of range counts as "no route".
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

    /// Counts the result of checking an App Check token.
    ///
    /// - Parameters:
    ///   - app: The row of the verified app. -1 without one.
    ///   - route: The route as in `count`.
    package func count(_ result: AppCheckResult, app: Int, route: Int) {
        appChecks.add(to: AppCheckCounts.Key(route: route < routes ? route : -1, app: app, result: result))
    }

    /// Adds to a counter.
    @inline(__always)
    package func add(_ amount: UInt64 = 1, to counter: Counter) {
        cells[layout.counters &+ counter.rawValue] &+= amount
    }

    /// Adjusts a gauge.
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

    /// Counts an upstream's response by the first digit of its status.
    @inline(__always)
    package func countStatus(_ status: Int, upstream: Int) {
        guard status >= 100, status < 600, upstream >= 0, upstream < upstreams else { return }
        let column = UpstreamCounter.status1xx.rawValue &+ status / 100 &- 1
        cells[layout.upstreams &+ upstream &* CounterLayout.upstreamRow &+ column] &+= 1
    }

    /// Adjusts a gauge of an upstream's pool. An index out of range is ignored.
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

    /// Records a duration.
    @inline(__always)
    package func record(_ timing: Timing, nanoseconds: UInt64) {
        record(nanoseconds, in: layout.timings &+ timing.rawValue &* CounterLayout.timingRow)
    }

    /// Records a duration of a route's request, with the route as in `count`.
    @inline(__always)
    package func record(_ timing: RouteTiming, route: Int, nanoseconds: UInt64) {
        record(nanoseconds, in: layout.offset(of: timing, route: route))
    }

    @inline(__always)
    private func record(_ nanoseconds: UInt64, in row: Int) {
        cells[row &+ LatencyBuckets.index(nanoseconds: nanoseconds)] &+= 1
        cells[row &+ LatencyBuckets.count] &+= nanoseconds
    }

    /// Clears the rows that were reassigned.
    package func clear(_ rows: MetricIndices.Cleared) {
        for route in rows.routes where route < routes {
            (cells + (route + 1) * DecisionCode.count).update(repeating: 0, count: DecisionCode.count)
            appChecks.clear(route: route)
            guard route < layout.timedRoutes else { continue }
            let histograms = cells + layout.offset(of: .request, route: route)
            histograms.update(repeating: 0, count: CounterLayout.routeTimingBlock)
        }
        for upstream in rows.upstreams where upstream < upstreams {
            let row = layout.upstreams + upstream * CounterLayout.upstreamRow
            (cells + row).update(repeating: 0, count: CounterLayout.upstreamRow)
        }
    }

    /// Returns a copy of all numbers for another thread. Must be called on the worker's event loop.
    package func snapshot() -> CountersSnapshot {
        CountersSnapshot(
            layout: layout, cells: Array(UnsafeBufferPointer(start: cells, count: layout.count)), appChecks: appChecks)
    }
}
