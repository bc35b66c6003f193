import AdminAPI
import NIOCore
import NIOPosix
import Testing

@testable import GatewayFixtures

@Suite struct AdminServerTests {
    let backend = FakeBackend()

    private func exchange(_ text: String, limits: AdminServer.Limits = .init()) async throws -> String {
        let server = try await AdminServer.start(
            address: SocketAddress(ipAddress: "127.0.0.1", port: 0), token: "s3cret", backend: backend,
            group: MultiThreadedEventLoopGroup.singleton, limits: limits)
        let answer = try await RawClient.exchange(text, with: server.address)
        await server.close()
        return answer
    }

    @Test func itAnswersOverARealConnectionAndClosesIt() async throws {
        let answer = try await exchange("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("Connection: close\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nok\n"))
    }

    @Test func aHeadRequestGetsTheLengthAndNoBody() async throws {
        let answer = try await exchange("HEAD /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(answer.contains("Content-Length: 3\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test func aRevocationInChunksReachesTheBackend() async throws {
        let answer = try await exchange(
            "POST /v1/users/a%2Fb/revoke HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"at\": 1\r\n1\r\n}\r\n0\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(await backend.calls == ["revoke a/b 1"])
    }

    @Test func aSecondRequestOnTheConnectionIsNotServed() async throws {
        let call = "POST /v1/users/a/disable HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\n\r\n"
        _ = try await exchange(call + call)
        #expect(await backend.calls == ["disable a"])
    }

    @Test func aForeignHostIsRefused() async throws {
        let answer = try await exchange("GET /metrics HTTP/1.1\r\nHost: rebound.example\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 421 "))
    }

    @Test func aConnectionOverTheLimitIsClosed() async throws {
        var limits = AdminServer.Limits()
        limits.connections = 0
        let answer = try? await exchange("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", limits: limits)
        #expect(answer == nil || answer == "")
    }
}
