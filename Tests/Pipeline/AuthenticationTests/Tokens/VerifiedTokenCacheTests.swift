import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct VerifiedTokenCacheTests {
    private let hasher: SHA256Hasher

    init() throws {
        hasher = try SHA256Hasher.required()
    }

    private func key(_ number: Int) throws -> SHA256Digest {
        try #require(hasher.hash(Array("\(number)".utf8)))
    }

    private func entry(expiresAt: Int64 = ManualClock.start + 1000, generation: UInt64 = 1) throws
        -> VerifiedTokenCache.Entry
    {
        let principal = try TokenDraft.idToken().with("exp", "\(expiresAt)").principal()
        return VerifiedTokenCache.Entry(
            principal: principal, verifier: 0, keySetGeneration: generation, identity: .empty)
    }

    @Test func `an inserted entry is found until it is replaced or removed`() throws {
        var cache = VerifiedTokenCache(capacity: 8, bytes: 1 << 20)
        let (older, newer) = (try entry(), try entry(generation: 2))
        cache.insert(older, under: try key(1))
        #expect(cache.find(try key(1)) === older)
        #expect(cache.find(try key(2)) == nil)
        cache.insert(newer, under: try key(1))
        #expect(cache.find(try key(1)) === newer)
        #expect(cache.count == 1 && cache.byteCount == newer.cost)
        for _ in 0..<2 { cache.remove(try key(1)) }
        #expect(cache.find(try key(1)) == nil)
        #expect(cache.count == 0 && cache.byteCount == 0)
    }

    @Test func `a full set evicts the entry that expires first`() throws {
        var cache = VerifiedTokenCache(capacity: 8, bytes: 1 << 20)
        for number in 0..<8 {
            cache.insert(try entry(expiresAt: ManualClock.start + (number == 5 ? 10 : 1000)), under: try key(number))
        }
        cache.insert(try entry(), under: try key(8))
        #expect(cache.count == 8)
        #expect(cache.find(try key(5)) == nil)
        for number in [0, 1, 2, 3, 4, 6, 7, 8] { #expect(cache.find(try key(number)) != nil) }
    }

    @Test func `K-15: the number of entries is bounded`() throws {
        var cache = VerifiedTokenCache(capacity: 64, bytes: 1 << 30)
        var entry = try entry()
        for number in 0..<5000 {
            entry = try self.entry()
            cache.insert(entry, under: try key(number))
        }
        #expect(cache.count <= 64)
        #expect(cache.byteCount == cache.count * entry.cost)
        #expect(cache.find(try key(4999)) === entry)
    }

    @Test func `K-15: the bytes of entries are bounded`() throws {
        let limit = try entry().cost * 5 + 1
        var cache = VerifiedTokenCache(capacity: 64, bytes: limit)
        for number in 0..<1000 {
            let entry = try entry()
            cache.insert(entry, under: try key(number))
            #expect(cache.byteCount <= limit)
            #expect(cache.find(try key(number)) === entry)
        }
        #expect(cache.count <= 5)
    }

    @Test func `an entry larger than the cache is not inserted`() throws {
        var cache = VerifiedTokenCache(capacity: 8, bytes: 10)
        cache.insert(try entry(), under: try key(1))
        #expect(cache.count == 0)
    }
}
