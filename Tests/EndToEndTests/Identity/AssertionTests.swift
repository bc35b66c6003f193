import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

/// The signed assertion. An upstream verifies it with the published keys only.
@Suite struct AssertionTests {
    /// Creates key files, with the library that also reads them, and a gateway that uses them.
    private struct Keys {
        let folder: ScratchFolder

        init(_ names: String...) throws {
            folder = try ScratchFolder()
            for name in names {
                try folder.write(
                    String(decoding: SigningKey.generate(.es256, keyID: "").pem(), as: UTF8.self), to: name)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(name))
            }
        }

        func id(_ name: String) throws -> String {
            try SigningKey(pem: Array(folder.read(name).utf8), algorithm: .es256).keyID
        }

        func section(_ key: String, previous: String..., more: String = "") -> String {
            let previous = previous.map { "'\(folder.path($0))'" }.joined(separator: ", ")
            let list = previous.isEmpty ? "" : ", previous_keys: [\(previous)]"
            return "{ assertion: { key: '\(folder.path(key))'\(list)\(more) } }"
        }
    }

    private func published(_ scenario: Scenario) throws -> KeySet {
        let answer = try scenario.send(.get("/.gatehouse/jwks.json"))
        #expect(answer.status == 200)
        return try KeySet(jwkSet: answer.body)
    }

    /// Verifies the assertion that an upstream received, and returns its claims.
    private func claims(
        _ report: EchoReport, _ keys: KeySet, audience: String = "api", issuer: String = "gatehouse"
    ) throws -> JSONValue {
        #expect(report.values("X-Auth-Assertion").count == 1)
        let token = try UnverifiedJWS(report["X-Auth-Assertion"] ?? "")
        #expect(token.type == "gatehouse-assertion+jwt")
        let keyID = try #require(token.keyID)
        let key = try #require(keys.key(id: keyID))
        let claims = try #require(token.verify(with: key, algorithm: .es256)).payload.root
        #expect(claims["iss"]?.string == issuer && claims["aud"]?.string == audience)
        let (issued, end) = (try #require(claims["iat"]?.integer), try #require(claims["exp"]?.integer))
        #expect(issued <= unixNow() && unixNow() < end)
        return claims
    }

    @Test func `an upstream can verify the assertion with the published keys`() async throws {
        let keys = try Keys("key.pem")
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["headers"] = keys.section("key.pem", more: ", lifetime: 10m, issuer: 'https://gw.example'")
        }) { scenario in
            let token = try scenario.token()
            let report = try scenario.passes(.bearer(token, "/me/x"))
            let claims = try claims(report, try published(scenario), issuer: "https://gw.example")
            #expect(claims["sub"]?.string == "ada" && report.values("X-Auth-Uid") == ["ada"])
            #expect(JSON(parsing: claims["auth"]?.compact ?? []) == report.auth)
            let (issued, end) = (try #require(claims["iat"]?.integer), try #require(claims["exp"]?.integer))
            #expect(end - issued == 600)
        }
    }

    @Test func `A-21: only signed-in requests have an assertion, which is that of the gateway`() async throws {
        let keys = try Keys("key.pem")
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["headers"] = keys.section("key.pem")
        }) { scenario in
            let forged = "X_Auth_Assertion: eyJhbGciOiJub25lIn0.e30."
            for path in ["/public/x", "/optional/x"] {
                let report = try scenario.passes(.get(path, forged))
                #expect(!report.lines.contains { $0.contains("assertion") })
            }
            let report = try scenario.passes(.bearer(scenario.token(), "/me/x", forged))
            #expect(report.lines.filter { $0.contains("assertion") }.count == 1)
            _ = try claims(report, try published(scenario))
        }
    }

    @Test func `A-21: an assertion is for one upstream`() async throws {
        let keys = try Keys("key.pem")
        try await Scenario.run(arrange: { _, echo, configuration in
            configuration["headers"] = keys.section("key.pem")
            configuration["upstreams"] = "{ api: { servers: ['\(echo.url)'] }, other: { servers: ['\(echo.url)'] } }"
            configuration.routes = ["path: /me/**, upstream: api", "path: /other/**, upstream: other"]
        }) { scenario in
            let (token, published) = (try scenario.token(), try published(scenario))
            _ = try claims(scenario.passes(.bearer(token, "/me/x")), published)
            _ = try claims(scenario.passes(.bearer(token, "/other/x")), published, audience: "other")
        }
    }

    @Test func `keys are rotated without a denial`() async throws {
        let keys = try Keys("old.pem", "new.pem")
        // First the new key is published in addition to the signing key. Then the new key signs.
        for (section, signing) in [
            (keys.section("old.pem", previous: "new.pem"), "old.pem"),
            (keys.section("new.pem", previous: "old.pem"), "new.pem"),
        ] {
            try await Scenario.run(arrange: { _, _, configuration in configuration["headers"] = section }) { scenario in
                let published = try published(scenario)
                let expected: Set = [try keys.id("old.pem"), try keys.id("new.pem")]
                #expect(Set(published.keys.compactMap(\.keyID)) == expected)
                let report = try scenario.passes(.bearer(scenario.token(), "/me/x"))
                _ = try claims(report, published)
                let token = try UnverifiedJWS(report["X-Auth-Assertion"] ?? "")
                #expect(token.keyID == (try keys.id(signing)))
            }
        }
    }

    @Test func `the published keys need no credential`() async throws {
        let keys = try Keys("key.pem")
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["headers"] = keys.section("key.pem")
        }) { scenario in
            let head = try scenario.send(WireRequest(method: "HEAD", target: "/.gatehouse/jwks.json"))
            #expect(head.status == 200 && head.body.isEmpty)
            let post = try scenario.send(WireRequest(method: "POST", target: "/.gatehouse/jwks.json"))
            #expect(post.status == 405 && post["Allow"] == "GET, HEAD")
            #expect(try scenario.send(.get("/.gatehouse/other")).status == 404)
        }
    }

    @Test func `check reads the key files`() async throws {
        let keys = try Keys("key.pem")
        try keys.folder.write(CheckTests.valid + "headers: { assertion: { key: key.pem } }\n", to: "good.yaml")
        try keys.folder.write(CheckTests.valid + "headers: { assertion: { key: absent.pem } }\n", to: "bad.yaml")
        let id = try keys.id("key.pem")
        let good = try await CommandRun.run("check", "--config", "good.yaml", in: keys.folder)
        #expect(good.exitCode == 0 && good.output.contains("signed by the key \(id)"))
        #expect(good.errors == "")
        let bad = try await CommandRun.run("check", "--config", "bad.yaml", in: keys.folder)
        #expect(bad.exitCode == 1 && bad.errors.contains("bad.yaml:6:25: the key file 'absent.pem': cannot be read"))
    }

    @Test func `C-15: a gateway without its key does not start`() async throws {
        let folder = try ScratchFolder()
        try folder.write(CheckTests.valid + "headers: { assertion: { key: absent.pem } }\n", to: "gatehouse.yaml")
        let run = try await CommandRun.run("serve", "--config", "gatehouse.yaml", in: folder)
        #expect(run.exitCode == 1 && run.errors.contains("the key file 'absent.pem': cannot be read"))
    }
}
