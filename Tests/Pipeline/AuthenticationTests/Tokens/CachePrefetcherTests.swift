import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

/// Hints only speed up lookups. No decision depends on them, and nothing is read through them.
@Suite struct CachePrefetcherTests {
    private func address(_ hints: CachePrefetcher, of token: String) -> UInt {
        Array(token.utf8).withUnsafeBytes { bytes in
            hints.expect(bytes)
            hints.fetchAhead(bytes)
            return hints.address(of: bytes)
        }
    }

    private func record(_ token: String, in hints: CachePrefetcher) throws -> UInt {
        let entry = VerifiedTokenCache.Entry(
            principal: try TokenDraft.idToken().principal(), verifier: 0, keySetGeneration: 1,
            identity: RenderedIdentity(bytes: [1], lengthBeforeTime: 0, isTooLarge: false))
        Array(token.utf8).withUnsafeBytes { hints.record(entry, of: $0, in: (1, UInt.max)) }
        return UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
    }

    @Test func `a hint to a removed entry has no effect`() throws {
        let hints = CachePrefetcher(capacity: 64)
        let gone = try record("a.b.signature", in: hints)
        #expect(address(hints, of: "a.b.signature") == gone)
    }

    @Test(arguments: ["", "1234567"])
    func `a short token has a hint, too`(token: String) throws {
        let hints = CachePrefetcher(capacity: 2)
        #expect(address(hints, of: token) == 0)
        #expect(try record(token, in: hints) == address(hints, of: token))
    }

    @Test func `of two tokens with the same end the latest has the hint`() throws {
        let hints = CachePrefetcher(capacity: 64)
        _ = try record("first.12345678", in: hints)
        let second = try record("second.12345678", in: hints)
        #expect(address(hints, of: "first.12345678") == second)
    }
}
