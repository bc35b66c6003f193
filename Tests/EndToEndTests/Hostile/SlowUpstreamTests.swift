import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Upstreams that do not accept, do not answer, or do not go on.
struct SlowUpstreamTests {
    @Test func anUpstreamThatDoesNotAcceptIs502InTime() async throws {
        try await Scenario.runWithRawUpstream(backlog: 0) { scenario, listener in
            // The kernel makes a connection or two by itself, and then answers no more.
            let fillers = (0..<3).map { _ in try? RawClient(port: listener.port, timeout: 1) }
            let began = ContinuousClock.now
            try await scenario.unharmed {
                expectDenial(try scenario.send(.get("/raw/x")), 502, "upstream/unreachable")
            }
            #expect(ContinuousClock.now - began < Allowance.time(.seconds(3)))
            _ = fillers
        }
    }

    @Test func anUpstreamThatDripsTheHeadOfItsAnswerGainsNoTime() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            try await scenario.unharmed {
                let client = try RawClient(port: scenario.gateway.port)
                try client.send(WireRequest.get("/raw/x").bytes)
                let server = try listener.take()
                try server.send("HTTP/1.1 200 OK\r\nX-Drip: ")
                _ = try server.readHead()
                try server.drip(repeatElement(UInt8(ascii: "a"), count: 1000), pause: 20)
                expectDenial(try client.response(), 504, "upstream/timeout")
            }
            try await scenario.untilQuiet()
        }
    }

    @Test func anAnswerIsServedAsLongAsItComes() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            try await scenario.unharmed {
                let client = try RawClient(port: scenario.gateway.port)
                try client.send(WireRequest.get("/raw/x").bytes)
                let server = try listener.take()
                _ = try server.readHead()
                try server.send("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n")
                try server.drip(BodyPattern.bytes(40), pause: 25)
                #expect(try client.response().body == BodyPattern.bytes(40))
            }
        }
    }

    @Test(arguments: AnswerPart.allCases)
    func anAnswerThatStopsIsNotPassedOffAsWhole(part: AnswerPart) async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            try await scenario.unharmed {
                let client = try RawClient(port: scenario.gateway.port)
                try client.send(WireRequest.get("/raw/x").bytes)
                let server = try listener.take()
                _ = try server.readHead()
                try server.send(part.rawValue)
                if part.hasHead {
                    #expect(throws: (any Error).self) { try client.response() }
                } else {
                    expectDenial(try client.response(), 504, "upstream/timeout")
                }
                // The gateway has closed it: this returns.
                _ = try? server.readToEnd()
                #expect(server.hasEnded)
            }
            try await scenario.untilQuiet()
        }
    }
}
