import OperatorConsole
import Testing

@testable import AdminAPI

struct AdminGuardTests {
    private func status(
        _ headers: [(String, String)], address: String? = "127.0.0.1", hosts: [String] = []
    ) -> Int? {
        let request = AdminRequest(
            method: "GET", target: "/livez", headers: headers.map { (name: $0.0, value: $0.1) }, localAddress: address)
        let entrance = AdminGuard(token: nil, hosts: hosts)
        return (entrance.hostRefusal(of: request) ?? entrance.crossSiteRefusal(of: request))?.status
    }

    @Test(
        arguments: [
            (["127.0.0.1:9901", "127.0.0.1", "localhost", "LocalHost:1", "ops.example", "OPS.example:9901"], nil),
            (["evil.example", "127.0.0.2", "localhost.evil.example", "0.0.0.0", "xlocalhost", "[::1]"], 421),
            (["", ":9901", "[::1", "[::1]x", "localhost:x", "localhost:123456", "a:1:2"], 400),
        ] as [([String], Int?)])
    func `a local or configured host is served, another is misdirected, and a malformed one is rejected`(
        names: [String], expected: Int?
    ) {
        for name in names { #expect(status([("Host", name)], hosts: ["Ops.example"]) == expected, "\(name)") }
    }

    @Test(arguments: ["0.0.0.0", "::"]) func `the wildcard address is not a host`(wildcard: String) {
        #expect(status([("Host", wildcard == "::" ? "[::]" : wildcard)], hosts: [wildcard]) == 421)
    }

    @Test func `exactly one Host is required`() {
        #expect(status([]) == 400)
        #expect(status([("Host", "localhost"), ("host", "localhost")]) == 400)
    }

    @Test func `the local address is a host in any spelling`() {
        #expect(status([("Host", "[0:0:0:0:0:0:0:1]:9901")], address: "::1") == nil)
        #expect(status([("Host", "10.0.0.7:9901")], address: "::ffff:10.0.0.7") == nil)
        #expect(status([("Host", "10.0.0.8")], address: "10.0.0.7") == 421)
        #expect(status([("Host", "127.0.0.1")], address: nil) == 421)
    }

    @Test(arguments: [
        ("Origin", "http://localhost"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
        ("sec-fetch-site", "same-site"), ("Sec-Fetch-Site", ""),
    ])
    func `a request of a web page is rejected`(name: String, value: String) {
        #expect(status([("Host", "localhost"), (name, value)]) == 403)
    }

    @Test(arguments: ["none", "same-origin"]) func `a navigation by the user is served`(value: String) {
        #expect(status([("Host", "localhost"), ("Sec-Fetch-Site", value)]) == nil)
    }

    private func role(
        _ values: [String], token: String? = "s3cret", viewer: String? = "l00k"
    ) -> OperatorRole? {
        let request = AdminRequest(
            method: "GET", target: "/", headers: values.map { (name: "Authorization", value: $0) })
        return AdminGuard(token: token, viewerToken: viewer, hosts: []).role(of: request)
    }

    @Test(arguments: ["Bearer s3cret", "bearer s3cret"]) func `the token authorizes`(value: String) {
        #expect(role([value]) == .operator)
        #expect(role([value.replacing("s3cret", with: "l00k")]) == .viewer)
        #expect(role([value.replacing("s3cret", with: "l00k")], viewer: nil) == nil)
    }

    @Test(arguments: [
        ["Bearer s3cre"], ["Bearer s3cretX"], ["Bearer S3cret"], ["Bearer s3cret "], ["Bearer  s3cret"], ["Bearer"],
        ["Bearer "], ["s3cret"], ["Basic s3cret"], [""], ["Bearer s3crets3cret"], [],
        ["Bearer s3cret", "Bearer s3cret"],
    ])
    func `a wrong, missing or repeated token does not authorize`(values: [String]) {
        #expect(role(values) == nil)
    }

    @Test(arguments: [nil, ""]) func `without a configured token nothing is authorized`(token: String?) {
        #expect(role(["Bearer "], token: token) == nil)
        #expect(role(["Bearer l00k"], token: token) == nil)
        #expect(AdminGuard(token: token, hosts: []).token == nil)
    }
}
