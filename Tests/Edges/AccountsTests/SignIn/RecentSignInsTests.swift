import Accounts
import Revocation
import Testing

struct RecentSignInsTests {
    private let recent = RecentSignIns()

    private func user(_ name: String) -> UserKey { UserKey(uid: name, tenant: nil) }

    private func record(_ time: Int64, of name: String) {
        recent.record(
            RecentSignIns.SignIn(time: time, provider: "google.com", purpose: .signIn), of: user(name))
    }

    @Test func `the last sign-ins of each user are kept`() {
        for time in 0..<20 as Range<Int64> { record(time, of: "a") }
        record(1, of: "b")
        #expect(recent.signIns(of: user("a")).map(\.time) == Array(4..<20))
        #expect(recent.signIns(of: user("b")).count == 1)
        #expect(recent.signIns(of: UserKey(uid: "a", tenant: "t")).isEmpty)
    }

    @Test func `the number of users is bounded`() {
        for number in 0...RecentSignIns.userLimit { record(1, of: "\(number)") }
        #expect(recent.signIns(of: user("0")).isEmpty)
        #expect(recent.signIns(of: user("1")).count == 1)
    }
}
