import GatewayCore
import Testing

@testable import Revocation

/// What the fields of a hash say, whoever wrote them.
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

    @Test func aFieldThatIsNotThereSaysNothing() {
        #expect(user(nil, nil) == StoredUser())
        #expect(session(nil, nil) == StoredSession())
    }

    @Test(arguments: [("0", 0), ("1", 1), ("1700000000", 1_700_000_000), ("100000000000", 100_000_000_000)])
    func aTimeIsSecondsInDecimal(_ text: String, _ time: Int64) {
        #expect(user(text, "0").record == UserRecord(validSince: UnixTime(clamping: time)))
        #expect(session("0", text).record == SessionRecord(signedInAt: UnixTime(clamping: time)))
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "01", "00", "1.5", "1e9", "1 ", " 1", "0x1", "soon", "1\n", "\u{0}", "100000000001",
        "1700000000000", "9223372036854775808", "999999999999999999999999", "\u{0661}",
    ])
    func anythingElseIsFaulty(_ text: String) {
        #expect(user(text, "0").word == .faulty)
        #expect(session("0", text).word == .faulty)
    }

    @Test func aFlagIsZeroOrOne() {
        #expect(user(nil, "0").record == UserRecord())
        #expect(user("5", "1").record == UserRecord(validSince: 5, disabled: true))
        #expect(session("1", nil).record == SessionRecord(revoked: true))
    }

    @Test(arguments: ["", "2", "-1", "01", "true", "yes", " 1", "1 ", "\u{0}"])
    func anyOtherFlagIsFaulty(_ text: String) {
        #expect(user("5", text).word == .faulty)
        #expect(session(text, "5").word == .faulty)
    }
}
