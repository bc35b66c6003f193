package import GatewayConfiguration
import GatewayCore
import Logging
package import Observability
import OutboundHTTP
import Synchronization
import TextCoding

/// The export of traces and metrics by OTLP/HTTP in JSON.
///
/// It uses neither the event loops of requests nor their memory: requests put completed spans into a bounded queue. A
/// slow or failing receiver costs spans, which are counted, and never delays a request.
package final class TelemetryExporter: Sendable {
    private struct State {
        var settings: Configuration.Telemetry?
        var collect: (@Sendable () async -> MetricsSnapshot)?
        var transport: (any OutboundTransport)?
        var task: Task<Void, Never>?
        var isStopped = false

        /// Cancels the export. Returns its task, and its transport, whose shutdown ends a running request.
        mutating func release() -> (task: Task<Void, Never>?, transport: (any OutboundTransport)?) {
            task?.cancel()
            defer { (task, transport) = (nil, nil) }
            return (task, transport)
        }
    }

    /// The exporters of one configuration. `nil` for a disabled signal.
    private struct Exporters: Sendable {
        var spans: SpanExporter?
        var metrics: MetricsExporter?
    }

    /// The spans that wait for export.
    package let spans = SpanQueue()
    private let environment: ExportEnvironment
    /// The value of `service.instance.id`.
    private let instance = TelemetryExporter.randomUUID()
    /// The start of the process in nanoseconds since 1970.
    private let start: UInt64
    private let ledgers: [Signal: ExportLedger]
    private let state = Mutex(State())

    /// Creates an exporter without a receiver.
    package init(_ environment: ExportEnvironment) {
        self.environment = environment
        start = environment.clock.nanoseconds()
        ledgers = Dictionary(uniqueKeysWithValues: Signal.allCases.map { ($0, ExportLedger()) })
    }

    /// Starts the export. Call it once.
    ///
    /// - Parameters:
    ///   - settings: The settings. `nil` if the export is disabled.
    ///   - collect: Returns the current metrics.
    package func start(
        _ settings: Configuration.Telemetry?, collect: @escaping @Sendable () async -> MetricsSnapshot
    ) {
        state.withLock { $0.collect = collect }
        adopt(settings)
    }

    /// Replaces the settings. A running request ends at once; its spans and the waiting ones are kept.
    package func adopt(_ settings: Configuration.Telemetry?) {
        state.withLock { state in
            guard !state.isStopped, settings != state.settings else { return }
            state.settings = settings
            spans.setLimit(settings?.traces?.queue ?? 0)
            let (previous, transport) = state.release()
            let exporters = settings.map { self.exporters($0, &state) } ?? Exporters()
            state.task = Task {
                await transport?.shutdown()
                await previous?.value
                await withDiscardingTaskGroup { group in
                    if let spans = exporters.spans { group.addTask { await spans.run() } }
                    if let metrics = exporters.metrics { group.addTask { await metrics.run() } }
                }
            }
        }
    }

    /// Exports the waiting spans and the metrics once more, for at most `limit`, and closes the connections.
    package func stop(within limit: Duration = stopLimit) async {
        let ((task, former), transport, exporters) = state.withLock { state in
            state.isStopped = true
            let released = state.release()
            let exporters = state.settings.map { self.exporters($0, &state) }
            return (released, state.transport, exporters)
        }
        await former?.shutdown()
        await task?.value
        guard let transport else { return }
        // Requests of a closed client fail at once.
        let timer = Task { [environment] in
            try await environment.sleep(limit.nanoseconds)
            await transport.shutdown()
        }
        await withDiscardingTaskGroup { group in
            if let spans = exporters?.spans { group.addTask { await spans.flush() } }
            if let metrics = exporters?.metrics { group.addTask { await metrics.export(mayRetry: false) } }
        }
        timer.cancel()
        await transport.shutdown()
    }

    /// The maximum duration of the last export.
    package static let stopLimit = Duration.seconds(3)

    /// The counters of the export. `nil` if it is disabled.
    package var reading: TelemetryReading? {
        guard let settings = state.withLock({ $0.settings }) else { return nil }
        let signals = Signal.allCases.compactMap { signal -> TelemetryReading.Signal? in
            guard signal == .traces ? settings.traces != nil : settings.metrics != nil else { return nil }
            var counts = ledgers[signal]?.counts ?? TelemetryReading.Counts()
            if signal == .traces { counts.overflowed = spans.dropped }
            return TelemetryReading.Signal(name: signal.rawValue, counts: counts)
        }
        return TelemetryReading(signals: signals, waitingSpans: spans.count)
    }

    private func exporters(_ settings: Configuration.Telemetry, _ state: inout State) -> Exporters {
        let transport = environment.makeTransport()
        state.transport = transport
        let origin = OTLPOrigin(
            service: settings.serviceName, version: environment.version, instance: instance,
            configured: settings.resourceAttributes.map { ($0.name, $0.value) })
        var exporters = Exporters()
        if let traces = settings.traces, let ledger = ledgers[.traces] {
            let sender = OTLPSender(.traces, settings, transport: transport, ledger: ledger, environment)
            exporters.spans = SpanExporter(
                settings: traces, queue: spans, sender: sender, origin: origin, environment: environment)
        }
        if let metrics = settings.metrics, let collect = state.collect, let ledger = ledgers[.metrics] {
            let sender = OTLPSender(.metrics, settings, transport: transport, ledger: ledger, environment)
            exporters.metrics = MetricsExporter(
                interval: metrics.interval.nanoseconds, collect: collect, sender: sender, origin: origin, start: start,
                environment: environment)
        }
        return exporters
    }

    /// Returns a random UUID (RFC 9562, version 4).
    private static func randomUUID() -> String {
        let high = UInt64.random(in: 0 ... .max) & ~0xF000 | 0x4000
        let low = UInt64.random(in: 0 ... .max) & ~(3 << 62) | 2 << 62
        let digits = Array(HexDigits.text(of: (high, low)))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
