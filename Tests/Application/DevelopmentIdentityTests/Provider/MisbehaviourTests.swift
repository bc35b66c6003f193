import DevelopmentIdentity
import IdentityFixtures
import JOSE
import Testing

@Suite struct MisbehaviourTests {
    private let endpoint = DevelopmentProvider.Endpoint.idTokenJWKSet

    private func bytes(_ misbehaviour: Misbehaviour) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await withProvider { provider in
            provider.misbehave(misbehaviour, at: endpoint)
            bytes = try await exchange(provider.port, endpoint.rawValue)
        }
        return bytes
    }

    private func response(_ misbehaviour: Misbehaviour) async throws -> Response {
        try await #require(Response(bytes(misbehaviour)))
    }

    @Test func aStatusAndItsBodyAreAnswered() async throws {
        let response = try await response(.status(503, body: "later"))
        #expect(response.status == 503)
        #expect(response.text == "later")
    }

    @Test func furtherFieldsAreAnswered() async throws {
        let response = try await response(.status(503, fields: ["Retry-After": "3"]))
        #expect(response.field("Retry-After") == "3")
        #expect(response.body.isEmpty)
    }

    @Test func anyBodyCanBeAnswered() async throws {
        #expect(try await response(.body("{\"error\":{}}")).text == "{\"error\":{}}")
    }

    @Test func aPageIsAnsweredWith200() async throws {
        let response = try await response(.html)
        #expect(response.status == 200)
        #expect(response.field("Content-Type") == "text/html; charset=utf-8")
    }

    @Test func theJSONBreaksOff() async throws {
        let response = try await response(.truncatedJSON)
        #expect(response.text.hasPrefix("{\"keys\""))
        #expect(response.field("Content-Length") == "\(response.body.count)")
        #expect(response.json == nil)
    }

    @Test func aSetHasNoKeysInTheFormOfItsEndpoint() async throws {
        #expect(try await response(.noKeys).text == "{\"keys\":[]}")
        try await withProvider { provider in
            provider.misbehave(.noKeys, at: .sessionX509)
            let path = DevelopmentProvider.Endpoint.sessionX509.rawValue
            let response = try await Response(exchange(provider.port, path))
            #expect(response?.text == "{}")
        }
    }

    @Test func aBodyIsOfTenMebibytes() async throws {
        let response = try await response(.oversized())
        #expect(response.body.count == 10_485_760)
        #expect(response.field("Content-Length") == "10485760")
    }

    @Test func aRedirectNamesItsTarget() async throws {
        let response = try await response(.redirect(to: "http://127.0.0.1:1/x"))
        #expect(response.status == 302)
        #expect(response.field("Location") == "http://127.0.0.1:1/x")
    }

    @Test(arguments: [301, 307, 308])
    func aRedirectMayHaveAnotherStatus(status: Int) async throws {
        #expect(try await response(.redirect(to: "http://127.0.0.1:1/x", status: status)).status == status)
    }

    @Test func aCompressedBodyIsSpacesThroughout() async throws {
        let response = try await response(.gzipBomb(bytes: 64))
        #expect(response.field("Content-Encoding") == "gzip")
        // As zlib inflates it: a space, then copies of it.
        #expect(response.body.prefix(15) == [31, 139, 8, 0, 0, 0, 0, 0, 0, 255, 0x53, 0x18, 0x05, 0xA3, 0x60])
        #expect(response.body[12..<25].elementsEqual(response.body[25..<38]))
    }

    @Test func anEndlessBodyGoesOnForWhoeverReads() async throws {
        try await withProvider { provider in
            provider.misbehave(.endless, at: endpoint)
            async let bytes = exchange(provider.port, endpoint.rawValue)
            await provider.waitForCalls(1, to: endpoint)
            await provider.stop()
            let text = String(decoding: try await bytes.prefix(1000), as: UTF8.self)
            #expect(text.contains("Transfer-Encoding: chunked\r\n\r\n10000000000\r\n0123456789"))
        }
    }

    @Test func whoLeavesAnEndlessBodyHoldsUpNobody() async throws {
        try await withProvider { provider in
            provider.misbehave(.endless, at: endpoint)
            for _ in 0..<8 {
                let client = try await SocketClient(port: provider.port)
                try await client.transmit("GET \(endpoint.rawValue) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                _ = try await client.read(until: "0123456789")
            }
            let path = DevelopmentProvider.Endpoint.sessionJWKSet.rawValue
            for _ in 0..<4 { #expect(try await Response(exchange(provider.port, path))?.status == 200) }
        }
    }

    @Test func aDrippedAnswerIsCompleteInTheEnd() async throws {
        var keys = DevelopmentKeys()
        keys.add(try .generate(.edDSA, keyID: "k"), for: .idToken)
        try await withProvider(keys: keys) { provider in
            provider.misbehave(.drip(interval: .microseconds(10)), at: endpoint)
            let response = try await #require(Response(exchange(provider.port, endpoint.rawValue)))
            #expect(try KeySet(jwkSet: response.body).keys.count == 1)
        }
    }

    @Test func aHangingRequestIsNeverAnswered() async throws {
        try await withProvider { provider in
            provider.misbehave(.hang, at: endpoint)
            async let bytes = exchange(provider.port, endpoint.rawValue)
            await provider.waitForCalls(1, to: endpoint)
            await provider.stop()
            let received = try await bytes
            #expect(received.isEmpty)
        }
    }

    @Test func aHeldAnswerComesOnceTheGateOpens() async throws {
        try await withProvider { provider in
            let gate = Gate()
            provider.misbehave(.held(gate), at: endpoint)
            async let bytes = exchange(provider.port, endpoint.rawValue)
            await provider.waitForCalls(1, to: endpoint)
            gate.open()
            let response = try await Response(bytes)
            #expect(response?.status == 200)
        }
    }

    @Test(arguments: [-3, 7])
    func theLengthIsWrong(difference: Int) async throws {
        let response = try await response(.wrongContentLength(by: difference))
        #expect(response.field("Content-Length") == "\(response.body.count + difference)")
    }

    @Test(arguments: [Misbehaviour.drop, .raw("")])
    func theConnectionClosesWithoutAnAnswer(misbehaviour: Misbehaviour) async throws {
        #expect(try await bytes(misbehaviour).isEmpty)
    }

    @Test func theConnectionIsReset() async throws {
        await #expect(throws: SocketClient.Failure(call: "recv", number: 104)) { try await bytes(.reset) }
    }

    @Test func rawBytesAreSentAsTheyAre() async throws {
        #expect(try await bytes(.raw("HTTP/1.1 200\n")) == Array("HTTP/1.1 200\n".utf8))
    }

    @Test func theCacheControlIsOddOrMissing() async throws {
        #expect(try await response(.cacheControl("max-age=-1")).field("Cache-Control") == "max-age=-1")
        #expect(try await response(.cacheControl(nil)).field("Cache-Control") == nil)
    }

    @Test func itLastsForSoManyAnswers() async throws {
        try await withProvider { provider in
            provider.misbehave(.status(500), at: endpoint, times: 2)
            var statuses: [Int?] = []
            for _ in 0..<3 {
                statuses.append(try await Response(exchange(provider.port, endpoint.rawValue))?.status)
            }
            #expect(statuses == [500, 500, 200])
        }
    }

    @Test func itEndsWhenItIsTakenBack() async throws {
        try await withProvider { provider in
            provider.misbehave(.status(500), at: endpoint)
            provider.misbehave(nil, at: endpoint)
            let response = try await Response(exchange(provider.port, endpoint.rawValue))
            #expect(response?.status == 200)
        }
    }

    @Test func otherEndpointsStayWell() async throws {
        try await withProvider { provider in
            provider.misbehave(.drop, at: endpoint)
            let path = DevelopmentProvider.Endpoint.idTokenX509.rawValue
            let response = try await Response(exchange(provider.port, path))
            #expect(response?.status == 200)
        }
    }

    @Test func connectionsAreRefusedUntilItListensAgain() async throws {
        try await withProvider { provider in
            let port = provider.port
            await provider.stopListening()
            await #expect(throws: SocketClient.Failure(call: "connect", number: 111)) {
                try await exchange(port, endpoint.rawValue)
            }
            try await provider.resumeListening()
            #expect(provider.port == port)
            let response = try await Response(exchange(port, endpoint.rawValue))
            #expect(response?.status == 200)
        }
    }

    @Test func openConnectionsEndWhenItStopsListening() async throws {
        try await withProvider { provider in
            let client = try await SocketClient(port: provider.port)
            try await client.transmit("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.read(until: "no such path")
            await provider.stopListening()
            #expect(try await client.readToEnd().isEmpty)
        }
    }
}
