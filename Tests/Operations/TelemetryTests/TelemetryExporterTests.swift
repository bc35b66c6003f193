import GatewayConfiguration
import GatewayCore
import Observability
import Synchronization
import Testing

@testable import CoreFixtures
@testable import OutboundHTTP
@testable import SystemFixtures
@testable import Telemetry

/// The loops of the export, with a clock that the test advances.
@Suite struct TelemetryExporterTests {
    private let time = KeyTestTime()
    private let transport = FakeTransport()
    private let exporter: TelemetryExporter
    private static let endpoint = "http://127.0.0.1:4318"

    init() {
        let (time, transport) = (time, transport)
        exporter = TelemetryExporter(
            ExportEnvironment(
                clock: time.clock, logger: LogLines().logger, version: "1", makeTransport: { transport },
                sleep: { try await time.sleep(until: time.now + $0) }, random: { 0 }))
        transport.always { _ in .success(OutboundResponse(status: 200, retryAfter: nil, body: [])) }
    }

    private func settings(_ change: (inout Configuration.Telemetry) -> Void = { _ in }) -> Configuration.Telemetry {
        var settings = Configuration.Telemetry(endpoint: Self.endpoint)
        settings.traces?.queue = 64
        settings.traces?.batch = 10
        change(&settings)
        return settings
    }

    private func start(_ settings: Configuration.Telemetry?) {
        exporter.start(settings) {
            MetricsSnapshot(families: [MetricFamily("a_total", help: "", .counters([MetricSample([], 1)]))])
        }
    }

    private func add(_ count: Int) { exporter.spans.add((1...UInt64(count)).map { testSpan($0) }) }

    /// The number of spans in each request so far.
    private var exported: [Int] {
        transport.calls.filter { $0.request.url.hasSuffix("/v1/traces") }.map {
            $0.request.bodyText.occurrences(of: "\"traceId\"")
        }
    }

    private var metricRequests: Int { transport.calls.count { $0.request.url.hasSuffix("/v1/metrics") } }

    /// Waits until `count` tasks sleep.
    private func asleep(_ count: Int) async throws {
        try await eventually("\(count) sleeping tasks") { time.sleeping == count ? true : nil }
    }

    @Test func `waiting spans are exported after the interval`() async throws {
        start(settings())
        try await asleep(2)
        add(3)
        time.advance(seconds: 0.2)
        try await asleep(2)
        #expect(exported.isEmpty)
        time.advance(seconds: 5)
        try await asleep(2)
        #expect(exported == [3] && exporter.reading?.waitingSpans == 0)
        await exporter.stop()
    }

    @Test func `a full batch is exported before the interval, and a rest waits`() async throws {
        start(settings())
        try await asleep(2)
        add(25)
        time.advance(seconds: 0.2)
        try await asleep(2)
        #expect(exported == [10, 10] && exporter.reading?.waitingSpans == 5)
        await exporter.stop()
    }

    @Test func `metrics are exported at their interval`() async throws {
        start(settings { $0.traces = nil })
        try await asleep(1)
        time.advance(seconds: 59)
        #expect(metricRequests == 0)
        time.advance(seconds: 1)
        try await eventually("metrics") { metricRequests == 1 ? true : nil }
        try await asleep(1)
        #expect(exporter.reading?.signals.map(\.name) == ["metrics"])
        #expect(exporter.reading?.signals.first?.counts.exported == 1)
        await exporter.stop()
    }

    @Test func `a disabled export does nothing`() async throws {
        start(nil)
        add(3)
        #expect(exporter.reading == nil && time.sleeping == 0)
        await exporter.stop()
        #expect(transport.count == 0)
    }

    @Test func `while a receiver fails, spans beyond the queue are dropped and counted`() async throws {
        transport.always { _ in .success(OutboundResponse(status: 503, retryAfter: nil, body: [])) }
        start(settings { $0.metrics = nil })
        try await asleep(1)
        add(10)
        time.advance(seconds: 0.2)
        // The back-off of the first attempt.
        try await eventually("an attempt") { transport.count == 1 ? true : nil }
        try await asleep(1)
        add(100)
        #expect(exporter.spans.count == 64 && exporter.reading?.signals.first?.counts.overflowed == 36)
        await exporter.stop()
    }

