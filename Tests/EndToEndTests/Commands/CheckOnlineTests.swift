import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// `gatehouse check --online` against real dependencies.
struct CheckOnlineTests {
    /// Runs the check with a development provider and an upstream.
    private func check(
        keys: String? = nil, upstream: String? = nil, more: String = "store: 'sqlite:gatehouse.db'\n"
    ) async throws -> CommandRun {
        let provider = try await DevelopmentProvider.start()
        let echo = try await EchoUpstream.start()
        let folder = try ScratchFolder()
        let identity =
            "{ firebase: { project: demo-gatehouse, keys_url: '\(keys ?? provider.url(.idTokenJWKSet))', "
            + "session_keys_url: '\(provider.url(.sessionX509))' } }"
        try folder.write(
            """
            identity: \(identity)
            upstreams: { api: { servers: ['\(upstream ?? echo.url)'], connect_timeout: 5s } }
            routes: [{ path: '/{path=**}', upstream: api }]
            \(more)
            """, to: "gatehouse.yaml")
        // On a busy machine, a dependency can respond later than the check waits.
        let run = try await eventually("a check without a timeout") {
            let run = try await CommandRun.run("check", "--online", "--config", "gatehouse.yaml", in: folder)
            return run.output.contains(/timed out|in time;/) ? nil : run
        }
        await echo.stop()
        await provider.stop()
        #expect(
            !FileManager.default.fileExists(atPath: folder.path("gatehouse.db")), "the check does not create the store")
        return run
    }

    /// Expects exactly one failed line, which matches.
    private func expectFailure(
        _ run: CommandRun, _ line: Regex<Substring>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let failed = run.output.split(separator: "\n").filter { $0.hasPrefix("FAILED") }
        #expect(run.exitCode == 1 && failed.count == 1, "\(run.output)\(run.errors)", sourceLocation: sourceLocation)
        #expect(failed.first?.contains(line) == true, "\(failed)", sourceLocation: sourceLocation)
    }

    @Test func `dependencies that can be used are ok`() async throws {
        let run = try await check()
        #expect(run.exitCode == 0 && run.errors == "", "\(run.output)\(run.errors)")
        #expect(run.output.contains(/ok +key set +http:\S+ +[0-9]+ keys? of/))
        #expect(run.output.contains(/ok +store +sqlite:gatehouse.db +absent; the first start creates it/))
        #expect(run.output.contains(/ok +upstream +api http:\S+ +connected/))
    }

    @Test func `a wrong key URL fails`() async throws {
        let echo = try await EchoUpstream.start()
        expectFailure(
            try await check(keys: echo.url + "/keys"), /key set +http:\S+ +the response is not a key set.*; configure/)
        await echo.stop()
        expectFailure(try await check(keys: "http://127.0.0.1:1/keys"), /key set .*the connection failed.*; check/)
    }

    @Test func `a stopped upstream fails, and so does one without TLS`() async throws {
        expectFailure(
            try await check(upstream: "http://127.0.0.1:1"), /upstream +api \S+ +Connection refused; start the server/)
        let echo = try await EchoUpstream.start()
        expectFailure(
            try await check(upstream: "https://127.0.0.1:\(echo.port)"), /upstream +api \S+ +.*; check the server's/)
        await echo.stop()
    }

    @Test func `a store without a folder fails`() async throws {
        expectFailure(
            try await check(more: "store: 'sqlite:absent/gatehouse.db'\n"),
            /store .*folder absent is absent or.*create it/)
    }

    @Test func `a Redis is connected to and authenticated`() async throws {
        let redis = try await RedisServer(["requirepass right"], user: RedisServer.User(password: "right"))
        let good = try await check(more: "store: 'redis://:right@127.0.0.1:\(redis.port)'\n")
        #expect(good.exitCode == 0, "\(good.output)\(good.errors)")
        #expect(good.output.contains(/ok +store +redis:\S+ +connected, with the required permissions/))
        let bad = try await check(more: "store: 'redis://:wr0ng@127.0.0.1:\(redis.port)'\n")
        expectFailure(bad, /store .*rejected the user or password; check both/)
        #expect(!bad.output.contains("wr0ng"))
        redis.stop()
        expectFailure(
            try await check(more: "store: 'redis://127.0.0.1:\(redis.port)'\n"), /store .*the connection failed; check/)
    }

    @Test func `an expired certificate fails`() async throws {
        let files = try ScratchFolder()
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"]
        try Program.run("openssl", ["req", "-new", "-subj", "/CN=old", "-out", "old.csr"] + key, in: files.path)
        let signing = ["-signkey", "key.pem", "-days", "-1", "-out", "cert.pem"]
        try Program.run("openssl", ["x509", "-req", "-in", "old.csr"] + signing, in: files.path)
        let tls = "{ certificate: '\(files.path("cert.pem"))', private_key: '\(files.path("key.pem"))' }"
        let run = try await check(
            more: "store: 'sqlite::memory:'\nlisten: [{ address: '127.0.0.1:0', tls: \(tls) }]\n")
        expectFailure(run, /certificate .*expired at 20[0-9-]+T[0-9:]+Z, .* ago; renew it/)
    }
}
