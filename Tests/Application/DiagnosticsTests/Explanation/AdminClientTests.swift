import AdminAPI
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import NIOCore
import NIOPosix
import Revocation
import Testing

@testable import Diagnostics
@testable import GatewayFixtures
@testable import StoreFixtures

@Suite struct AdminClientTests {
    private let backend = FakeBackend()

    private func withServer<Answer: Sendable>(
        token: String? = "s3cret", _ body: (ListenAddress) async throws -> Answer
    ) async throws -> Answer {
        var settings = Configuration.Admin()
        settings.token = token.map { Secret($0) }
        let server = try await AdminServer.start(
            address: SocketAddress(ipAddress: "127.0.0.1", port: 0), settings: settings, backend: backend,
            group: MultiThreadedEventLoopGroup.singleton)
        let address = ListenAddress(host: "127.0.0.1", port: server.address.port ?? 0)
        do {
            let answer = try await body(address)
            await server.close()
            return answer
        } catch {
            await server.close()
            throw error
        }
    }

    private func client(_ address: ListenAddress?, token: String? = "s3cret") throws(AdminClientError) -> AdminClient {
        var admin = Configuration.Admin()
        admin.address = address
        admin.token = token.map { Secret($0) }
        return try AdminClient(admin)
    }

    @Test(arguments: ["ann", "a/b", "..", ".", "a b?c#d%e", "ü\u{0}ser:x", "%2F"].filter { !$0.contains("\u{0}") })
    func `any uid is sent unchanged`(uid: String) async throws {
        let record = try await withServer { try await client($0).revoke(UserKey(uid), at: 42) }.record
        #expect(record == UserRecord(validSince: 42))
        #expect(await backend.calls == ["revoke \(uid) 42"])
    }

    @Test func `without a time the gateway uses the present`() async throws {
        _ = try await withServer { try await client($0).revoke("ann") }
        #expect(await backend.calls == ["revoke ann now"])
    }

    @Test func `records are read`() async throws {
        try await withServer { address in
            let client = try client(address)
            #expect(try await client.user("ann").record == UserRecord(validSince: 17))
            #expect(try await client.session("ann", "5").record == SessionRecord(revoked: false, signedInAt: 7))
        }
    }

    @Test func `each change is sent, and its document is returned`() async throws {
        try await withServer { address in
            let client = try client(address)
            let tenant = UserKey(uid: "ann", tenant: "acme")
            #expect(try await client.change(tenant, .disable).record == UserRecord(disabled: true))
            #expect(try await client.change("ann", .enable).record == UserRecord())
            let project = UserKey(uid: "ann", tenant: "acme", project: "my-app")
            #expect(try await client.change(project, .disable).record == UserRecord(disabled: true))
            let reply = try await client.change("ann", .unrevoke)
            #expect(
                reply.json == #"{"uid":"ann","valid_since":null,"disabled":false,"#
                    + #""write_back":{"local":true,"identity_toolkit":"off"}}"#)
            #expect(try await client.revokeSession("ann", "s/1").record == SessionRecord(revoked: true))
            #expect(try await client.reload().record == 7)
        }
        #expect(
            await backend.calls == [
                "disable acme/ann", "enable ann", "disable my-app/acme/ann", "unrevoke ann", "session ann s/1",
                "reload",
            ])
    }

    @Test func `the status has details with the token only`() async throws {
        await backend.lack("serving", why: "draining")
        for (token, sent) in [("s3cret", "s3cret"), ("s3cret", nil), (nil, "s3cret")] {
            let report = try await withServer(token: token) { address in
                var admin = Configuration.Admin()
                admin.address = address
                admin.token = sent.map { Secret($0) }
                return try await AdminClient(admin, needsToken: false).status()
            }
            #expect(!report.isReady)
            #expect(report.checks.map(\.why) == [nil, "draining"])
            #expect((report.details != nil) == (token == sent))
            if let details = report.details {
                #expect(details.version == "1.2.3" && details.generation == 4 && details.startedAt == 5)
                #expect(details.store.kind == "redis" && details.store.trouble == "down" && !details.store.isWritable)
                #expect(details.keySets.map(\.keys) == [1])
                #expect(details.servers.map(\.healthy) == [1] && details.servers[0].hasHealthChecks)
            }
        }
    }

    @Test func `a rejected reload has its reason`() async throws {
        await backend.fail(with: .invalid("gatehouse.yaml:1:1: what; what to do"))
        try await withServer { address in
            let error = await #expect(throws: AdminClientError.self) { try await client(address).reload() }
            #expect(error?.description.contains("gatehouse.yaml:1:1: what; what to do") == true)
        }
    }

    @Test func `a wrong token is reported with the address`() async throws {
        try await withServer { address in
            let error = await #expect(throws: AdminClientError.self) {
                try await client(address, token: "wrong").user("a")
            }
            #expect(error == .wrongToken("\(address)"))
        }
    }

    @Test func `a gateway without a token is reported as such`() async throws {
        try await withServer(token: nil) { address in
            let error = await #expect(throws: AdminClientError.self) { try await client(address).user("a") }
            #expect(error == .noAPI("\(address)"))
        }
    }

    @Test func `an unavailable store is reported`() async throws {
        await backend.fail(with: .storeUnavailable)
        try await withServer { address in
            let error = await #expect(throws: AdminClientError.self) { try await client(address).revoke("a") }
            #expect(error?.description.hasPrefix("the gateway could not respond:") == true)
        }
    }

    @Test func `a response of another service is rejected`() async throws {
        let echo = try await EchoUpstream.start()
        let error = await #expect(throws: AdminClientError.self) {
            try await client(ListenAddress(host: "127.0.0.1", port: echo.port)).revoke("a")
        }
        #expect(error == .foreign(200))
        await echo.stop()
    }

    @Test func `a refused connection is reported as a missing gateway`() async throws {
        let echo = try await EchoUpstream.start()
        await echo.stop()
        let error = await #expect(throws: AdminClientError.self) {
            try await client(ListenAddress(host: "127.0.0.1", port: echo.port)).user("a")
        }
        #expect(error?.isConnectionRefused == true)
    }

    @Test func `a configuration without an admin API is reported before any request`() {
        #expect(throws: AdminClientError.noListener) { try client(nil) }
        #expect(throws: AdminClientError.noPort) { try client(ListenAddress(host: "127.0.0.1", port: 0)) }
        #expect(throws: AdminClientError.noToken) { try client(ListenAddress(host: "127.0.0.1", port: 1), token: nil) }
    }

    @Test func `a wildcard address is replaced by loopback`() throws {
        #expect(try client(ListenAddress(host: "0.0.0.0", port: 1)).address.host == "127.0.0.1")
        #expect(try client(ListenAddress(host: "::", port: 1)).address.host == "::1")
    }
}
