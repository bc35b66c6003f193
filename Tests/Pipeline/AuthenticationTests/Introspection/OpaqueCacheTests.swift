import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct OpaqueCacheTests {
    @Test("G-01, G-03, G-14: what one entry of the configuration was told counts for no other")
    func entriesAreApart() throws {
        let rig = try OpaqueRig(
            .opaque("oauth.a"), .opaque("oauth.b") { $0.audiences = ["other"] },
            .opaque("oauth.c", url: "https://another.example/introspect"))
        rig.transport.always { _ in .success(OutboundResponse(status: 200, body: Array(activeAnswer().utf8))) }
        #expect(try rig.check("T", provider: 0).texts == ["accepted alice"])
        #expect(try rig.check("T", provider: 1).texts == ["refused audience"])
        #expect(try rig.check("T", provider: 2).texts == ["accepted alice"])
        #expect(rig.transport.count == 3)
        #expect(rig.transport.calls.last?.request.url == "https://another.example/introspect")
        #expect(try rig.check("T", provider: 0).texts == ["accepted alice"])
        #expect(rig.transport.count == 3)
    }

    @Test("G-04: a verdict belongs to a place and a hash, not to a text that is made of several")
    func keysAreApart() throws {
        let hasher = try #require(SHA256Hasher())
        let a = VerdictTable.Key(provider: 1, token: try #require(hasher.hash(Array("a|b".utf8))))
        let b = VerdictTable.Key(provider: 1, token: try #require(hasher.hash(Array("a".utf8))))
        #expect(a != b)
        #expect(a != VerdictTable.Key(provider: 2, token: a.token))
    }

    @Test("G-05: nothing of the token is kept once it was sent, nor told in the log")
    func tokensAreNotKept() throws {
        let rig = try OpaqueRig(.opaque())
        try rig.check("the-token-itself")
        try rig.check("another-token-itself")
        rig.transport.answer(0, activeAnswer())
        rig.transport.answer(1, 500, "the-token-itself s3cret")
        var shown = ""
        dump(rig.tokens, to: &shown)
        let parts = shown.split(separator: "\n").joined()
        #expect(!parts.contains("the-token-itself") && !parts.contains("s3cret"))
        // Bytes would be shown one by one.
        #expect(!shown.contains("- 116\n"))
        #expect(!rig.log.text.contains("itself") && !rig.log.text.contains("s3cret"))
        #expect(!rig.log.all.isEmpty)
    }

    @Test("G-06: an answer without exp counts for cache_for, from the start of the call")
    func withoutEnd() throws {
        let rig = try OpaqueRig(.opaque { $0.cacheFor = .seconds(60) })
        let asked = try rig.check("T")
        rig.time.advance(seconds: 1.5)
        rig.transport.answer(0, activeAnswer())
        #expect(rig.left(asked.all.first) == 58.5)
        rig.advance(58)
        #expect(try rig.check("T").texts == ["accepted alice"])
        #expect(rig.transport.count == 1)
        rig.advance(0.5)
        #expect(try rig.check("T").texts == [])
        #expect(rig.transport.count == 2)
    }

    @Test(
        "G-06: an end of the token's own bounds that, a far one does not",
        arguments: [
            (#""exp":1700000010"#, 10), (#""exp":1700000010.9"#, 10), (#""exp":1700009999"#, 60),
            (#""exp":9223372036854775807"#, 60), (#""exp":1e300"#, 60),
        ] as [(String, Double)])
    func ends(member: String, seconds: Double) throws {
        let rig = try OpaqueRig(.opaque { $0.cacheFor = .seconds(60) })
        let asked = try rig.check("T")
        rig.transport.answer(0, activeAnswer(member))
        #expect(asked.texts == ["accepted alice"])
        #expect(rig.left(asked.all.first) == seconds)
    }

    @Test func withoutCachingAnAnswerCountsForThoseWhoWaitedForIt() throws {
        let rig = try OpaqueRig(
            .opaque {
                $0.cacheFor = .zero; $0.cacheRefusedFor = .zero
            })
        let first = try rig.check("T")
        let second = try rig.check("T")
        rig.transport.answer(0, activeAnswer())
        #expect(first.texts == ["accepted alice"] && second.texts == ["accepted alice"])
        #expect(try rig.check("T").texts == [])
        rig.transport.answer(1, #"{"active":false}"#)
        try rig.check("T")
        #expect(rig.transport.count == 3)
    }

    @Test("G-09: a refusal counts for cache_refused_for, and an acceptance for no longer than cache_for")
    func boundedStaleness() throws {
        let rig = try OpaqueRig(
            .opaque {
                $0.cacheFor = .seconds(30); $0.cacheRefusedFor = .seconds(10)
            })
        let refused = try rig.check("T")
        rig.transport.answer(0, #"{"active":false}"#)
        #expect(refused.texts == ["refused inactive"])
        rig.advance(9.9)
        #expect(try rig.check("T").texts == ["refused inactive"])
        #expect(rig.transport.count == 1)
        rig.advance(0.1)
        let active = try rig.check("T")
        rig.transport.answer(1, activeAnswer())
        #expect(active.texts == ["accepted alice"])
        rig.advance(30)
        let again = try rig.check("T")
        rig.transport.answer(2, #"{"active":false}"#)
        #expect(again.texts == ["refused inactive"])
        #expect(try rig.check("T").texts == ["refused inactive"])
    }

    @Test("G-08: a flood of unknown tokens pushes out no good one, and memory is bounded")
    func floodAndMemory() throws {
        let rig = try OpaqueRig(.opaque { $0.rate = 10_000 })
        let good = try rig.check("good")
        rig.transport.answer(0, activeAnswer())
        #expect(good.texts == ["accepted alice"])
        rig.transport.always { _ in .success(OutboundResponse(status: 200, body: Array(#"{"active":false}"#.utf8))) }
        for flood in 0..<(2 * VerdictTable.refusedLimit) { try rig.check("unknown-\(flood)") }
        #expect(rig.tokens.remembered == (1, VerdictTable.refusedLimit))
        let before = rig.transport.count
        #expect(try rig.check("good").texts == ["accepted alice"])
        #expect(rig.transport.count == before)
        #expect(VerdictTable.acceptedLimit + VerdictTable.refusedLimit == 16_384)
    }

    @Test(
        "G-15: what no opaque token can be is refused, and nobody is asked",
        arguments: ["", "a b", "a\u{0}", "a\n", "ü", String(repeating: "x", count: OpaqueToken.sizeLimit + 1)])
    func notATokenAtAll(token: String) throws {
        let rig = try OpaqueRig(.opaque())
        #expect(try rig.check(token).texts == ["refused notOpaqueToken"])
        #expect(rig.transport.count == 0)
    }

    @Test func aPlaceWithoutAProviderHasNoVerdict() throws {
        let rig = try OpaqueRig(.opaque())
        #expect(try rig.check("T", provider: 1).texts == ["unavailable 1"])
    }

    @Test func providersWithoutOpaqueTokensHaveNoPlace() throws {
        let location = GatewayCore.SourceLocation(file: "test", line: 1, column: 1)
        let rig = try OpaqueRig(
            Configuration.Provider(id: "apple.com", kind: .apple, location: location), .opaque("oauth.b"))
        try rig.check("T", provider: 0)
        #expect(rig.transport.count == 1)
        #expect(rig.tokens.status().map(\.provider) == ["oauth.b"])
    }
}