    @Test func `the stop exports the waiting spans without retries`() async throws {
        start(settings())
        try await asleep(2)
        add(25)
        await exporter.stop()
        #expect(exported == [10, 10, 5] && metricRequests == 1 && transport.isShutDown)
    }

    @Test func `the stop ends after the first failure`() async throws {
        transport.always { _ in .failure(LookupFailure(.unreachable)) }
        start(settings())
        try await asleep(2)
        add(25)
        await exporter.stop()
        #expect(exported == [10] && metricRequests == 1)
    }

    @Test func `the stop is bounded while the receiver does not respond`() async throws {
        transport.always(nil)
        start(settings { $0.metrics = nil })
        try await asleep(1)
        add(3)
        async let stopped: Void = exporter.stop(within: .seconds(3))
        try await eventually("a request without a response") { transport.count == 1 ? true : nil }
        try await asleep(1)
        time.advance(seconds: 3)
        try await eventually("the end of the connections") { transport.isShutDown ? true : nil }
        transport.answer(0, .failure(LookupFailure(.cancelled)))
        await stopped
    }

    @Test func `a reload keeps the waiting spans and sends them to the new receiver`() async throws {
        transport.always { request in
            let isNew = request.url.hasPrefix("http://127.0.0.1:9999")
            return .success(OutboundResponse(status: isNew ? 200 : 503, retryAfter: nil, body: []))
        }
        start(settings { $0.metrics = nil })
        try await asleep(1)
        add(10)
        time.advance(seconds: 0.2)
        try await eventually("an attempt") { transport.count == 1 ? true : nil }
        exporter.adopt(settings { ($0.endpoint, $0.metrics) = ("http://127.0.0.1:9999", nil) })
        try await eventually("the new receiver") {
            transport.calls.last?.request.url.hasPrefix("http://127.0.0.1:9999") == true ? true : nil
        }
        #expect(exported.last == 10)
        await exporter.stop()
    }

    @Test func `a reload ends the request of a receiver that does not respond and keeps its spans`() async throws {
        transport.always { request in
            guard request.url.hasPrefix("http://127.0.0.1:9999") else { return nil }
            return .success(OutboundResponse(status: 200, retryAfter: nil, body: []))
        }
        start(settings { $0.metrics = nil })
        try await asleep(1)
        add(10)
        time.advance(seconds: 0.2)
        try await eventually("a request without a response") { transport.count == 1 ? true : nil }
        exporter.adopt(settings { ($0.endpoint, $0.metrics) = ("http://127.0.0.1:9999", nil) })
        try await eventually("the end of the connections") { transport.isShutDown ? true : nil }
        transport.answer(0, .failure(LookupFailure(.cancelled)))
        try await eventually("the new receiver") { transport.count == 2 ? true : nil }
        #expect(exported == [10, 10])
        try await eventually("the response") { exporter.reading?.signals.first?.counts.exported == 10 ? true : nil }
        #expect(exporter.reading?.signals.first?.counts.lost == 0)
        await exporter.stop()
    }

    @Test func `the stop sends the spans of a running request again`() async throws {
        transport.always(nil)
        start(settings { $0.metrics = nil })
        try await asleep(1)
        add(10)
        time.advance(seconds: 0.2)
        try await eventually("a request without a response") { transport.count == 1 ? true : nil }
        transport.always { _ in .success(OutboundResponse(status: 200, retryAfter: nil, body: [])) }
        async let stopped: Void = exporter.stop()
        try await eventually("the end of the connections") { transport.isShutDown ? true : nil }
        transport.answer(0, .failure(LookupFailure(.cancelled)))
        await stopped
        #expect(exported == [10, 10])
    }

    @Test func `unchanged settings restart nothing`() async throws {
        start(settings())
        try await asleep(2)
        exporter.adopt(settings())
        #expect(time.sleeping == 2)
        await exporter.stop()
    }

    @Test func `an export that is disabled by a reload ends, and can be enabled again`() async throws {
        start(settings())
        try await asleep(2)
        exporter.adopt(nil)
        try await asleep(0)
        #expect(exporter.reading == nil)
        exporter.adopt(settings { $0.metrics = nil })
        try await asleep(1)
        add(10)
        time.advance(seconds: 0.2)
        try await eventually("spans") { exported == [10] ? true : nil }
        await exporter.stop()
    }
}

extension String {
    /// The number of occurrences of a text.
    fileprivate func occurrences(of text: String) -> Int { ranges(of: text).count }
}
