import Testing

@testable import AdminAPI

@Suite struct AdminGuardTests {
    private func status(
        _ headers: [(String, String)], address: String? = "127.0.0.1", hosts: [String] = []
    ) -> Int? {
        let request = AdminRequest(
            method: "GET", target: "/livez", headers: headers.map { (name: $0.0, value: $0.1) }, localAddress: address)
        return AdminGuard(token: nil, hosts: hosts).refusal(of: request)?.status
    }

    @Test(arguments: ["127.0.0.1:9901", "127.0.0.1", "localhost", "LocalHost:1", "ops.example", "OPS.example:9901"])
    func aHostOfOursIsServed(host: String) {
        #expect(status([("Host", host)], hosts: ["Ops.example"]) == nil)
    }

    @Test(arguments: ["evil.example", "127.0.0.2", "localhost.evil.example", "0.0.0.0", "xlocalhost", "[::1]"])
    func anotherHostIsMisdirected(host: String) {
        #expect(status([("Host", host)]) == 421)
    }

    @Test(arguments: ["", ":9901", "[::1", "[::1]x", "localhost:x", "localhost:123456", "a:1:2"])
    func aMalformedHostIsRefused(host: String) {
        #expect(status([("Host", host)]) == 400)
    }

    @Test(arguments: ["0.0.0.0", "::"])
    func theAddressThatMeansEveryAddressIsNoHost(wildcard: String) {
        #expect(status([("Host", wildcard == "::" ? "[::]" : wildcard)], hosts: [wildcard]) == 421)
    }

    @Test func exactlyOneHostIsAsked() {
        #expect(status([]) == 400)
        #expect(status([("Host", "localhost"), ("host", "localhost")]) == 400)
    }

    @Test func theAddressThatWasReachedCountsInWhateverSpelling() {
        #expect(status([("Host", "[0:0:0:0:0:0:0:1]:9901")], address: "::1") == nil)
        #expect(status([("Host", "10.0.0.7:9901")], address: "::ffff:10.0.0.7") == nil)
        #expect(status([("Host", "10.0.0.8")], address: "10.0.0.7") == 421)
        #expect(status([("Host", "127.0.0.1")], address: nil) == 421)
    }

    @Test(arguments: [
        ("Origin", "http://localhost"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
        ("sec-fetch-site", "same-site"), ("Sec-Fetch-Site", ""),
    ])
    func aCallOfAPageIsRefused(name: String, value: String) {
        #expect(status([("Host", "localhost"), (name, value)]) == 403)
    }

    @Test(arguments: ["none", "same-origin"])
    func aBrowsersOwnNavigationPasses(value: String) {
        #expect(status([("Host", "localhost"), ("Sec-Fetch-Site", value)]) == nil)
    }

    private func isAuthorized(_ values: [String], token: String? = "s3cret") -> Bool {
        let request = AdminRequest(
            method: "GET", target: "/", headers: values.map { (name: "Authorization", value: $0) })
        return AdminGuard(token: token, hosts: []).isAuthorized(request)
    }

    @Test(arguments: ["Bearer s3cret", "bearer s3cret"])
    func theTokenOpens(value: String) {
        #expect(isAuthorized([value]))
    }

    @Test(arguments: [
        "Bearer s3cre", "Bearer s3cretX", "Bearer S3cret", "Bearer s3cret ", "Bearer  s3cret", "Bearer", "Bearer ",
        "s3cret", "Basic s3cret", "", "Bearer s3crets3cret",
    ])
    func anythingElseDoesNot(value: String) {
        #expect(!isAuthorized([value]))
    }

    @Test func noneAndTwoDoNotOpen() {
        #expect(!isAuthorized([]))
        #expect(!isAuthorized(["Bearer s3cret", "Bearer s3cret"]))
    }

    @Test(arguments: [nil, ""])
    func withoutATokenNothingOpens(token: String?) {
        #expect(!isAuthorized(["Bearer "], token: token))
        #expect(AdminGuard(token: token, hosts: []).token == nil)
    }
}
