import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// One gateway for the whole suite, with a TLS listener that has the default protocols.
struct SecureScenarioTrait: SuiteTrait, TestScoping {
    @TaskLocal static var authority: TestAuthority?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        try await Scenario.run(arrange: { $2.listen(authority.certificate, authority.key) }) { scenario in
            try await Scenario.$shared.withValue(scenario) {
                try await Self.$authority.withValue(authority) { try await function() }
            }
        }
    }
}

/// HTTP/2 clients of other projects. They select the protocol by ALPN.
@Suite(SecureScenarioTrait()) struct HTTP2ClientPeerTests: SharedScenarioSuite {
    private var url: String { "https://localhost:\(scenario.gateway.port)" }
    private var authority: String { SecureScenarioTrait.authority?.authority ?? "" }

    /// The tools of the package nghttp2-client.
    static let nghttp = ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + "nghttp" }.first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test func `curl sends 20 requests in parallel on one connection`() async throws {
        let answer = try await SecureCall.curl(
            ["--http2", "-Z", "-o", "/dev/null", "-w", "%{http_version} %{http_code} %{num_connects}\\n"],
            "https://localhost:PORT/public/[1-20]?delay=20", port: scenario.gateway.port, authority: authority)
        // curl 7.88 prints its progress in spite of -s.
        let lines = answer.output.split(separator: "\n").filter { $0.hasPrefix("2 200 ") }
        #expect(lines.count == 20, "\(answer.output)")
        #expect(lines.count { $0.hasSuffix(" 1") } == 1, "\(answer.output)")
    }

    @Test(.enabled(if: nghttp != nil, "nghttp is not installed: script/setup --test installs it"))
    func `nghttp gets each response, and no error`() async throws {
        let folder = try ScratchFolder()
        try folder.write(String(repeating: "a", count: 200_000), to: "body")
        for more in [[], ["-d", folder.path("body"), "--trailer", "x-checksum: 1"]] {
            let result = try await SecureCall.run(
                "nghttp", ["-n", "-v", "-y", "-m", "5"] + more + ["\(url)/public/a", "\(url)/public/b"])
            #expect(result.exitCode == 0)
            #expect(result.output.matches(of: /:status: 200/).count == 10, "\(result.output.suffix(2_000))")
            #expect(!result.output.contains("recv RST_STREAM") && !result.output.contains("recv GOAWAY"))
        }
    }

    @Test(.enabled(if: nghttp != nil, "h2load is not installed: script/setup --test installs it"))
    func `h2load gets each response`() async throws {
        let result = try await SecureCall.run("h2load", ["-n", "100", "-c", "2", "-m", "20", "\(url)/public/a"])
        #expect(result.output.contains("Application protocol: h2"), "\(result.output)")
        #expect(result.output.contains("100 succeeded, 0 failed, 0 errored"), "\(result.output)")
        #expect(result.output.contains("status codes: 100 2xx"), "\(result.output)")
    }

    /// Prints the results of httpx.
    private static let httpx = """
        import asyncio, ssl, sys, httpx
        url, authority, token = sys.argv[1:]
        bearer = {"authorization": "Bearer " + token}
        async def parts():
            for _ in range(4):
                yield b"x" * 50000
        async def main():
            async with httpx.AsyncClient(http2=True, verify=ssl.create_default_context(cafile=authority)) as client:
                answers = await asyncio.gather(*(client.get(f"{url}/public/{number}") for number in range(20)))
                print({answer.http_version for answer in answers}, {answer.status_code for answer in answers})
                answer = await client.post(url + "/me/upload", content=parts(), headers=bearer)
                print(answer.status_code, answer.json()["body_checksum"])
                denied = await client.get(url + "/me/x")
                print(denied.http_version, denied.status_code, denied.json()["code"])
        asyncio.run(main())
        """

    @Test(
        .enabled(
            if: RealHTTP2Server.interpreter != nil, "GATEHOUSE_ORACLE_PYTHON names no Python: script/test sets it"))
    func `httpx sends requests in parallel, a long body, and reads a denial`() throws {
        let output = try Program.run(
            RealHTTP2Server.interpreter ?? "", ["-c", Self.httpx, url, authority, scenario.token()])
        let checksum = String(FNV1a.checksum(Array(repeating: 0x78, count: 200_000)), radix: 16)
        #expect(
            output.split(separator: "\n") == [
                "{'HTTP/2'} {200}", "200 \(checksum)", "HTTP/2 401 auth/missing-credential",
            ])
    }
}
