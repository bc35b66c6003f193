import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// curl as a client of the gateway's own TLS, of its local socket and of its PROXY protocol.
@Suite(.enabled(if: Curl.program != nil, "there is no curl")) struct CurlTests {
    private static let host = "gateway.example"

    /// A gateway that listens with TLS; `more` are further keys of the `tls` section.
    private static func withTLS(
        _ more: String = "", others: TestAuthority? = nil, _ body: (Scenario, TestAuthority) async throws -> Void
    ) async throws {
        let authority = try TestAuthority(names: "DNS:\(host)")
        var tls = "certificate: '\(authority.certificate)', private_key: '\(authority.key)'"
        if let others {
            tls += ", certificates: [{ certificate: '\(others.certificate)', private_key: '\(others.key)' }]"
        }
        let listener = "[{ address: 127.0.0.1:0, tls: { \(tls)\(more.replacing("CA", with: authority.authority)) } }]"
        try await Scenario.run(arrange: { $2["listen"] = listener }) { try await body($0, authority) }
    }

    /// Calls a path over TLS by a name that the certificate has to bear.
    private func call(
        _ scenario: Scenario, _ path: String, trusting authority: TestAuthority, host: String = host,
        _ arguments: String...
    ) throws -> Curl.Outcome {
        let port = scenario.gateway.port
        let known = ["--cacert", authority.authority, "--resolve", "\(host):\(port):127.0.0.1"]
        return try Curl.call("https://\(host):\(port)\(path)", known + arguments)
    }

    @Test(arguments: ["1.2", "1.3"]) func aVerifiedCallPassesInEachVersion(version: String) async throws {
        try await Self.withTLS { scenario, authority in
            let outcome = try call(
                scenario, "/me/x", trusting: authority, "--http1.1", "--tlsv\(version)", "--tls-max", version,
                "--header", "Authorization: Bearer \(scenario.token())")
            #expect(outcome.status == 200, "\(outcome)")
            #expect(outcome.log.contains("TLSv\(version)"))
            let report = try #require(outcome.report)
            #expect(report["X-Forwarded-Proto"] == "https")
            #expect(report["X-Auth-Uid"] == DevelopmentUser.ada.uid)
        }
    }

    @Test func withoutATokenTLSGainsNothing() async throws {
        try await Self.withTLS { scenario, authority in
            let outcome = try call(scenario, "/me/x", trusting: authority)
            #expect(outcome.status == 401 && scenario.echo.requestCount == 0, "\(outcome)")
        }
    }

    @Test func whoOffersHTTP2IsServedWithHTTP1() async throws {
        try await Self.withTLS { scenario, authority in
            let outcome = try call(scenario, "/public/x", trusting: authority, "--http2")
            #expect(outcome.status == 200 && outcome.report != nil, "\(outcome)")
        }
    }

    @Test func aLargeUploadArrivesWhole() async throws {
        try await Self.withTLS { scenario, authority in
            let folder = try ScratchFolder()
            try folder.write(String(repeating: "0123456789abcdef", count: 200_000), to: "large")
            let upload = ["--data-binary", "@\(folder.path("large"))"]
            let outcome = try call(
                scenario, "/public/x", trusting: authority, upload[0], upload[1], "--header", "Expect: 100-continue")
            let direct = try Curl.call(scenario.echo.url + "/x", upload)
            #expect(outcome.status == 200, "\(outcome)")
            #expect(try #require(outcome.report).bodyChecksum == #require(direct.report).bodyChecksum)
        }
    }

    @Test func anUnknownAuthorityIsTheClientsToRefuse() async throws {
        try await Self.withTLS { scenario, _ in
            let outcome = try call(scenario, "/public/x", trusting: TestAuthority())
            #expect(outcome.exitCode == 60, "\(outcome)")
        }
    }

    @Test func theCertificateIsChosenByTheNameThatTheClientAsksFor() async throws {
        let other = try TestAuthority(names: "DNS:other.example,DNS:*.wild.example")
        try await Self.withTLS(others: other) { scenario, authority in
            #expect(try call(scenario, "/public/x", trusting: authority).status == 200)
            for name in ["other.example", "OTHER.example", "a.wild.example"] {
                let outcome = try call(scenario, "/public/x", trusting: other, host: name)
                #expect(outcome.status == 200, "\(name): \(outcome)")
            }
        }
    }

    @Test func aClientWithoutTheCertificateAskedForGetsNothing() async throws {
        try await Self.withTLS(", client_ca: 'CA'") { scenario, authority in
            let without = try call(scenario, "/public/x", trusting: authority)
            #expect(without.status == 0 && without.exitCode != 0, "\(without)")
            let with = try call(
                scenario, "/public/x", trusting: authority, "--cert", authority.clientCertificate, "--key",
                authority.clientKey)
            #expect(with.status == 200, "\(with)")
        }
    }

    @Test func aLocalSocketServes() async throws {
        let folder = try ScratchFolder()
        let listeners = "[{ address: 127.0.0.1:0 }, { address: 'unix:\(folder.path("s"))' }]"
        try await Scenario.run(arrange: { $2["listen"] = listeners }) { scenario in
            let (url, local) = ("http://\(Self.host)/me/x", ["--unix-socket", folder.path("s")])
            let outcome = try Curl.call(url, local + ["--header", "Authorization: Bearer \(scenario.token())"])
            #expect(outcome.status == 200, "\(outcome)")
            #expect(try Curl.call(url, local).status == 401)
        }
    }

    @Test func thePROXYHeaderOfCurlIsTakenAndAConnectionWithoutOneIsNot() async throws {
        let listeners = "[{ address: 127.0.0.1:0, proxy_protocol: true }]"
        try await Scenario.run(arrange: { $2["listen"] = listeners }) { scenario in
            let url = "http://127.0.0.1:\(scenario.gateway.port)/public/x"
            let outcome = try Curl.call(url, ["--haproxy-protocol"])
            #expect(outcome.status == 200, "\(outcome)")
            #expect(try #require(outcome.report)["X-Forwarded-For"] == "127.0.0.1")
            let without = try Curl.call(url)
            #expect(without.status == 0 && without.exitCode != 0, "\(without)")
        }
    }

    @Test func eventsOfAStreamAreReadToItsEnd() async throws {
        try await Self.withTLS { scenario, authority in
            let outcome = try call(scenario, "/public/events?count=5&every=20", trusting: authority, "--no-buffer")
            #expect(outcome.status == 200, "\(outcome)")
            #expect(outcome.body.split(separator: "\n").filter { $0.hasPrefix("data:") }.count == 5)
        }
    }
}
