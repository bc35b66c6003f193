import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Clients that reset their connections, at each stage of a request.
@Suite(.sharedScenario) struct ClientResetTests {
    /// What is on its way when the client resets.
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

    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test(arguments: Stage.allCases)
    func aResetEndsItsOwnRequestOnly(stage: Stage) async throws {
        try await scenario.unharmed {
            for _ in 0..<10 {
                let client = try RawClient(port: scenario.gateway.port)
                try client.send(stage.sent)
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

/// Upstreams that reset their connections, at each stage of an answer.
struct UpstreamResetTests {
    @Test(arguments: AnswerPart.allCases)
    func anAnswerThatAResetEndsIsNotPassedOffAsWhole(part: AnswerPart) async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            try await scenario.unharmed {
                let client = try RawClient(port: scenario.gateway.port)
                try client.send(WireRequest.get("/raw/x").bytes)
                let server = try listener.take()
                _ = try server.readHead()
                try server.send(part.rawValue)
                if part.hasHead { _ = try client.readHead() }
                server.reset()
                try expectEnd(of: part, at: client)
            }
            try await scenario.untilQuiet()
        }
    }

    private func expectEnd(of part: AnswerPart, at client: RawClient) throws {
        switch part {
        case .nothing: expectDenial(try client.response(), 502, "upstream/unreachable")
        case .halfAHead: expectDenial(try client.response(), 502, "upstream/invalid-response")
        default:
            let rest = String(decoding: (try? client.readToEnd()) ?? [], as: UTF8.self)
            #expect(!rest.contains("0\r\n\r\n") && rest.utf8.count < 100)
        }
    }

    @Test func aResetBeforeTheRequestIsReadIs502() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            let client = try RawClient(port: scenario.gateway.port)
            try client.send(WireRequest.get("/raw/x").bytes)
            try listener.take().reset()
            expectDenial(try client.response(), 502, "upstream/unreachable")
        }
    }

    @Test func aResetWithinTheRequestsBodyIs502() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            let client = try RawClient(port: scenario.gateway.port)
            try client.send("POST /raw/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nhello")
            let server = try listener.take()
            _ = try server.readHead()
            server.reset()
            expectDenial(try client.response(), 502, "upstream/unreachable")
            #expect(try scenario.send(.get("/public/after")).status == 200)
        }
    }

    @Test func aResetBetweenRequestsIsNoticedByNobody() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            let client = try RawClient(port: scenario.gateway.port)
            for _ in 0..<3 {
                try client.send(WireRequest.get("/raw/x").bytes)
                let server = try listener.take()
                _ = try server.readHead()
                try server.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
                #expect(try client.response().text == "hello")
                server.reset()
            }
        }
    }
}
