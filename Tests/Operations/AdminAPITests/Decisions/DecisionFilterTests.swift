import GatewayCore
import HTTPWire
import Revocation
import Testing

@testable import AdminAPI
@testable import StoreFixtures

struct DecisionFilterTests {
    private static let pseudonyms = UserPseudonyms()

    private func filter(_ query: String) throws -> DecisionFilter {
        try DecisionFilter(AdminQuery(target: "/x?\(query)"))
    }

    private func record(_ change: (inout DecisionRecord) -> Void = { _ in }) -> DecisionRecord {
        var record = DecisionRecord(time: 1_000, requestID: "ab", code: .permissionDenied)
        record.route = "/notes/{id}"
        (record.method, record.path) = ("GET", "/notes/7")
        (record.status, record.phase, record.rule, record.reason) = (403, .rules, "a.rules:3", "rules: secret")
        record.user = UserKey(uid: "ada", tenant: "t")
        record.client = PeerAddress(IPAddress("192.0.2.77"), isSecure: false, through: [])
        record.steps = [DecisionRecord.Step(.route, .passed, "route", "/notes/{id}")]
        change(&record)
        return record
    }

    private func matches(_ query: String, _ change: (inout DecisionRecord) -> Void = { _ in }) throws -> Bool {
        var record = record(change)
        return try filter(query).matches(&record, Self.pseudonyms)
    }

    private func text(_ filter: DecisionFilter, _ change: (inout DecisionRecord) -> Void = { _ in }) -> String {
        var record = record(change)
        return String(decoding: record.event(for: filter, pseudonyms: Self.pseudonyms), as: UTF8.self)
    }

    @Test(arguments: [
        "unmask=yes", "unmask=", "rate=0", "rate=201", "seconds=0", "seconds=301", "code=nothing", "code=", "phase=x",
        "client=x", "client=192.0.2.1/24", "client=192.0.2.1", "client=192.0.2.0/25", "client=2001:db8::/49",
        "uid=a&uid=b", "path=/x", "uid=%ff",
    ])
    func `an invalid parameter is rejected`(query: String) {
        #expect(throws: AdministrationError.self) { try filter(query) }
    }

    @Test(arguments: [
        ("", true), ("route=/notes/%7Bid%7D", true), ("route=/notes", false), ("route=none", false),
        ("code=auth/permission-denied", true), ("code=ok", false), ("code=denied", true), ("phase=rules", true),
        ("phase=recency", false), ("client=192.0.2.0/24", true), ("client=192.0.0.0/16", true),
        ("client=198.51.100.0/24", false), ("uid=ada", false), ("uid=~", true), ("unmask=true&uid=ad", true),
        ("unmask=true&uid=ada", true), ("unmask=true&uid=adam", false), ("unmask=true&uid=~", false),
        ("unmask=true&client=192.0.2.77", true), ("unmask=true&client=192.0.2.78", false),
        ("phase=rules&code=denied&client=192.0.2.0/24", true), ("phase=rules&code=ok", false),
    ])
    func `a decision matches if each parameter does`(query: String, expected: Bool) throws {
        #expect(try matches(query) == expected)
    }

    @Test func `a request without a route, user or address has its own values`() throws {
        let bare: (inout DecisionRecord) -> Void = { record in
            (record.route, record.user, record.client, record.code) = (nil, nil, nil, .ok)
        }
        #expect(try matches("route=none", bare))
        #expect(try !matches("uid=~", bare))
        #expect(try !matches("client=192.0.2.0/24", bare))
        #expect(try !matches("code=denied", bare))
    }

    @Test func `personal data is masked, also in what a filter can find out`() throws {
        let masked = text(try filter(""))
        for secret in ["\"ada\"", "192.0.2.77", "/notes/7", "secret"] { #expect(!masked.contains(secret), "\(secret)") }
        let name = Self.pseudonyms.name(of: UserKey(uid: "ada", tenant: "t"))
        #expect(masked.contains(#""uid":"\#(name)","tenant":"t","project":null,"client":"192.0.2.0/24""#))
        #expect(masked.contains(#""path":null,"status":403,"code":"auth/permission-denied","phase":"rules""#))
        #expect(masked.contains(#""steps":[{"phase":"route","name":"route","mark":"passed","detail":"/notes/{id}"}]"#))
        #expect(try matches("uid=\(name)") && !matches("uid=ada"))
    }

    @Test func `unmasked, the uid, the address, the path and the reason are shown`() throws {
        let shown = text(try filter("unmask=true"))
        #expect(
            shown.hasPrefix(#"event: decision"# + "\n" + #"data: {"at_ms":1000,"request_id":"ab","protocol":"1.1""#))
        #expect(shown.contains(#""path":"/notes/7""#) && shown.contains(#""reason":"rules: secret","uid":"ada""#))
        #expect(shown.contains(#""client":"192.0.2.77""#) && shown.hasSuffix("}\n\n"))
    }

    @Test func `an address of IPv6 is masked to its site`() throws {
        let masked = text(try filter("")) { record in
            record.client = PeerAddress(IPAddress("2001:db8:1:2::3"), isSecure: false, through: [])
        }
        #expect(masked.contains(#""client":"2001:db8:1::/48""#))
    }

    @Test func `text of a request stays on the line of its event, and is bounded`() throws {
        let shown = text(try filter("unmask=true")) { record in
            record.path = "/\r\n\ndata: x\u{2028}\u{0}" + String(repeating: "é", count: 5_000)
            record.method = String(repeating: "M", count: 500)
            record.steps = Array(
                repeating: DecisionRecord.Step(.rules, .note, "a", String(repeating: "b", count: 500)), count: 500)
        }
        #expect(shown.split(separator: "\n").count == 2)
        #expect(!shown.contains("\u{2028}") && !shown.contains("\r") && shown.utf8.count < 32_768)
    }

    @Test func `the pseudonym of a decision is computed once for all viewers`() throws {
        let (first, other) = (UserPseudonyms(), UserPseudonyms())
        var record = record()
        #expect(try filter("uid=~").matches(&record, first))
        let event = String(decoding: try record.event(for: filter(""), pseudonyms: other), as: UTF8.self)
        #expect(event.contains("\"uid\":\"\(first.name(of: UserKey(uid: "ada", tenant: "t")))\""))
        record.user = "bob"
        #expect(try filter("uid=\(first.name(of: "bob"))").matches(&record, first))
    }

    @Test(arguments: [
        ("route=/a&uid=b", "route=/a uid=b"), ("route=/a%20uid=b", #"route="/a uid=b""#),
        ("uid=b%0A%22c%22", #"uid="b\n\"c\"""#),
        ("route=/a&uid=b%20client=192.0.2.1", #"route=/a uid="b client=192.0.2.1""#),
    ])
    func `the audit log has the parameters without ambiguity`(query: String, text: String) throws {
        #expect(try filter(query + "&unmask=true").text == text)
    }

    @Test func `pseudonyms differ by user, tenant and process`() {
        let (one, other) = (UserPseudonyms(), UserPseudonyms())
        #expect(one.name(of: "ada") == one.name(of: "ada"))
        #expect(one.name(of: "ada") != one.name(of: "bob"))
        #expect(one.name(of: "ada") != one.name(of: UserKey(uid: "ada", tenant: "t")))
        #expect(one.name(of: "ada") != other.name(of: "ada"))
    }
}
