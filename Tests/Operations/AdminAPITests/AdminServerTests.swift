import AdminAPI
import GatewayConfiguration
import GatewayCore
import NIOCore
import NIOPosix
import Testing

@testable import GatewayFixtures

struct AdminServerTests {
    let backend = FakeBackend()

    private func exchange(_ text: String, limits: AdminServer.Limits = .init()) async throws -> String {
        var limits = limits
        // On a busy machine, the client's thread can wait for seconds.
        (limits.headTimeout, limits.requestTimeout) = (.minutes(2), .minutes(2))
        var settings = Configuration.Admin()
        settings.token = Secret("s3cret")
        let server = try await AdminServer.start(
            address: SocketAddress(ipAddress: "127.0.0.1", port: 0), settings: settings, backend: backend,
            group: MultiThreadedEventLoopGroup.singleton, limits: limits)
        let response = try await RawClient.exchange(text, with: server.address)
        await server.close()
        return response
    }

    @Test func `the connection closes after a response`() async throws {
        let response = try await exchange("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(response.contains("Connection: close\r\n"))
        #expect(response.hasSuffix("\r\n\r\nok\n"))
    }

    @Test func `the response to HEAD has a length and no body`() async throws {
        let response = try await exchange("HEAD /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(response.contains("Content-Length: 3\r\n"))
        #expect(response.hasSuffix("\r\n\r\n"))
    }

    @Test func `a chunked revocation reaches the backend`() async throws {
        let response = try await exchange(
            "POST /v1/users/a%2Fb/revoke HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"at\": 1\r\n1\r\n}\r\n0\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(await backend.calls == ["revoke a/b 1"])
    }

    @Test func `a second request on the connection is not served`() async throws {
        let call = "POST /v1/users/a/disable HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\n\r\n"
        _ = try await exchange(call + call)
        #expect(await backend.calls == ["disable a"])
    }

    @Test func `a foreign host is rejected`() async throws {
        let response = try await exchange("GET /metrics HTTP/1.1\r\nHost: rebound.example\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 421 "))
    }

    @Test func `a connection above the limit is closed`() async throws {
        var limits = AdminServer.Limits()
        limits.connections = 0
        let response = try? await exchange("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", limits: limits)
        #expect(response == nil || response == "")
    }
}

/// Sends bytes to an address and returns all bytes until the end of the connection.
private enum RawClient {
    static func exchange(_ text: String, with address: SocketAddress) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var received = ""
            for try await part in inbound { received += String(buffer: part) }
            return received
        }
    }
}
