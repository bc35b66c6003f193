import JOSE
import Testing

@testable import Revocation
@testable import StoreFixtures

/// Keys of the view.
@Suite struct StoreKeyTests {
    let hasher: SHA256Hasher

    init() throws {
        hasher = try #require(SHA256Hasher())
    }

    @Test func aUsersKeyIsTheBeginningOfTheHash() throws {
        // SHA-256("abc") = ba7816bf8f01cfea414140de5dae2223...
        let key = try #require(StoreKey(user: "abc", hasher: hasher))
        #expect(key == StoreKey(high: 0xba78_16bf_8f01_cfea, low: 0x4141_40de_5dae_2223))
    }

    @Test func bytesAndStringsHaveTheSameKey() throws {
        let uid = "héllo, a string that is not small enough for the stack"
        let bytes = Array(uid.utf8).withUnsafeBytes { StoreKey(userName: $0, hasher: hasher) }
        #expect(StoreKey(user: uid, hasher: hasher) == bytes)
    }

    @Test func theBorderBetweenUserAndSessionCounts() {
        let keys = [("ab", "c"), ("a", "bc"), ("abc", "")].map { uid, session in
            StoreKey(user: uid, session: session, hasher: hasher)
        }
        #expect(Set(keys).count == 3)
    }

    @Test func noKeyLooksLikeAFreePlace() {
        #expect(StoreKey(high: 0, low: 0).low != 0)
    }
}
