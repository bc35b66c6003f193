import DevelopmentIdentity
import IdentityFixtures
import Testing

/// Invalid responses of an upstream: the client gets an error, and no other request is affected.
@Suite(.sharedScenario) struct UpstreamFailureTests: SharedScenarioSuite {
    static let invalidHeads: [RawResponse] = [
        .garbage, .badStatus, .headless, .partialHead, .lengthAndChunked, .repeatedLength, .conflictingLengths,
        .negativeLength, .unknownCoding, .bareLF, .foldedField, .zeroByte, .spaceBeforeColon, .hugeHead, .manyFields,
        .switching, .badChunk,
    ]

    @Test(arguments: invalidHeads)
    func `an invalid response is 502`(answer: RawResponse) throws {
        expectDenial(
            try scenario.send(.get("/public/x?raw=\(answer.rawValue)")), 502, "upstream/invalid-response")
    }

    @Test func `a response with endless interim responses is 502`() throws {
        let client = try scenario.client(sending: WireRequest.get("/public/x?raw=endless-interim"))
        var response = try client.response()
        var interim = 0
        while response.status == 103 {
            response = try client.response()
            interim += 1
        }
        #expect(response.status == 502 && interim == 16)
    }

    @Test func `an unsolicited second response is dropped`() throws {
        let client = try scenario.connect()
        for _ in 0..<5 {
            #expect(try client.exchange(.get("/public/poison?raw=second-response")).text == "hello")
            let report = try #require(EchoReport(try client.exchange(.get("/public/after-poison"))))
            #expect(report.path == "/public/after-poison")
        }
    }

    @Test func `a response of HTTP/1.0 is forwarded`() throws {
        let response = try scenario.send(.get("/public/x?raw=http-1.0"))
        #expect(response.text == "hello")
        #expect(response.version == "HTTP/1.1")
    }

    @Test func `fields of the upstream's connection are not forwarded`() throws {
        let response = try scenario.send(
            .get("/public/x?field=Connection:X-Hop&field=X-Hop:1&field=X-Kept:2&field=Keep-Alive:3"))
        #expect(response["X-Hop"] == nil && response["Keep-Alive"] == nil)
        #expect(response["X-Kept"] == "2")
    }
}
