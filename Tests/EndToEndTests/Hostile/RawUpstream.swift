import DevelopmentIdentity
import Testing

@testable import SystemFixtures

extension Scenario {
    /// A scenario with one more upstream behind `/raw/`, which the test plays itself.
    ///
    /// - Parameter backlog: how many connections the kernel makes for the upstream before the test takes them.
    static func runWithRawUpstream(
        backlog: Int32 = 128, _ body: (Scenario, RawListener) async throws -> Void
    ) async throws {
        let listener = try RawListener(backlog: backlog)
        let times = "connect_timeout: 300ms, response_timeout: 500ms"
        try await run(
            arrange: { _, echo, configuration in
                configuration["limits"] = "{ idle_timeout: \(Allowance.setting(milliseconds: 700)) }"
                configuration["upstreams"] =
                    "{ api: { servers: ['\(echo.url)'] }, raw: { servers: ['\(listener.url)'], \(times) } }"
                configuration.routes = [
                    "path: /public/**, auth: none, upstream: api", "path: /raw/**, auth: none, upstream: raw",
                    "path: /me/**, upstream: api",
                ]
            },
            { try await body($0, listener) })
    }
}

/// What an upstream sends before it fails, and what the client may see of it.
enum AnswerPart: String, CaseIterable, Sendable {
    case nothing = ""
    case halfAHead = "HTTP/1.1 200 OK\r\nContent-Le"
    case partOfALength = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"
    case partOfAChunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n64\r\nhel"
    case chunksWithoutTheLast = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
    case partUntilTheEnd = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"

    /// Whether the client has begun to get the answer.
    var hasHead: Bool { rawValue.contains("\r\n\r\n") }
    /// Whether an orderly end would complete it.
    var endsWithItsConnection: Bool { self == .partUntilTheEnd }
}
