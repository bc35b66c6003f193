import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import Testing

@testable import Diagnostics
@testable import SystemFixtures

/// `explain --http2`, compared with the gateway.
@Suite(.http2Scenario) struct HTTP2ExplanationTests: SharedScenarioSuite {
    struct Row: Sendable {
        let method: String
        let url: String
        var fields: [(name: String, value: String)] = []
        var token: Token?

        init(
            _ method: String, _ url: String, _ fields: [(name: String, value: String)] = [], token: Token? = nil
        ) {
            self.method = method
            self.url = url
            self.fields = fields
            self.token = token
        }
    }

    enum Token { case valid, expired, forged }

    /// The result that a client can observe.
    enum Outcome: Equatable {
        case forwarded(method: String, target: String)
        case denied(code: String, status: Int, gRPC: String?)
        case reset(UInt32)
        case connectionEnded(UInt32)
        case other(String)
    }

    private static let gRPC = (name: "content-type", value: "application/grpc")
    private static let public1 = "http://localhost/public/x"

    static let forwarded = [
        Row("GET", public1), Row("GET", "/public/x?a=b&c"), Row("DELETE", public1),
        Row("GET", public1, [("cookie", "a=1"), ("cookie", "b=2"), ("te", "trailers")]),
        Row("POST", public1, [("content-length", "5")]), Row("POST", public1, [("content-length", "0")]),
        Row("GET", public1, [("host", "LOCALHOST:80")]), Row("GET", "/public/x", [("host", "localhost")]),
        Row("GET", "/stripped/y"), Row("GET", "/optional/x"),
        Row("GET", "/unrevocable/x", token: .valid),
    ]

    static let denied = [
        Row("GET", "/me/x"), Row("GET", "/me/x", token: .expired), Row("GET", "/me/x", token: .forged),
        Row("GET", "/nowhere"), Row("POST", "/methods"), Row("POST", "/small/x", [("content-length", "5000")]),
        Row("GET", "/public/%zz"), Row("GET", "/public/..%2fme"), Row("CONNECT", "http://localhost:22/"),
        Row("TRACE", public1), Row("OPTIONS", "*"), Row("CONNECT", "/me/x", [(":protocol", "websocket")]),
        Row("POST", "/me/S/C", [gRPC]), Row("POST", "/public/S/C", [gRPC]), Row("POST", "/nowhere/S/C", [gRPC]),
        Row("POST", "/apple/S/C", [gRPC], token: .forged), Row("GET", "/me/S/C", [gRPC]),
    ]

    static let rejected = [
        Row("GET", public1, [("connection", "close")]), Row("GET", public1, [("upgrade", "h2c")]),
        Row("POST", public1, [("transfer-encoding", "chunked")]), Row("GET", public1, [("keep-alive", "1")]),
        Row("GET", public1, [("X-Upper", "1")]), Row("GET", public1, [("x a", "1")]),
        Row("GET", public1, [("te", "gzip")]),
        Row("GET", public1, [("host", "other.example")]), Row("GET", public1, [("host", "a"), ("host", "a")]),
        Row("GET", public1, [(":scheme", "ftp")]), Row("GET", public1, [(":path", "public/x")]),
        Row("GET", public1, [(":path", "")]), Row("GET", public1, [(":path", "/public/x#b")]),
        Row("GET", public1, [(":path", "/a"), (":path", "/b")]), Row("GET", public1, [(":status", "200")]),
        Row("GET", public1, [(":authority", "u@localhost")]), Row("GET", public1, [(":authority", "")]),
        Row("G ET", public1), Row("GET", public1, [("x-a", "1\r\nx-auth-uid: eve")]),
        Row("GET", public1, [("x-a", " a")]),
        Row("POST", public1, [("content-length", "+4")]),
        Row("POST", public1, [("content-length", "4"), ("content-length", "5")]),
        Row("GET", public1, [(":protocol", "websocket")]), Row("CONNECT", public1, [(":protocol", "foo")]),
        Row("GET", public1, Array(repeating: ("x-a", "1"), count: 129)),
        Row("GET", public1, Array(repeating: ("cookie", "a=1"), count: 129)),
        Row("GET", public1, [("x-a", String(repeating: "a", count: 70_000))]),
        Row("POST", "/me/S/C", [gRPC, (":authority", "u@localhost")]), Row("POST", "/me/S/C", [gRPC, ("te", "gzip")]),
    ]

