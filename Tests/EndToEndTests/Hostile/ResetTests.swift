import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Clients that reset their connections, at each stage of a request.
@Suite(.sharedScenario) struct ClientResetTests: SharedScenarioSuite {
    /// The bytes sent before the reset.
    enum Stage: CaseIterable, Sendable {
        case connected, inTheHead, inABody, inAChunk, waitingForTheAnswer, withinTheAnswer, behindARefusal, sentAhead

        var sent: String {
            switch self {
            case .connected: ""
            case .inTheHead: "GET /public/x HTTP/1.1\r\nHo"
            case .inABody: "POST /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello"
            case .inAChunk: "POST /public/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhello"
            case .waitingForTheAnswer: "GET /public/x?hold=never HTTP/1.1\r\nHost: a\r\n\r\n"
            case .withinTheAnswer: "GET /public/x?bytes=100000000 HTTP/1.1\r\nHost: a\r\n\r\n"
            case .behindARefusal: "POST /me/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello"
            case .sentAhead: String(repeating: "GET /public/x?delay=20 HTTP/1.1\r\nHost: a\r\n\r\n", count: 20)
            }
        }

        /// Whether the upstream gets the head of each such request.
        var reachesTheUpstream: Bool {
            switch self {
            case .connected, .inTheHead, .behindARefusal: false
            default: true
            }
        }
    }

    @Test(arguments: Stage.allCases)
    func `a reset ends only its own request`(stage: Stage) async throws {
        try await scenario.unharmed {
            for _ in 0..<10 {
                let client = try scenario.client(sending: stage.sent)
                if stage == .withinTheAnswer || stage == .behindARefusal { _ = try client.readHead() }
                if stage.reachesTheUpstream {
                    _ = try await eventually("the upstream's request") {
                        try scenario.gateway.metric("gatehouse_upstream_connections", "state=\"busy\"") > 0 ? true : nil
                    }
                }
                client.reset()
            }
        }
        try await scenario.untilQuiet()
        #expect(try scenario.send(.get("/public/after")).status == 200)
    }
}
