import DevelopmentIdentity
import Testing

/// The bytes of a request, one for each scalar (`\u{FF}` is the byte 255). `\n` stands for CRLF, `␊` for a line feed,
/// `TOKEN` for Ada's ID token, and `COOKIE` for Alan's session cookie.
struct RawRequest: Sendable, ExpressibleByStringInterpolation {
    let text: String

    init(stringLiteral text: String) { self.text = text }

    func bytes(_ scenario: Scenario) throws -> [UInt8] {
        var text = text.replacing("\n", with: "\r\n").replacing("␊", with: "\n")
        if text.contains("TOKEN") { text = text.replacing("TOKEN", with: try scenario.token()) }
        if text.contains("COOKIE") { text = text.replacing("COOKIE", with: try scenario.cookie(.alan)) }
        return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}

extension Scenario {
    /// Sends bytes on a new connection and returns one response.
    func send(_ request: RawRequest) throws -> WireResponse {
        let client = try RawClient(port: gateway.port)
        try client.send(request.bytes(self))
        return try client.response(to: String(request.text.prefix { $0 != " " }))
    }

    /// Returns the number of requests that the upstream receives while `body` runs.
    func forwarded<Result>(_ body: () throws -> Result) rethrows -> (Result, Int) {
        let before = echo.requestCount
        let result = try body()
        return (result, echo.requestCount - before)
    }

    /// Expects a denial of a request that is not forwarded.
    func expectRefusal(
        _ request: WireRequest, _ status: Int, _ code: String, challenge: String? = nil, _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (response, count) = try forwarded { try send(request) }
        expectDenial(response, status, code, challenge: challenge, comment, sourceLocation: sourceLocation)
        #expect(count == 0, "forwarded: \(comment)", sourceLocation: sourceLocation)
    }

    /// The sum of the samples of a metric; 0 without samples.
    func metric(_ name: String, containing labels: String = "") throws -> Double {
        try gateway.samples(of: name, containing: labels).reduce(0, +)
    }
}
