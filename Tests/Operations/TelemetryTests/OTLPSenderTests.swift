import GatewayConfiguration
import GatewayCore
import Observability
import Synchronization
import Testing

@testable import CoreFixtures
@testable import OutboundHTTP
@testable import Telemetry

@Suite struct ExportRetryTests {
    private func delays(_ failure: ExportFailure, random: UInt64) -> [UInt64] {
        var retry = ExportRetry()
        return (0..<10).compactMap { _ in retry.delay(after: failure, random: random) }
    }

    private func status(_ status: Int, retryAfter: String? = nil) -> ExportFailure {
        ExportFailure(OutboundResponse(status: status, retryAfter: retryAfter, body: []), now: 1_700_000_000)
    }

    @Test(arguments: [429, 502, 503, 504]) func `a transient status is retried four times`(code: Int) {
        #expect(delays(status(code), random: 0) == [500_000_000, 1_000_000_000, 2_000_000_000, 4_000_000_000])
    }

    @Test(arguments: [301, 400, 401, 403, 404, 405, 408, 413, 500, 501, 505])
    func `any other status is final`(code: Int) {
        #expect(delays(status(code), random: 0).isEmpty)
    }

    @Test func `the delay is random between half of the back-off and all of it`() {
        for random in [0, 1, 499_999_999, 500_000_000, .max] as [UInt64] {
            let first = delays(status(503), random: random)[0]
            #expect((500_000_000...1_000_000_000).contains(first))
        }
        #expect(delays(status(503), random: 500_000_000)[0] == 1_000_000_000)
    }

    @Test(arguments: [("7", 7), ("0", 1), ("999999", 60), ("Tue, 14 Nov 2023 22:13:30 GMT", 10), ("soon", nil)])
    func `the receiver's Retry-After replaces the back-off, within its bounds`(value: String, seconds: UInt64?) {
        let first = delays(status(503, retryAfter: value), random: 0)[0]
        #expect(first == (seconds.map { $0 * 1_000_000_000 } ?? 500_000_000))
    }

    @Test(arguments: [
        (LookupFailure.Kind.unreachable, true), (.closed, true), (.timedOut, true), (.invalidURL, false),
        (.tooLarge, false), (.cancelled, false), (.invalidResponse, false),
    ])
    func `a failed connection is transient and an invalid response is final`(
        kind: LookupFailure.Kind, isTransient: Bool
    ) {
        #expect(ExportFailure(LookupFailure(kind)).isTransient == isTransient)
    }
}

@Suite struct OTLPSenderTests {
    private let transport = FakeTransport()
    private let ledger = ExportLedger()
    private let log = LogLines()

    private func sender(
        _ signal: Signal = .traces, sleep: @escaping @Sendable (UInt64) async throws -> Void = { _ in }
    ) -> OTLPSender {
        var settings = Configuration.Telemetry(endpoint: "https://otel.example/base")
        settings.headers = [.init(name: "X-Api-Key", value: Secret("s3cret"))]
        settings.timeout = .seconds(4)
        let environment = ExportEnvironment(
            clock: ManualClock().clock, logger: log.logger, version: "1", makeTransport: { [transport] in transport },
            sleep: sleep, random: { 0 })
        return OTLPSender(signal, settings, transport: transport, ledger: ledger, environment)
    }

    private func setReplies(_ replies: [(Int, String)]) {
        let rest = Mutex(replies)
        transport.always { _ in
            let (status, body) = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            return .success(OutboundResponse(status: status, retryAfter: nil, body: Array(body.utf8)))
        }
    }

    @Test func `a request is a POST of JSON with the configured headers`() async {
        setReplies([(200, "{}")])
        #expect(await sender().send([1, 2], items: 3) == .accepted)
        let call = transport.calls[0]
        #expect(call.request.url == "https://otel.example/base/v1/traces" && call.timeout == .seconds(4))
        #expect(call.request.field("Content-Type") == "application/json")
        #expect(call.request.field("X-Api-Key") == "s3cret" && call.request.body == [1, 2])
        #expect(await sender(.metrics).send([], items: 1) == .accepted)
        #expect(transport.calls[1].request.url == "https://otel.example/base/v1/metrics")
        #expect(ledger.counts.accepted == 2 && ledger.counts.exported == 4)
    }

    @Test func `a transient failure is retried after the back-off until the request is accepted`() async {
        setReplies([(503, ""), (429, ""), (200, "")])
        let delays = Mutex<[UInt64]>([])
        #expect(await sender(sleep: { delay in delays.withLock { $0.append(delay) } }).send([], items: 5) == .accepted)
        #expect(delays.withLock { $0 } == [500_000_000, 1_000_000_000])
        #expect(ledger.counts.failed == 2 && ledger.counts.accepted == 1 && ledger.counts.lost == 0)
    }

    @Test func `a request is given up after five attempts`() async {
        setReplies([(502, "")])
        #expect(await sender().send([], items: 5) == .lost)
        #expect(transport.count == 5 && ledger.counts.failed == 5 && ledger.counts.lost == 5)
    }

    @Test(arguments: [400, 401, 500]) func `a final failure is not retried`(status: Int) async {
        setReplies([(status, "")])
        #expect(await sender().send([], items: 5) == .lost)
        #expect(transport.count == 1 && ledger.counts.lost == 5)
    }

    @Test func `a cancelled wait keeps the items for the next configuration`() async {
        setReplies([(503, "")])
        let result = await sender(sleep: { _ in throw CancellationError() }).send([], items: 5)
        #expect(result == .cancelled && ledger.counts.lost == 0)
    }

    @Test(arguments: [
        (#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#, 2),
        (#"{"partialSuccess":{"rejectedSpans":2}}"#, 2), (#"{"partialSuccess":{"rejectedSpans":"99"}}"#, 5),
        (#"{"partialSuccess":{"rejectedSpans":"-1"}}"#, 0), (#"{"partialSuccess":{"errorMessage":"a warning"}}"#, 0),
        (#"{"partialSuccess":null}"#, 0), ("not JSON", 0), ("", 0),
    ])
    func `a partial success counts the rejected spans and is not retried`(body: String, rejected: UInt64) async {
        setReplies([(200, body)])
        #expect(await sender().send([], items: 5) == .accepted)
        #expect(ledger.counts.rejected == rejected && ledger.counts.exported == 5 - rejected)
        #expect(transport.count == 1)
    }

    @Test func `rejections are logged once a minute with their sum`() {
        #expect(ledger.rejected(0, now: 1) == nil && ledger.rejected(2, now: 1) == 2)
        #expect(ledger.rejected(3, now: 2) == nil && ledger.rejected(1, now: 60_000_000_000) == nil)
        #expect(ledger.rejected(1, now: 60_000_000_001) == 5)
    }

    @Test func `rejected data points are counted under their own name`() async {
        setReplies([(200, #"{"partialSuccess":{"rejectedDataPoints":"4","rejectedSpans":"1"}}"#)])
        #expect(await sender(.metrics).send([], items: 5) == .accepted)
        #expect(ledger.counts.rejected == 4)
    }

    @Test func `the log names the receiver, each failure once a minute, and no header`() async {
        setReplies([(503, ""), (503, ""), (503, ""), (200, "")])
        _ = await sender().send([], items: 5)
        #expect(log.all.map(\.message) == ["telemetry export failed", "telemetry export recovered"])
        #expect(log.text.contains("https://otel.example/base/v1/traces") && !log.text.contains("s3cret"))
    }
}
