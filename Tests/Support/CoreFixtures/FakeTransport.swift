import Logging
import Synchronization
import Testing

@testable import OutboundHTTP

/// A transport that responds immediately by a rule, or later to one call at a time.
final class FakeTransport: OutboundTransport {
    typealias Reply = Result<OutboundResponse, LookupFailure>

    struct Call: Sendable {
        let request: OutboundRequest
        let timeout: Duration
        fileprivate let answer: @Sendable (Reply) -> Void
    }

    private struct State {
        var calls: [Call] = []
        var answered: Set<Int> = []
        var rule: (@Sendable (OutboundRequest) -> Reply?)?
        var isShutDown = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.calls.count } }
    var calls: [Call] { state.withLock { $0.calls } }
    var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// Sets the rule for responses. Requests for which it returns no response are held.
    func always(_ rule: (@Sendable (OutboundRequest) -> Reply?)?) { state.withLock { $0.rule = rule } }

    func send(_ request: OutboundRequest, within timeout: Duration, completion: @escaping @Sendable (Reply) -> Void) {
        let rule = state.withLock { state in
            state.calls.append(Call(request: request, timeout: timeout, answer: completion))
            return state.rule
        }
        if let reply = rule?(request) { completion(reply) }
    }

    func shutdown() async { state.withLock { $0.isShutDown = true } }

    /// Responds to a held call by its index.
    func answer(_ place: Int, _ reply: Reply) { calls[place].answer(reply) }

    func answer(_ place: Int, _ body: String) { answer(place, 200, body) }

    func answer(_ place: Int, _ status: Int, _ body: String, retryAfter: String? = nil) {
        answer(place, .success(OutboundResponse(status: status, retryAfter: retryAfter, body: Array(body.utf8))))
    }
}

extension OutboundRequest {
    var bodyText: String { String(decoding: body, as: UTF8.self) }
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// The lines of a log.
final class LogLines: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
        var text: String { "\(message) \(metadata)" }
    }

    private let lines = Mutex<[Line]>([])

    var all: [Line] { lines.withLock { $0 } }
    var text: String { all.map(\.text).joined(separator: "\n") }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(level: event.level, message: "\(event.message)", metadata: event.metadata ?? [:])
            lines.lines.withLock { $0.append(line) }
        }
    }
}