    @Test func `explain and the gateway agree on each request`() async throws {
        let file = scenario.gateway.folder.path("gatehouse.yaml")
        let explainer = try Explainer(.load(file: file, environment: [:]))
        for (group, rows) in [("forwarded", Self.forwarded), ("denied", Self.denied), ("rejected", Self.rejected)] {
            for row in rows {
                var request = ExplainedRequest(
                    method: row.method, url: row.url, token: try row.token.map(token), fields: row.fields)
                request.usesHTTP2 = true
                if !row.fields.contains(where: { $0.name == "host" }), !row.url.hasPrefix("http") {
                    request.host = "localhost"
                }
                let explanation = try await explainer.explain(request)
                let explained = Self.outcome(of: explanation)
                let sent = try send(request.stream(for: explainer.configuration))
                let fields = row.fields.prefix(3).map { "\($0.name): \($0.value.prefix(40))" }
                #expect(explained == sent, "\(row.method) \(row.url) \(fields)")
                let head = explanation.steps.first { $0.name == "head" }
                #expect(head?.mark == (group == "rejected" ? .failed : .passed), "\(row)")
                if case .forwarded = sent {} else { #expect(group != "forwarded", "\(row) \(sent)") }
            }
        }
    }

    private func token(_ token: Token) throws -> String {
        switch token {
        case .valid: try scenario.token()
        case .expired: try scenario.token { $0.expiring(at: unixNow() - 1000) }
        case .forged: String(try scenario.token().dropLast(12)) + "AAAAAAAAAAAA"
        }
    }

    // MARK: - Explained

    private static func outcome(of explanation: Explanation) -> Outcome {
        switch explanation.verdict {
        case .passes(let forwarded): return .forwarded(method: forwarded.method, target: forwarded.target)
        case .refused(let refusal):
            let result = refusal.fields.first { $0.hasPrefix("grpc-status: ") }.map { String($0.dropFirst(13)) }
            return .denied(
                code: "\(refusal.code.wire)", status: refusal.isTrailersOnly ? 200 : Int(refusal.code.status),
                gRPC: result)
        case .ended(let end): return end.endsConnection ? .connectionEnded(end.errorCode) : .reset(end.errorCode)
        case .responded(let response): return .other("\(response.status)")
        case .undetermined(let why): return .other(why)
        }
    }

    // MARK: - Sent

    private func send(_ request: StreamRequest) throws -> Outcome {
        let client = try HTTP2Client(port: scenario.gateway.port)
        try client.acknowledge()
        let stream = try client.request(request.fields.map { ($0.name, $0.value) }, endsStream: request.endsStream)
        let length = request.fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        if !request.endsStream, length < 1000 {
            // The gateway may have reset the stream.
            try? client.data(Array(repeating: 0x61, count: length), stream: stream, endsStream: true)
        }
        let answer = try client.answer(stream)
        if answer.status == 0 {
            if let code = answer.reset { return .reset(code) }
            return .connectionEnded(client.goAways.last?.code ?? 0)
        }
        let response = WireResponse(head: Array("HTTP/1.1 200 OK".utf8)).map { response in
            var response = response
            response.body = answer.body
            return response
        }
        if let report = response.flatMap(EchoReport.init) {
            return .forwarded(method: report.method, target: report.path)
        }
        if let code = answer["grpc-message"] {
            return .denied(code: code, status: answer.status, gRPC: answer["grpc-status"])
        }
        guard case .string(let code)? = JSON(parsing: answer.body)?["code"] else { return .other(answer.text) }
        return .denied(code: code, status: answer.status, gRPC: nil)
    }

    // MARK: - The command

    @Test func `the command prints the head and the response`() async throws {
        func explain(_ arguments: String...) async throws -> CommandRun {
            let arguments = ["explain"] + arguments + ["--http2", "--no-fetch", "--config", "gatehouse.yaml"]
            return try await CommandRun.run(arguments, in: scenario.gateway.folder)
        }
        let passes = try await explain("GET", "/public/x", "--host", "a.example", "--header", "cookie: a=1")
        #expect(passes.exitCode == 0, "\(passes.errors)")
        #expect(passes.output.contains("GET /public/x HTTP/1.1") && passes.output.contains("host: a.example"))
        #expect(passes.output.contains("PASSES to api"))
        let reset = try await explain("GET", "/public/x", "--header", "connection: close")
        #expect(reset.exitCode == 1)
        #expect(reset.output.contains("RESET with RST_STREAM PROTOCOL_ERROR"), "\(reset.output)")
        let call = try await explain(
            "POST", "/me/S/C", "--header", "content-type: application/grpc", "--header", ":scheme: https")
        #expect(call.exitCode == 1 && call.output.contains("trailers only:\n  :status: 200"), "\(call.output)")
        #expect(call.output.contains("  grpc-status: 16") && call.output.contains(":scheme \"https\""))
    }
}
