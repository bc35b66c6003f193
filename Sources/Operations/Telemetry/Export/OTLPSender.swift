import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import Observability
import OutboundHTTP
import Synchronization

/// A kind of telemetry.
enum Signal: String, Sendable, CaseIterable {
    case traces, metrics

    /// The member of a partial success with the number of rejected items.
    var rejectedMember: String {
        switch self {
        case .traces: "rejectedSpans"
        case .metrics: "rejectedDataPoints"
        }
    }
}

/// The counters and the logged failures of one signal, which persist across configurations.
final class ExportLedger: Sendable {
    /// The interval between two log lines about rejected items, in nanoseconds.
    private static let rejectionInterval: UInt64 = 60_000_000_000

    private struct State {
        var counts = TelemetryReading.Counts()
        var log = FailureLog()
        /// The rejected items since the last line, and the monotonic time of the next one.
        var unlogged: UInt64 = 0
        var nextLine: UInt64 = 0
    }

    private let state = Mutex(State())

    var counts: TelemetryReading.Counts { state.withLock { $0.counts } }

    /// Records an accepted request. Returns the event to log, if any.
    func accepted(items: UInt64, rejected: UInt64) -> LookupEvent? {
        state.withLock { state in
            state.counts.accepted &+= 1
            state.counts.exported &+= items - min(rejected, items)
            state.counts.rejected &+= min(rejected, items)
            return state.log.succeeded()
        }
    }

    /// Records items that the receiver rejected. Returns their number since the last line if a line is due: at most one
    /// a minute.
    func rejected(_ items: UInt64, now: UInt64) -> UInt64? {
        guard items > 0 else { return nil }
        return state.withLock { state in
            state.unlogged &+= items
            guard now >= state.nextLine else { return nil }
            state.nextLine = now &+ Self.rejectionInterval
            defer { state.unlogged = 0 }
            return state.unlogged
        }
    }

    /// Records a failed request. Returns the event to log, if any.
    func failed(_ failure: LookupFailure, now: UInt64) -> LookupEvent? {
        state.withLock { state in
            state.counts.failed &+= 1
            return state.log.failed(failure, now: now)
        }
    }

    /// Records the items of a request that was given up.
    func lost(items: UInt64) {
        state.withLock { $0.counts.lost &+= items }
    }
}

/// The sender of one signal's requests. It waits for each response, and repeats a request as OTLP permits.
struct OTLPSender: Sendable {
    /// The maximum size of a response, in bytes.
    static let responseLimit = 64 << 10

    /// The result of a request.
    enum Result: Equatable {
        /// The receiver accepted the request, possibly not all of its items.
        case accepted
        /// The request was given up.
        case lost
        /// The task was cancelled during an attempt or before another one.
        case cancelled
    }

    private static let messages = LookupMessages(
        failing: "telemetry export failed", misconfigured: "the receiver rejected the headers of telemetry",
        recovered: "telemetry export recovered", overloaded: "telemetry export overloaded")

    private let signal: Signal
    private let url: String
    private let settings: Configuration.Telemetry
    private let transport: any OutboundTransport
    private let ledger: ExportLedger
    private let environment: ExportEnvironment

    init(
        _ signal: Signal, _ settings: Configuration.Telemetry, transport: any OutboundTransport, ledger: ExportLedger,
        _ environment: ExportEnvironment
    ) {
        self.signal = signal
        url = "\(settings.endpoint)/v1/\(signal.rawValue)"
        self.settings = settings
        self.transport = transport
        self.ledger = ledger
        self.environment = environment
    }

    /// Sends a body.
    ///
    /// - Parameters:
    ///   - items: The number of its spans or data points.
    ///   - mayRetry: Whether the request may be repeated.
    func send(_ body: [UInt8], items: Int, mayRetry: Bool = true) async -> Result {
        let items = UInt64(clamping: items)
        var retry = ExportRetry()
        while true {
            guard let failure = await attempt(body, items: items) else { return .accepted }
            guard !Task.isCancelled else { return .cancelled }
            log(ledger.failed(failure.cause, now: environment.clock.monotonic()))
            guard mayRetry, let delay = retry.delay(after: failure, random: environment.random()) else {
                ledger.lost(items: items)
                return .lost
            }
            do {
                try await environment.sleep(delay)
            } catch {
                return .cancelled
            }
        }
    }

    /// Sends a body once. Returns the failure, if any.
    private func attempt(_ body: [UInt8], items: UInt64) async -> ExportFailure? {
        var fields = [(name: "Content-Type", value: "application/json")]
        for header in settings.headers {
            fields.append((header.name, header.value.withBytes { String(decoding: $0, as: UTF8.self) }))
        }
        let request = OutboundRequest(method: .post, url: url, fields: fields, body: body)
        switch await transport.send(request, within: settings.timeout) {
        case .failure(let failure): return ExportFailure(failure)
        case .success(let response):
            guard (200..<300).contains(response.status) else {
                return ExportFailure(response, now: environment.clock.now())
            }
            let rejection = Self.rejection(in: response.body, signal)
            log(ledger.accepted(items: items, rejected: rejection.items))
            if let sum = ledger.rejected(rejection.items, now: environment.clock.monotonic()) {
                log(Rejection(items: sum, message: rejection.message))
            }
            return nil
        }
    }

    private struct Rejection {
        var items: UInt64 = 0
        var message = ""
    }

    /// Returns the rejected items of a response with `partialSuccess`. A response that is not JSON has none.
    private static func rejection(in body: [UInt8], _ signal: Signal) -> Rejection {
        let limits = JSONLimits(size: responseLimit, depth: 8, members: 64)
        guard let document = try? JSONDocument(body, limits: limits), let partial = document.root["partialSuccess"],
            let member = partial[signal.rejectedMember],
            let items = member.integer ?? member.string.flatMap({ Int64($0) }), items > 0
        else { return Rejection() }
        return Rejection(items: UInt64(items), message: String((partial["errorMessage"]?.string ?? "").prefix(200)))
    }

    private func log(_ event: LookupEvent?) {
        event?.write(to: environment.logger, Self.messages, metadata: metadata)
    }

    private func log(_ rejection: Rejection) {
        environment.logger.warning(
            "the receiver rejected a part of the telemetry",
            metadata: metadata.merging(
                ["rejected": "\(rejection.items)", "error": "\(rejection.message)"], uniquingKeysWith: { $1 }))
    }

    private var metadata: [String: Logger.MetadataValue] { ["receiver": "\(KeySource.name(of: url))"] }
}
