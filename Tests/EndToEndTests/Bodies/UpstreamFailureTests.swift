import DevelopmentIdentity
import IdentityFixtures
import Testing

/// What the client is told when the service behind the gateway fails, and that nobody else suffers from it.
@Suite(.sharedScenario) struct UpstreamFailureTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test func aServiceThatIsDownIs502() throws {
        expectDenial(try scenario.send(.get("/down/x")), 502, "upstream/unreachable")
    }

    @Test func aServiceThatIsLateIs504() throws {
        expectDenial(try scenario.send(.get("/hasty/x?delay=5000")), 504, "upstream/timeout")
    }

    @Test(arguments: ["drop", "reset"])
    func aServiceThatHangsUpIs502(how: String) throws {
        expectDenial(try scenario.send(.get("/public/x?\(how)=1")), 502, "upstream/unreachable")
    }

    static let invalidHeads: [RawResponse] = [
        .garbage, .badStatus, .headless, .partialHead, .lengthAndChunked, .repeatedLength, .conflictingLengths,
        .negativeLength, .unknownCoding, .bareLF, .foldedField, .zeroByte, .spaceBeforeColon, .hugeHead, .manyFields,
        .switching, .badChunk,
    ]

    @Test(arguments: invalidHeads)
    func anAnswerThatIsNoneIs502(answer: RawResponse) throws {
        expectDenial(
            try scenario.send(.get("/public/x?raw=\(answer.rawValue)")), 502, "upstream/invalid-response")
    }

    @Test(arguments: [RawResponse.shortBody, .shortChunk])
    func anAnswerThatBreaksOffIsNotPassedOffAsWhole(answer: RawResponse) throws {
        let client = try RawClient(port: scenario.gateway.port)
        try client.send(WireRequest.get("/public/x?raw=\(answer.rawValue)").bytes)
        #expect(throws: (any Error).self) { try client.response() }
    }

    @Test func endlessInterimAnswersEnd() throws {
        let client = try RawClient(port: scenario.gateway.port)
        try client.send(WireRequest.get("/public/x?raw=endless-interim").bytes)
        var response = try client.response()
        var interim = 0
        while response.status == 103 {
            response = try client.response()
            interim += 1
        }
        #expect(response.status == 502 && interim == 16)
    }

    @Test func aSecondAnswerReachesNobody() throws {
        let client = try RawClient(port: scenario.gateway.port)
        for _ in 0..<5 {
            #expect(try client.exchange(.get("/public/poison?raw=second-response")).text == "hello")
            let report = try #require(EchoReport(try client.exchange(.get("/public/after-poison"))))
            #expect(report.path == "/public/after-poison")
        }
    }

    @Test func anOldServiceIsUnderstood() throws {
        let response = try scenario.send(.get("/public/x?raw=http-1.0"))
        #expect(response.text == "hello")
        #expect(response.version == "HTTP/1.1")
    }

    @Test func fieldsOfTheServicesConnectionEndAtTheGateway() throws {
        let response = try scenario.send(
            .get("/public/x?field=Connection:X-Hop&field=X-Hop:1&field=X-Kept:2&field=Keep-Alive:3"))
        #expect(response["X-Hop"] == nil && response["Keep-Alive"] == nil)
        #expect(response["X-Kept"] == "2")
    }

    @Test func errorsOfTheServiceAreItsOwn() throws {
        let response = try scenario.send(.get("/public/x?status=503"))
        #expect(response.status == 503)
        #expect(EchoReport(response) != nil)
    }
}
