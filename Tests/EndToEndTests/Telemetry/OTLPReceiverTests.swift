import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The exported messages, decoded with OpenTelemetry's message types for Python. Unknown fields are errors.
@Suite(
    .enabled(
        if: PythonReceiver.interpreter != nil,
        "GATEHOUSE_ORACLE_PYTHON names no Python with opentelemetry-proto: script/test sets it"))
struct OTLPReceiverTests {
    @Test func `traces and metrics are valid messages of OpenTelemetry`() async throws {
        let receiver = try await PythonReceiver()
        try await Scenario.run(arrange: {
            let signals = "traces: { interval: 100ms, enduser_id: true }, metrics: { interval: 1s }"
            $2["telemetry"] = "{ endpoint: '\(receiver.url)', \(signals) }"
        }) { scenario in
            _ = try scenario.passes(.bearer(try scenario.token(), "/me/%C3%BC", "User-Agent: \"quoted\"\\"))
            _ = try scenario.send(.get("/me/denied"))
            _ = try scenario.send(.get("/down/x"))
            let server = try await eventually("spans; \(receiver.errors)") {
                try receiver.items("resourceSpans", "scopeSpans", "spans").first { $0.attribute("enduser.id") != nil }
            }
            #expect(server.text("kind") == "SPAN_KIND_SERVER" && server.text("traceId")?.count == 32)
            let failed = try await eventually("the failed request; \(receiver.errors)") {
                try receiver.items("resourceSpans", "scopeSpans", "spans")
                    .first { $0.attribute("gatehouse.upstream") == "down" && $0.text("kind") == "SPAN_KIND_SERVER" }
            }
            #expect(failed["status"]?.text("code") == "STATUS_CODE_ERROR")
            let metrics = try await eventually("metrics; \(receiver.errors)") { () -> [JSON]? in
                let metrics = try receiver.items("resourceMetrics", "scopeMetrics", "metrics")
                return metrics.isEmpty ? nil : metrics
            }
            let sum = metrics.first { $0.text("name") == "gatehouse_requests_total" }?["sum"]
            #expect(sum?.text("aggregationTemporality") == "AGGREGATION_TEMPORALITY_CUMULATIVE")
            let histogram = metrics.first { $0.text("name") == "gatehouse_request_duration_seconds" }?["histogram"]
            let point = try #require(histogram?.list("dataPoints").first)
            #expect(point.list("bucketCounts").count == point.list("explicitBounds").count + 1)
            #expect(receiver.errors == "")
            #expect(try scenario.gateway.metric("gatehouse_otlp_requests_total", #"result="failed""#) == 0)
        }
    }
}

/// `otlp_receiver.py` on a free port.
private final class PythonReceiver: Sendable {
    /// The interpreter with the packages of the messages. `script/test` sets it.
    static let interpreter = ProcessInfo.processInfo.environment["GATEHOUSE_ORACLE_PYTHON"].flatMap {
        $0.isEmpty ? nil : $0
    }

    let url: String
    private let folder: ScratchFolder
    private let server: ServerProcess

    init() async throws {
        let folder = try ScratchFolder()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "otlp_receiver.py")
        server = try await ServerProcess(Self.interpreter ?? "", [script.path, folder.path], in: folder, log: "log")
        let port = try await eventually("the receiver; \(folder.read("log"))") {
            let text = folder.read("port")
            return text.isEmpty ? nil : text
        }
        url = "http://127.0.0.1:\(port)"
        self.folder = folder
    }

    /// The decoding errors.
    var errors: String { folder.read("errors") }

    /// The items of all messages, by the names of the lists that contain them.
    func items(_ resources: String, _ scopes: String, _ name: String) throws -> [JSON] {
        folder.read("received.jsonl").split(separator: "\n").compactMap { JSON(parsing: Array($0.utf8)) }
            .compactMap { $0["message"] }.flatMap { $0.list(resources) }.flatMap { $0.list(scopes) }
            .flatMap { $0.list(name) }
    }
}
