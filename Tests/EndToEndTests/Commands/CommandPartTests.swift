import DevelopmentIdentity
import Foundation
import Testing

@testable import gatehouse

/// Parts of the commands that need no child process.
@Suite struct CommandPartTests {
    @Test func `a table is aligned without trailing spaces`() {
        var table = TextTable(header: ["A", "LONG", "C"])
        table.add(["longer", "b", ""])
        table.add(["ü", "b", "c"])
        #expect(table.lines == ["A       LONG  C", "longer  b", "ü       b     c"])
    }

    @Test(arguments: [("10m", 600), ("-5m", -300), ("1h", 3600), ("0s", 0), ("1500ms", 1)])
    func `a duration has the form of configurations`(text: String, seconds: Int64) {
        #expect(DurationOption(argument: text)?.seconds == seconds)
    }

    @Test(arguments: ["", "-", "5", "m", "5 m", "1.5h", "--5m", "99999999999d"])
    func `an invalid duration is rejected`(text: String) {
        #expect(DurationOption(argument: text) == nil)
    }

    @Test func `the value of a claim is JSON or text`() {
        #expect(ClaimOption(argument: "a=1")?.value == 1)
        #expect(ClaimOption(argument: "a={\"b\":[true]}")?.value == ["b": [true]])
        #expect(ClaimOption(argument: "a=b=c")?.value == "b=c")
        #expect(ClaimOption(argument: "a=")?.value == "")
        #expect(ClaimOption(argument: "a") == nil && ClaimOption(argument: "=b") == nil)
    }

    @Test(arguments: [("0", 0), ("1700000000", 1_700_000_000), ("2026-01-31T09:00:00+01:00", 1_769_846_400)])
    func `a time is RFC 3339 or seconds`(text: String, seconds: Int64) {
        #expect(TimeOption(argument: text).map { "\($0.time)" } == "\(seconds)")
    }

    @Test(arguments: ["-1", "now", "2026-02-30T00:00:00Z", ""])
    func `an invalid time is rejected`(text: String) {
        #expect(TimeOption(argument: text) == nil)
    }
}

@Suite struct DemoCallTests {
    private let call = DemoCall(title: "t", url: "http://h/", status: 401, code: "auth/x", marks: ["max_age"])

    @Test func `an expected response has no flaw`() {
        #expect(call.flaw(in: "HTTP/1.1 401 Unauthorized\r\nA: max_age\r\n\r\n{\"code\":\"auth/x\"}") == nil)
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n\r\n{\"code\":\"auth/x\"} max_age",
        "HTTP/1.1 401 U\r\n\r\n{\"code\":\"auth/y\"} max_age",
        "HTTP/1.1 401 U\r\n\r\n{\"code\":\"auth/x\"}",
    ])
    func `an unexpected response is a flaw`(answer: String) {
        #expect(call.flaw(in: answer) != nil)
    }

    @Test func `a printed command names its token by a variable`() {
        let token = DemoToken(name: "ADA", value: "eyJ")
        var call = DemoCall(title: "t", method: "POST", url: "http://[::1]:8080/", status: 200)
        call.credential = .bearer(token)
        #expect(call.shellLine == "curl -si -X POST -H \"Authorization: Bearer $ADA\" 'http://[::1]:8080/'")
        call.credential = .cookie(token)
        #expect(call.shellLine == "curl -si -X POST -b \"__session=$ADA\" 'http://[::1]:8080/'")
        call.credential = .signIn(user: "ada")
        #expect(call.shellLine.contains("-H \"Authorization: Bearer $(sign_in ada)\""))
    }

    @Test func `a word with special characters is quoted for the shell`() {
        #expect(ShellWord.quoted("/state/demo-8080.sh") == "/state/demo-8080.sh")
        #expect(ShellWord.quoted("it's $HOME `x`") == "'it'\\''s $HOME `x`'")
        #expect(ShellWord.quoted("") == "''")
    }
}
