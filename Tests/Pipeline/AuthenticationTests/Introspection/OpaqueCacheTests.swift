import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct OpaqueCacheTests {
    @Test func `G-01, G-03, G-14: a result of one provider entry applies to no other entry`() throws {
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

    @Test func `G-04: the key of a result is the provider and a hash`() throws {
        let hasher = try #require(SHA256Hasher())
        let a = VerdictTable.Key(provider: 1, token: try #require(hasher.hash(Array("a|b".utf8))))
        let b = VerdictTable.Key(provider: 1, token: try #require(hasher.hash(Array("a".utf8))))
        #expect(a != b)
        #expect(a != VerdictTable.Key(provider: 2, token: a.token))
    }

    @Test func `G-05: no token is kept after the call or logged`() throws {
        let rig = try OpaqueRig(.opaque())
        try rig.check("the-token-itself")
        try rig.check("another-token-itself")
        rig.transport.answer(0, activeAnswer())
        rig.transport.answer(1, 500, "the-token-itself s3cret")
        var shown = ""
        dump(rig.tokens, to: &shown)
        let parts = shown.split(separator: "\n").joined()
        #expect(!parts.contains("the-token-itself") && !parts.contains("s3cret"))
        // A dump would show bytes one by one.
        #expect(!shown.contains("- 116\n"))
        #expect(!rig.log.text.contains("itself") && !rig.log.text.contains("s3cret"))
        #expect(!rig.log.all.isEmpty)
    }

    @Test func `G-06: a response without exp is used for cache_for, from the start of the call`() throws {
        let rig = try OpaqueRig(.opaque { $0.cacheFor = .seconds(60) })
        let checked = try rig.check("T")
        rig.time.advance(seconds: 1.5)
        rig.transport.answer(0, activeAnswer())
        #expect(rig.left(checked.all.first) == 58.5)
        rig.advance(58)
        #expect(try rig.check("T").texts == ["accepted alice"])
        #expect(rig.transport.count == 1)
        rig.advance(0.5)
        #expect(try rig.check("T").texts == [])
        #expect(rig.transport.count == 2)
    }

    @Test(
        arguments: [
            (#""exp":1700000010"#, 10), (#""exp":1700000010.9"#, 10), (#""exp":1700009999"#, 60),
            (#""exp":9223372036854775807"#, 60), (#""exp":1e300"#, 60),
        ] as [(String, Double)])
    func `G-06: exp bounds the time in the cache, and cache_for bounds exp`(member: String, seconds: Double) throws {
        let rig = try OpaqueRig(.opaque { $0.cacheFor = .seconds(60) })
        let checked = try rig.check("T")
        rig.transport.answer(0, activeAnswer(member))
        #expect(checked.texts == ["accepted alice"])
        #expect(rig.left(checked.all.first) == seconds)
    }

    @Test func `without caching a response is used only for the requests that wait for it`() throws {
        let rig = try OpaqueRig(.opaque { ($0.cacheFor, $0.cacheRefusedFor) = (.zero, .zero) })
        let first = try rig.check("T")
        let second = try rig.check("T")
        rig.transport.answer(0, activeAnswer())
        #expect(first.texts == ["accepted alice"] && second.texts == ["accepted alice"])
        #expect(try rig.check("T").texts == [])
        rig.transport.answer(1, #"{"active":false}"#)
        try rig.check("T")
        #expect(rig.transport.count == 3)
    }

    @Test func `G-09: a rejection is used for cache_refused_for, and an acceptance for at most cache_for`() throws {
        let rig = try OpaqueRig(.opaque { ($0.cacheFor, $0.cacheRefusedFor) = (.seconds(30), .seconds(10)) })
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

    @Test func `G-08: unknown tokens evict no accepted token, and memory is bounded`() throws {
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

    @Test(arguments: ["", "a b", "a\u{0}", "a\n", "ü", String(repeating: "x", count: OpaqueToken.sizeLimit + 1)])
    func `G-15: text that is not an opaque token is rejected without a call`(token: String) throws {
        let rig = try OpaqueRig(.opaque())
        #expect(try rig.check(token).texts == ["refused notOpaqueToken"])
        #expect(rig.transport.count == 0)
    }

    @Test func `providers without opaque tokens have no index`() throws {
        let location = GatewayCore.SourceLocation(file: "test", line: 1, column: 1)
        let rig = try OpaqueRig(
            Configuration.Provider(id: "apple.com", kind: .apple, location: location), .opaque("oauth.b"))
        try rig.check("T", provider: 0)
        #expect(rig.transport.count == 1)
        #expect(rig.tokens.status().map(\.provider) == ["oauth.b"])
        #expect(try rig.check("T", provider: 1).texts == ["unavailable 1"])
    }
}
