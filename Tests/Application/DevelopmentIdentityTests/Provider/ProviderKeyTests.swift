import DevelopmentIdentity
import JOSE
import Testing

@Suite(.provider) struct ProviderKeyTests {
    private let provider: DevelopmentProvider

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func keySet(_ endpoint: DevelopmentProvider.Endpoint) async throws -> KeySet {
        try KeySet(detecting: try await provider.response(at: endpoint).body, now: noon)
    }

    @Test(arguments: [DevelopmentProvider.Endpoint.idTokenJWKSet, .idTokenX509, .sessionJWKSet, .sessionX509])
    func `tokens verify with the published keys`(endpoint: DevelopmentProvider.Endpoint) async throws {
        let isIDToken = [.idTokenJWKSet, .idTokenX509].contains(endpoint)
        let token = try UnverifiedJWS(provider.sign(isIDToken ? provider.idToken() : provider.sessionCookie()))
        let key = try #require(try await keySet(endpoint).key(id: token.keyID ?? ""))
        #expect(token.verify(with: key, algorithm: .rs256) != nil)
    }

    @Test func `id tokens and session cookies have different keys`() async throws {
        let idKeys = try await keySet(.idTokenX509).keys.compactMap(\.keyID)
        let sessionKeys = try await keySet(.sessionX509).keys.compactMap(\.keyID)
        #expect(Set(idKeys).isDisjoint(with: sessionKeys))
    }

    @Test func `the response has a maximum age`() async throws {
        try await withProvider(maxAge: 17) { provider in
            let response = try await provider.response(at: .idTokenX509)
            #expect(response.field("Cache-Control") == "public, max-age=17")
            #expect(response.field("Content-Type") == "application/json")
        }
    }

    @Test func `calls are counted by path`() async throws {
        for _ in 0..<3 { _ = try await provider.response(at: .idTokenJWKSet) }
        _ = try await provider.response(at: .sessionX509)
        #expect(provider.calls(to: .idTokenJWKSet) == 3)
        #expect(provider.calls(to: .sessionX509) == 1)
        #expect(provider.calls(to: .idTokenX509) == 0)
        #expect(provider.received.count == 4)
        await provider.waitForCalls(3, to: .idTokenJWKSet)
    }

    @Test func `a rotation keeps the old key until it is removed`() async throws {
        let old = try #require(provider.keys.current(for: .idToken))
        let new = try provider.rotate(.idToken)
        #expect(try UnverifiedJWS(provider.sign(provider.idToken())).keyID == new.keyID)
        #expect(try await keySet(.idTokenJWKSet).keys.compactMap(\.keyID) == [old.keyID, new.keyID])
        provider.updateKeys { $0.remove(keyID: old.keyID, for: .idToken) }
        #expect(try await keySet(.idTokenJWKSet).keys.compactMap(\.keyID) == [new.keyID])
    }

    @Test func `a provider without keys signs nothing`() async throws {
        try await withProvider(keys: DevelopmentKeys()) { provider in
            #expect(throws: DevelopmentIdentityError.self) { try provider.sign(provider.idToken()) }
        }
    }

    @Test func `an unknown path is not found`() async throws {
        #expect(try await provider.response("/x").status == 404)
    }

    @Test func `bytes that are not HTTP are a bad request`() async throws {
        #expect(try await response(to: "hello\r\n\r\n", port: provider.port).status == 400)
    }

    @Test func `a connection serves several requests`() async throws {
        let client = try await SocketClient(port: provider.port)
        for count in 1...2 {
            try await client.transmit(
                "GET \(DevelopmentProvider.Endpoint.idTokenJWKSet.rawValue) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await client.read(until: "\"use\":\"sig\"").hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(provider.calls(to: .idTokenJWKSet) == count)
        }
        #expect(provider.connectionCount == 1)
    }

    @Test func `a port that is taken is an error`() async throws {
        await #expect(throws: DevelopmentIdentityError.self) {
            try await DevelopmentProvider.start(port: provider.port)
        }
    }
}
