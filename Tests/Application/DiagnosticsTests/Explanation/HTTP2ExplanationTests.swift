import GatewayConfiguration
import GatewayCore
import Testing

@testable import Diagnostics

/// `explain` of requests over HTTP/2.
@Suite struct HTTP2ExplanationTests {
    private typealias Fields = [(name: String, value: String)]

    private func explain(
        _ method: String = "GET", _ url: String = "http://api.example/public/x", token: String? = nil,
        with fields: Fields = [], _ change: (inout ExplainedRequest) -> Void = { _ in }
    ) async throws -> Explanation {
        var configuration = Given.configuration([
            Given.route("/public/**") { $0.auth = .none }, Given.route("/**"),
        ])
        configuration.listen[0].protocols.insert(.http2Cleartext)
        var request = ExplainedRequest(method: method, url: url, token: token, fields: fields)
        request.usesHTTP2 = true
        change(&request)
        return try await Given.explainer(configuration).explain(request)
    }

    /// The lines of the head in the form of HTTP/1.1.
    private func head(_ explanation: Explanation) -> [String] {
        let steps = explanation.steps.drop { $0.name != "head" }
        return steps.prefix { $0.name == "head" || $0.name == "" }.map { String($0.detail.trimmingPrefix("  ")) }
    }

    @Test func `the pseudo-headers become the request line and Host`() async throws {
        let explanation = try await explain("DELETE", "https://api.example/public/x?key=secret")
        #expect(explanation.code == .ok && explanation.failures.isEmpty)
        #expect(head(explanation) == ["DELETE /public/x?... HTTP/1.1", "host: api.example"])
        let stream = try #require(explanation.step("stream")?.detail)
        #expect(stream.contains(":scheme \"https\", :path /public/x?..., :authority \"api.example\""))
        #expect(stream.hasSuffix("no body follows") && explanation.step("request")?.mark == .passed)
    }

    @Test func `cookies are joined, and te is omitted`() async throws {
        let explanation = try await explain(with: [("cookie", "a=1"), ("cookie", "b=2"), ("te", "trailers")])
        #expect(explanation.step("cookie")?.detail == "2 fields, joined in one")
        #expect(head(explanation).contains("cookie: a=...; b=...") && explanation.step("omitted")?.detail == "te")
    }

    @Test func `a cookie without a name and a fragment are not shown`() async throws {
        let explanation = try await explain(with: [("cookie", "secret; b=2")])
        #expect(head(explanation).contains("cookie: =...; b=..."))
        let rejected = try await explain(with: [(":path", "/public/x#secret")])
        let stream = try #require(rejected.step("stream")?.detail)
        #expect(stream.contains("/public/x#...") && !stream.contains("secret"))
    }

    @Test func `no value of a field that may be a credential is shown`() async throws {
        let token = try Given.idToken()
        let explanation = try await explain(
            "GET", "/x?access_token=secret-1", token: token,
            with: [("cookie", "__session=secret-2"), ("x-api-key", "secret-3"), ("sec-websocket-protocol", "secret-4")])
        let text = explanation.steps.map(\.detail).joined(separator: "\n")
        #expect(!text.contains("secret-") && !text.contains(token.suffix(40)))
        #expect(head(explanation).contains("x-api-key: (8 bytes)"))
    }

    @Test func `host takes the place of a missing authority, and must not differ from it`() async throws {
        let alone = try await explain("GET", "/public/x", with: [("host", "b.example")])
        #expect(alone.code == .ok && head(alone).last == "host: b.example")
        #expect(alone.step("authority")?.detail == "none, so host takes its place")
        #expect(alone.step("stream")?.detail.contains(":authority") == false)
        let same = try await explain(with: [("host", "API.example:80")])
        #expect(same.code == .ok && head(same) == ["GET /public/x HTTP/1.1", "host: api.example"])
        let other = try await explain(with: [("host", "b.example")])
        #expect(other.code == .malformedRequest && other.failures == ["head"])
        #expect(other.step("head")?.detail == "http2: host differs from :authority")
        let option = try await explain { $0.host = "c.example" }
        #expect(head(option).last == "host: c.example")
    }

