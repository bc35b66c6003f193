import GatewayCore
import JOSE
import Testing

@testable import Revocation
@testable import StoreFixtures

/// The values of the fields of a hash.
@Suite struct RedisRecordTests {
    private func user(_ validSince: String?, _ disabled: String?) -> StoredUser {
        withBytes(validSince) { first in withBytes(disabled) { StoredUser(validSince: first, disabled: $0) } }
    }

    private func session(_ revoked: String?, _ signedInAt: String?) -> StoredSession {
        withBytes(revoked) { first in withBytes(signedInAt) { StoredSession(revoked: first, signedInAt: $0) } }
    }

    private func withBytes<Result>(_ text: String?, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return Array(text.utf8).withUnsafeBytes { body($0) }
    }

    @Test func `a missing field has no value`() {
        #expect(user(nil, nil) == StoredUser())
        #expect(session(nil, nil) == StoredSession())
    }

    @Test(arguments: [("0", 0), ("1", 1), ("1700000000", 1_700_000_000), ("100000000000", 100_000_000_000)])
    func `a time is seconds in decimal`(_ text: String, _ time: Int64) {
        #expect(user(text, "0").record == UserRecord(validSince: UnixTime(clamping: time)))
        #expect(session("0", text).record == SessionRecord(signedInAt: UnixTime(clamping: time)))
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "01", "00", "1.5", "1e9", "1 ", " 1", "0x1", "soon", "1\n", "\u{0}", "100000000001",
        "1700000000000", "9223372036854775808", "999999999999999999999999", "\u{0661}",
    ])
    func `any other time is faulty`(_ text: String) {
        #expect(user(text, "0").word == .faulty)
        #expect(session("0", text).word == .faulty)
    }

    @Test func `a flag is zero or one`() {
        #expect(user(nil, "0").record == UserRecord())
        #expect(user("5", "1").record == UserRecord(validSince: 5, disabled: true))
        #expect(session("1", nil).record == SessionRecord(revoked: true))
    }

    @Test(arguments: ["", "2", "-1", "01", "true", "yes", " 1", "1 ", "\u{0}"])
    func `any other flag is faulty`(_ text: String) {
        #expect(user("5", text).word == .faulty)
        #expect(session(text, "5").word == .faulty)
    }
}

/// Keys of the view.
@Suite struct StoreKeyTests {
    let hasher: SHA256Hasher

    init() throws {
        hasher = try #require(SHA256Hasher())
    }

    @Test func `the key of a user is the beginning of the hash`() throws {
        // SHA-256("abc") = ba7816bf8f01cfea414140de5dae2223...
        let key = try #require(StoreKey(user: "abc", hasher: hasher))
        #expect(key == StoreKey(high: 0xba78_16bf_8f01_cfea, low: 0x4141_40de_5dae_2223))
    }

    @Test func `bytes and strings have the same key`() throws {
        let uid = "héllo, a string that is not small enough for the stack"
        let bytes = Array(uid.utf8).withUnsafeBytes { StoreKey(userName: $0, hasher: hasher) }
        #expect(StoreKey(user: uid, hasher: hasher) == bytes)
    }

    @Test func `the separator between user and session is a part of the key`() {
        let keys = [("ab", "c"), ("a", "bc"), ("abc", "")].map { uid, session in
            StoreKey(user: uid, session: session, hasher: hasher)
        }
        #expect(Set(keys).count == 3)
    }

    @Test func `no key equals an empty slot`() {
        #expect(StoreKey(high: 0, low: 0).low != 0)
    }
}
