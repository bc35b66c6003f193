import GatewayConfiguration
import GatewayCore
import Observability

/// The export of waiting spans: as soon as a batch is full, and at intervals.
struct SpanExporter: Sendable {
    /// The interval at which the queue is examined, in nanoseconds. A queue of the default size, 2,048 spans, fills
    /// within it only at more than 100,000 spans a second.
    static let pollInterval: UInt64 = 20_000_000

    let settings: Configuration.Telemetry.Traces
    let queue: SpanQueue
    let sender: OTLPSender
    let origin: OTLPOrigin
    let environment: ExportEnvironment

    /// Exports until the task is cancelled.
    func run() async {
        let interval = settings.interval.nanoseconds
        var due = environment.clock.monotonic() &+ interval
        while !Task.isCancelled {
            if queue.count >= settings.batch || environment.clock.monotonic() >= due {
                repeat {} while await exportBatch() == .accepted && queue.count >= settings.batch
                due = environment.clock.monotonic() &+ interval
            }
            do {
                try await environment.sleep(min(interval, Self.pollInterval))
            } catch {
                return
            }
        }
    }

    /// Exports all waiting spans without retries. It ends with the first failure.
    func flush() async {
        repeat {} while await exportBatch(mayRetry: false) == .accepted
    }

    /// Exports the oldest spans. `nil` if none waits.
    private func exportBatch(mayRetry: Bool = true) async -> OTLPSender.Result? {
        let spans = queue.take(atMost: settings.batch)
        guard !spans.isEmpty else { return nil }
        let (body, count) = OTLPTraces.body(of: spans, from: origin)
        queue.putBack(Array(spans.dropFirst(count)))
        let result = await sender.send(body, items: count, mayRetry: mayRetry)
        // The next configuration exports them.
        if result == .cancelled { queue.putBack(Array(spans.prefix(count))) }
        return result
    }
}

/// The export of all metrics at intervals.
struct MetricsExporter: Sendable {
    /// A function that returns the current metrics.
    typealias Collect = @Sendable () async -> MetricsSnapshot

    let interval: UInt64
    let collect: Collect
    let sender: OTLPSender
    let origin: OTLPOrigin
    /// The start of the process in nanoseconds since 1970.
    let start: UInt64
    let environment: ExportEnvironment

    /// Exports until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                try await environment.sleep(interval)
            } catch {
                return
            }
            await export()
        }
    }

    /// Exports the current metrics. They are cumulative, so that a lost request is made good by the next one.
    func export(mayRetry: Bool = true) async {
        let metrics = await collect()
        let bodies = OTLPMetrics.bodies(of: metrics, from: origin, start: start, time: environment.clock.nanoseconds())
        for body in bodies {
            let result = await sender.send(body.bytes, items: body.points, mayRetry: mayRetry)
            guard result == .accepted else { return }
        }
    }
}
