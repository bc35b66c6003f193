import Testing

@testable import Routing

@Suite struct HostMapTests {
    @Test(
        arguments: [
            ("acme.example.com", 0), ("ACME.example.com:8443", 0), ("acme.example.com.", 0), ("globex.example.com", 1),
            ("a.b.example.com", 1), ("example.com", nil), ("acme.example.org", nil), ("", nil), ("[::1]:80", 2),
        ] as [(String, Int?)])
    func `the exact host precedes the wildcard`(_ host: String, _ index: Int?) throws {
        let map = try #require(HostMap(["acme.example.com", "*.example.com", "[::1]"]))
        #expect(Array(host.utf8).withUnsafeBytes { map.index(of: $0) } == index)
    }

    @Test func `any other host has the index of the asterisk`() throws {
        let map = try #require(HostMap(["*", "acme.example.com"]))
        for (host, index) in [("acme.example.com:80", 1), ("other.example", 0), ("", 0)] {
            #expect(Array(host.utf8).withUnsafeBytes { map.index(of: $0) } == index)
        }
    }

    @Test(arguments: ["", "*.", "a:80", "a.*.b", "a b"]) func `another pattern is not a host`(_ host: String) {
        #expect(HostMap(["a.example", host]) == nil)
    }
}
