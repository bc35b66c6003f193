import DevelopmentIdentity
import Foundation
import Testing

/// One line of JSON a request, and no credential anywhere.
struct AccessLogTests {
    /// The lines once there are so many, after the process has ended.
    private func lines(of scenario: Scenario) async -> [JSON] {
        scenario.gateway.signal(SIGTERM)
        _ = await scenario.gateway.exitCode()
        return scenario.gateway.output.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) ?? .null }
    }

    @Test func aLineTellsWhoAskedForWhatAndWhatBecameOfIt() async throws {
        try await Scenario.run { scenario in
            let report = try scenario.passes(.bearer(scenario.token(), "/me/logged?secret=1"))
            let lines = await lines(of: scenario)
            let line = try #require(lines.first)
            #expect(line["method"] == "GET" && line["path"] == "/me/logged" && line["status"] == 200)
            #expect(line["code"] == "ok" && line["uid"] == "ada" && line["upstream"] == "api")
            #expect(line["route"] == "/me/**")
            #expect(line["request_id"] == report["X-Request-Id"].map(JSON.string))
            for member in ["time", "duration_us", "upstream_us", "bytes_in", "bytes_out", "client"] {
                #expect(line[member] != nil, "\(member)")
            }
        }
    }

    @Test func everyRequestHasItsLineWithItsCode() async throws {
        try await Scenario.run { scenario in
            _ = try scenario.send(.get("/me/x"))
            _ = try scenario.send(.get("/unknown"))
            _ = try scenario.send(.get("/down/x"))
            _ = try scenario.send(.get("/public/%00"))
            _ = try scenario.send(raw: "BROKEN\r\n\r\n")
            // Each worker writes its own lines, so their order says nothing.
            let codes = await lines(of: scenario).compactMap { $0["code"]?.text }.sorted()
            let expected = [
                "auth/missing-credential", "request/malformed", "request/malformed", "route/not-found",
                "upstream/unreachable",
            ]
            #expect(codes == expected.map { "\"\($0)\"" })
        }
    }

    @Test func l01NoCredentialIsInAnyLogOrAnswer() async throws {
        try await Scenario.run(arrange: { $2["log"] = "{ level: trace }" }) { scenario in
            let tokens = try [
                scenario.token(), scenario.cookie(.alan), Tampering.signatureBit.applied(to: scenario.token(.grace)),
                scenario.token { $0.expiring(at: 5) }, scenario.token { $0.setting("aud", to: "other") },
            ]
            var answers = ""
            for token in tokens {
                for target in ["/me/x", "/public/x?token=\(token)", "/unknown", "/down/x", "/me/%00"] {
                    let requests = [WireRequest.bearer(token, target), .cookie(token, target)]
                    for request in requests {
                        let response = try scenario.send(request)
                        if response.status != 200 { answers += "\(response.fields) \(response.text)\n" }
                    }
                }
            }
            try scenario.admin("POST", "/v1/users/ada/revoke")
            answers += try scenario.admin("GET", "/v1/users/ada").text + scenario.admin("GET", "/v1/keys").text
            answers += try scenario.admin("GET", "/metrics").text
            _ = await lines(of: scenario)
            let written = scenario.gateway.output + scenario.gateway.errors + answers
            for token in tokens {
                for part in token.split(separator: ".").dropFirst() { #expect(!written.contains(part.prefix(20))) }
            }
            #expect(!written.contains(GatewayConfiguration.adminToken))
        }
    }

    @Test func l02NothingInARequestEndsALine() async throws {
        try await Scenario.run { scenario in
            let uid = "evil\"},{\"uid\":\"root\u{85}\u{2028}"
            _ = try scenario.send(.bearer(scenario.token(.named(uid)), "/me/%0A%22%1B?x"))
            let lines = await lines(of: scenario)
            #expect(lines.count == 1)
            #expect(lines.first?["uid"] == .string(uid))
            #expect(!scenario.gateway.output.contains("\u{1B}"))
        }
    }
}
