import DevelopmentIdentity
import Dispatch
import Foundation
import Synchronization

@testable import SystemFixtures

/// An OTLP/HTTP receiver that stores the messages and responds with the statuses that the test sets.
final class TelemetryReceiver: Sendable {
    struct Message: Sendable {
        let path: String
        let head: String
        let body: JSON
        let status: Int
    }

    private struct State {
        var messages: [Message] = []
        /// The status of each response, in order. The last one is repeated.
        var statuses = [200]
        var fields = ""
        var delays = false
    }

    private let listener: RawListener
    private let queue = DispatchQueue(label: "gatehouse.e2e.telemetry")
    private let state = Mutex(State())

    init() throws {
        listener = try RawListener()
        queue.async { [weak self] in
            while let self { self.serve() }
        }
    }

    var url: String { listener.url }
    var messages: [Message] { state.withLock { $0.messages } }

    /// Sets the statuses of the next responses, and additional field lines, each with its CRLF.
    func respond(with statuses: [Int], fields: String = "") {
        state.withLock { ($0.statuses, $0.fields) = (statuses, fields) }
    }

    /// Accepts requests and never responds.
    func hang() { state.withLock { $0.delays = true } }

    /// The spans of all accepted requests.
    var spans: [JSON] {
        messages.filter { $0.path == "/v1/traces" && $0.status == 200 }.flatMap { message in
            message.body.list("resourceSpans").flatMap { $0.list("scopeSpans") }.flatMap { $0.list("spans") }
        }
    }

    /// The metrics of all accepted requests.
    var metrics: [JSON] {
        messages.filter { $0.path == "/v1/metrics" && $0.status == 200 }.flatMap { message in
            message.body.list("resourceMetrics").flatMap { $0.list("scopeMetrics") }.flatMap { $0.list("metrics") }
        }
    }

    /// Waits until there is a server span with the path, and returns it.
    func serverSpan(of path: String) async throws -> JSON {
        try await eventually("a span of \(path)") {
            self.spans.first { $0.attribute("url.path") == path && $0.isServer }
        }
    }

    /// Serves one waiting connection, if there is one.
    private func serve() {
        guard listener.isWaited(100), let client = try? listener.take() else { return }
        guard let head = try? client.readHead() else { return }
        let text = String(decoding: head, as: UTF8.self)
        let length = text.firstMatch(of: /(?i)content-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
        guard let body = try? client.read(length), let json = JSON(parsing: body) else { return }
        let (status, fields, delays) = state.withLock { state in
            let status = state.statuses.count > 1 ? state.statuses.removeFirst() : state.statuses[0]
            let path = String(text.split(separator: " ").dropFirst().first ?? "")
            state.messages.append(Message(path: path, head: text, body: json, status: status))
            return (status, state.fields, state.delays)
        }
        if delays {
            _ = client.waitForBytes(60_000)
            return
        }
        try? client.send(
            "HTTP/1.1 \(status) Status\r\nContent-Type: application/json\r\n\(fields)Content-Length: 2\r\n"
                + "Connection: close\r\n\r\n{}")
    }
}

extension JSON {
    /// The elements of an array member. Empty if there is no such member.
    func list(_ name: String) -> [JSON] {
        if case .array(let elements)? = self[name] { elements } else { [] }
    }

    func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }

    /// The value of an attribute of a span or data point, as text.
    func attribute(_ key: String) -> String? {
        let value = list("attributes").first { $0.text("key") == key }?["value"]
        return value?.text("stringValue") ?? value?.text("intValue")
    }

    /// Whether a span is of the kind server.
    var isServer: Bool { self["kind"] == .integer(2) }
}
