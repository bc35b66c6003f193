import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// Logs contain no credential, and clients cannot forge a line.
struct SecretLogTests {
    @Test(.tags(.l01)) func `no failure writes a credential to a log or a response`() async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["log"] = "{ level: trace }"
        }) { scenario in
            let secrets = try [
                scenario.token(), scenario.cookie(.alan), Tampering.signatureBit.applied(to: scenario.token(.grace)),
                scenario.provider.idToken(for: .ada).unsigned(),
                scenario.provider.sign(.customToken(for: .robot, now: unixNow())),
                "opaque-0123456789abcdef0123456789", scenario.token { $0.settingHeader("kid", to: "unknown") },
                scenario.token { $0.expiring(at: 5) }, scenario.token { $0.setting("aud", to: "other") },
            ]
            var answers = ""
            for secret in secrets {
                let targets = [
                    "/me/x?token=\(secret)", "/optional/x", "/down/x", "/hasty/x?raw=garbage", "/nowhere?\(secret)",
                    "/me/%00",
                ]
                for target in targets {
                    for request in [
                        WireRequest.bearer(secret, target), .cookie(secret, target),
                        .get(target, "Authorization: Basic \(secret)"),
                        .bearer(secret, target, "Authorization: Bearer \(secret)"),
                        .get(target, "X-Api-Key: \(secret)"),
                        .bearer(secret + "\u{1}", target),
                    ] {
                        let response = try scenario.send(request)
                        if EchoReport(response) == nil { answers += "\(response.fields) \(response.text)\n" }
                    }
                }
                let wrong = WireRequest(
                    target: "/v1/keys", fields: ["Authorization: Bearer \(secret)"], host: "localhost")
                answers += try RawClient.exchange(scenario.gateway.adminPort, wrong).text
            }
            answers += try scenario.admin("GET", "/v1/users/ada").text + scenario.admin("GET", "/v1/keys").text
            answers += try scenario.admin("POST", "/v1/keys/refresh").text + scenario.admin("GET", "/metrics").text
            _ = await scenario.accessLog()
            let written = scenario.gateway.output + scenario.gateway.errors + answers
            for secret in secrets {
                // The header of a token is not secret. Its other parts and other credentials are.
                let parts = secret.split(separator: ".").dropFirst(secret.contains(".") ? 1 : 0)
                for part in parts { #expect(!written.contains(part.prefix(24)), "\(part.prefix(24))") }
            }
            #expect(!written.contains(GatewayConfiguration.adminToken))
            #expect(!written.contains("PRIVATE KEY"))
        }
    }

    /// Bytes that would end a line, close a quote or control a terminal, as claim, path and field.
    static let hostile = [
        "a\nb", "a\r\nb", "a\"b", "a\\", "a\u{1B}[2Jb", "a\u{0}b", "a\u{2028}b", "a\u{7F}\u{85}b", "\",\"uid\":\"root",
        "\u{202E}evil",
        "a\tb", "'; DROP TABLE user; --", "${env:HOME}", "%0a%0d", "{\"status\":200}",
    ]

    @Test(.tags(.l02)) func `each log line is one JSON object, whatever clients send`() async throws {
        try await Scenario.run(arrange: { $2["workers"] = "1" }) { scenario in
            for text in Self.hostile {
                let path = text.utf8.map { String(format: "%%%02X", $0) }.joined()
                let plain = String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F })
                let token = try scenario.token(.named(text)) { $0.setting("role", to: .string(text)) }
                _ = try scenario.send(
                    .bearer(token, "/me/\(path)?\(path)", "User-Agent: \(plain)", "Referer: \(plain)"))
                _ = try scenario.send(WireRequest(method: "M", target: "/nowhere", fields: ["X: \(plain)"]))
            }
            let objects = await scenario.accessLog()
            let output = scenario.gateway.output
            #expect(objects.count == Self.hostile.count * 2)
            for (text, object) in zip(Self.hostile, stride(from: 0, to: objects.count, by: 2).map { objects[$0] }) {
                // A valid uid has no control characters.
                let names = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                #expect(!names || object["uid"] == .string(text) || object["status"] == 400, "\(object)")
                #expect((object["status"] == 401) == (!names && object["status"] != 400))
            }
            // Neither log contains terminal control characters.
            for log in [output, scenario.gateway.errors] {
                #expect(log.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\n" })
                #expect(!log.contains("\u{1B}"))
            }
        }
    }

    @Test(.tags(.l10, .l12)) func `an insecure option is logged at each start and counted`() async throws {
        let mode = "{ firebase: { project: demo-gatehouse, insecure_emulator: true } }"
        try await Scenario.run(arrange: { $2["identity"] = mode }) { scenario in
            let unsigned = scenario.provider.idToken(for: .ada).unsigned()
            for _ in 0..<2 {
                try await scenario.gateway.untilLogged("insecure_emulator")
                #expect(try scenario.metric("gatehouse_insecure_option", containing: "insecure_emulator") == 1)
                #expect(try scenario.send(.bearer(unsigned, "/me/x")).status == 200)
                // Signed tokens are rejected in this mode.
                #expect(try scenario.send(.bearer(scenario.token(), "/me/x")).status == 401)
                await scenario.gateway.kill()
                try await scenario.gateway.start()
            }
        }
        try await Scenario.run { scenario in
            #expect(!scenario.gateway.errors.contains("insecure"))
            #expect(try scenario.metric("gatehouse_insecure_option") == 0)
            let unsigned = scenario.provider.idToken(for: .ada).unsigned()
            try scenario.expectRefusal(.bearer(unsigned, "/me/x"), 401, "auth/invalid-id-token")
        }
    }
}
