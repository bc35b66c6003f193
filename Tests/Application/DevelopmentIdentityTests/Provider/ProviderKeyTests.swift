import DevelopmentIdentity
import JOSE
import Testing

@Suite struct ProviderKeyTests {
    private func response(_ provider: DevelopmentProvider, _ endpoint: DevelopmentProvider.Endpoint) async throws
        -> Response
    {
        try await #require(Response(exchange(provider.port, endpoint.rawValue)))
    }

    private func keySet(_ provider: DevelopmentProvider, _ endpoint: DevelopmentProvider.Endpoint) async throws
        -> KeySet
    {
        try KeySet(detecting: await response(provider, endpoint).body, now: noon)
    }

    @Test(arguments: [DevelopmentProvider.Endpoint.idTokenJWKSet, .idTokenX509])
    func idTokensVerifyWithThePublishedKeys(endpoint: DevelopmentProvider.Endpoint) async throws {
        try await withProvider { provider in
            let set = try await keySet(provider, endpoint)
            let token = try UnverifiedJWS(provider.sign(provider.idToken()))
            let key = try #require(set.key(id: token.keyID ?? ""))
            #expect(token.verify(with: key, algorithm: .rs256) != nil)
        }
    }

    @Test(arguments: [DevelopmentProvider.Endpoint.sessionJWKSet, .sessionX509])
    func sessionCookiesVerifyWithThePublishedKeys(endpoint: DevelopmentProvider.Endpoint) async throws {
        try await withProvider { provider in
            let set = try await keySet(provider, endpoint)
            let token = try UnverifiedJWS(provider.sign(provider.sessionCookie()))
            let key = try #require(set.key(id: token.keyID ?? ""))
            #expect(token.verify(with: key, algorithm: .rs256) != nil)
        }
    }

    @Test func idTokensAndSessionCookiesHaveDifferentKeys() async throws {
        try await withProvider { provider in
            let idKeys = try await keySet(provider, .idTokenX509).keys.compactMap(\.keyID)
            let sessionKeys = try await keySet(provider, .sessionX509).keys.compactMap(\.keyID)
            #expect(Set(idKeys).isDisjoint(with: sessionKeys))
        }
    }

    @Test func theAnswerSaysHowLongItMayBeKept() async throws {
        try await withProvider(maxAge: 17) { provider in
            let response = try await response(provider, .idTokenX509)
            #expect(response.field("Cache-Control") == "public, max-age=17")
            #expect(response.field("Content-Type") == "application/json")
        }
    }

    @Test func callsAreCountedByPath() async throws {
        try await withProvider { provider in
            for _ in 0..<3 { _ = try await response(provider, .idTokenJWKSet) }
            _ = try await response(provider, .sessionX509)
            #expect(provider.calls(to: .idTokenJWKSet) == 3)
            #expect(provider.calls(to: .sessionX509) == 1)
            #expect(provider.calls(to: .idTokenX509) == 0)
            #expect(provider.received.count == 4)
            await provider.waitForCalls(3, to: .idTokenJWKSet)
        }
    }

    @Test func aRotationKeepsTheOldKeyUntilItIsRemoved() async throws {
        try await withProvider { provider in
            let old = try #require(provider.keys.current(for: .idToken))
            let new = try provider.rotate(.idToken)
            #expect(try UnverifiedJWS(provider.sign(provider.idToken())).keyID == new.keyID)
            #expect(try await keySet(provider, .idTokenJWKSet).keys.compactMap(\.keyID) == [old.keyID, new.keyID])
            provider.updateKeys { $0.remove(keyID: old.keyID, for: .idToken) }
            #expect(try await keySet(provider, .idTokenJWKSet).keys.compactMap(\.keyID) == [new.keyID])
        }
    }

    @Test func aProviderWithoutKeysSignsNothing() async throws {
        try await withProvider(keys: DevelopmentKeys()) { provider in
            #expect(throws: DevelopmentIdentityError.self) { try provider.sign(provider.idToken()) }
        }
    }

    @Test func anUnknownPathIsNotFound() async throws {
        try await withProvider { provider in
            let response = try await Response(exchange(provider.port, "/x"))
            #expect(response?.status == 404)
        }
    }

    @Test func whatIsNoHTTPIsABadRequest() async throws {
        try await withProvider { provider in
            let client = try await SocketClient(port: provider.port)
            try await client.transmit("hello\r\n\r\n")
            let response = try await Response(client.readToEnd())
            #expect(response?.status == 400)
        }
    }

    @Test func aConnectionServesSeveralRequests() async throws {
        try await withProvider { provider in
            let client = try await SocketClient(port: provider.port)
            for count in 1...2 {
                try await client.transmit(
                    "GET \(DevelopmentProvider.Endpoint.idTokenJWKSet.rawValue) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await client.read(until: "\"use\":\"sig\"").hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(provider.calls(to: .idTokenJWKSet) == count)
            }
            #expect(provider.connectionCount == 1)
        }
    }

    @Test func aPortThatIsTakenIsAnError() async throws {
        try await withProvider { provider in
            await #expect(throws: DevelopmentIdentityError.self) {
                try await DevelopmentProvider.start(port: provider.port)
            }
        }
    }
}