    @Test(arguments: [
        ("connection", "close", "http2: connection-specific field"), ("X-Upper", "1", "http2: invalid field name"),
        ("te", "gzip", "http2: te is not trailers"), ("x-a", "1\r\nx-b: 2", "http2: invalid field value"),
        (":status", "200", "http2: unknown pseudo-header"), (":method", "", "http2: invalid :method"),
    ])
    func `a malformed field resets the stream or is 400`(name: String, value: String, reason: String) async throws {
        let explanation = try await explain(with: [(name, value)])
        #expect(explanation.failures == ["head"] && explanation.step("head")?.detail == reason)
        switch explanation.verdict {
        case .ended(let end): #expect(end.errorCode == 1 && !end.endsConnection && end.reason == reason)
        default: #expect(explanation.code == .malformedRequest)
        }
    }

    @Test func `a head above the limits is 431`() async throws {
        let explanation = try await explain(with: Array(repeating: ("x-a", "1"), count: 129))
        #expect(explanation.code == .headTooLarge && explanation.step("head")?.detail == "http2: too many fields")
        // More than the announced SETTINGS_MAX_HEADER_LIST_SIZE ends the connection.
        let huge = try await explain(with: [("x-a", String(repeating: "a", count: 200_000))])
        guard case .ended(let end) = huge.verdict else { throw ExplainedRequestError(description: "\(huge.verdict)") }
        #expect(end.endsConnection && end.errorCode != 0 && huge.failures == ["head"])
    }

    @Test func `a given pseudo-header replaces that of the request, and a second one is sent too`() async throws {
        let replaced = try await explain(with: [(":path", "/public/other")])
        #expect(replaced.forwarded?.target == "/public/other")
        let second = try await explain(with: [(":path", "/public/a"), (":path", "/public/b")])
        #expect(second.failures == ["head"] && second.step("head")?.detail == "http2: repeated pseudo-header")
    }

    @Test func `CONNECT has no path, and is never forwarded`() async throws {
        let explanation = try await explain("CONNECT", "http://a.example:22/")
        #expect(explanation.code == .methodNotAllowed && explanation.failures == ["method"])
        #expect(explanation.step("stream")?.detail.contains(":path") == false)
    }

    @Test func `extended CONNECT is an upgrade in HTTP-1`() async throws {
        let explanation = try await explain("CONNECT", "http://a.example/public/x", with: [(":protocol", "websocket")])
        let lines = head(explanation)
        #expect(lines.first == "GET /public/x HTTP/1.1" && lines.contains("upgrade: websocket"))
        #expect(lines.contains("sec-websocket-key: (24 bytes)") && explanation.step("connect")?.mark == .passed)
    }

    @Test func `a denied gRPC call receives trailers only`() async throws {
        let explanation = try await explain("POST", "/S/C", with: [("content-type", "application/grpc")])
        let refusal = try #require(explanation.refusal)
        #expect(refusal.code == .missingCredential && refusal.isTrailersOnly)
        #expect(refusal.fields.contains("grpc-status: 16"))
        #expect(refusal.fields.contains("grpc-message: auth/missing-credential"))
        #expect(refusal.fields.contains(":status: 200") && refusal.fields.contains("www-authenticate: Bearer"))
        // A call to an upstream with HTTP/1.1.
        let unsupported = try await explain("POST", "/public/S/C", with: [("content-type", "application/grpc")])
        #expect(unsupported.refusal?.fields.contains("grpc-status: 12") == true)
        // A malformed call.
        let malformed = try await explain(
            "POST", "/S/C", with: [("content-type", "application/grpc"), (":authority", "u@a")])
        #expect(malformed.refusal?.fields.contains("grpc-status: 3") == true)
        let other = try await explain("POST", "/x", with: [("content-type", "application/grpc-web")])
        #expect(other.refusal?.isTrailersOnly == false && other.refusal?.fields == ["www-authenticate: Bearer"])
    }

    @Test func `a listener without HTTP-2 is a note`() async throws {
        var request = ExplainedRequest(method: "GET", url: "/x")
        request.usesHTTP2 = true
        let explanation = try await Given.explainer(Given.configuration([Given.route("/**")])).explain(request)
        #expect(explanation.step("listener")?.mark == .note && explanation.code == .missingCredential)
        #expect(try await explain().step("listener") == nil)
    }
}
