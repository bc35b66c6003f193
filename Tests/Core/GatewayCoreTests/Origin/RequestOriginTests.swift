import NIOCore
import Testing

@testable import CoreFixtures
@testable import GatewayCore

@Suite struct RequestOriginTests {
    private let proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8"].compactMap { try? AddressRange(parsing: $0) })

    private func peer(_ address: String) throws -> PeerAddress {
        PeerAddress(try SocketAddress(ipAddress: address, port: 1))
    }

    private func origin(_ lines: [String], from address: String = "10.0.0.1") throws -> PeerAddress {
        var origin = RequestOrigin(peer: try peer(address))
        try read(lines, &origin)
        return origin.current
    }

    private func read(_ lines: [String], _ origin: inout RequestOrigin) throws {
        try withRequest("GET / HTTP/1.1\r\nHost: a\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n") { request in
            try origin.read(request, proxies)
        }
    }

    @Test(arguments: [
        (["X-Forwarded-For: 8.8.8.8"], "8.8.8.8"), (["X-Forwarded-For: 1.1.1.1, 8.8.8.8"], "8.8.8.8"),
        (["X-Forwarded-For: evil\", 8.8.8.8"], "8.8.8.8"),
        (["X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 8.8.8.8"], "8.8.8.8"),
        (["X-Forwarded-For: 8.8.8.8, 10.1.1.1, 10.2.2.2"], "8.8.8.8"),
        (["X-Forwarded-For: 8.8.8.8", "X-Forwarded-For: 10.1.1.1"], "8.8.8.8"),
        (["X-Forwarded-For: 10.3.3.3, 10.2.2.2"], "10.3.3.3"), (["X-Forwarded-For:"], "10.0.0.1"), ([], "10.0.0.1"),
        (["X-Forwarded-For: , 8.8.8.8 ,"], "8.8.8.8"), (["x-forwarded-for: 8.8.8.8:4711"], "8.8.8.8"),
        (["X-Forwarded-For: 2001:db8::1"], "2001:db8::1"), (["X-Forwarded-For: [2001:db8::1]:80"], "2001:db8::1"),
        (["X-Forwarded-For: ::ffff:8.8.8.8"], "8.8.8.8"), (["X-Forwarded-For: unknown"], "unknown"),
        (["X-Forwarded-For: 8.8.8.8, fd00::1"], "8.8.8.8"), (["X_Forwarded_For: 8.8.8.8"], "10.0.0.1"),
        (["Forwarded: for=8.8.8.8"], "8.8.8.8"), (["Forwarded: for=1.1.1.1, for=8.8.8.8;proto=http"], "8.8.8.8"),
        (["Forwarded: For=\"[2001:db8::1]:80\";by=10.0.0.1"], "2001:db8::1"),
        (["Forwarded: for=8.8.8.8, for=\"10.1.1.1:80\""], "8.8.8.8"),
        (["Forwarded: for=_hidden"], "unknown"), (["Forwarded: proto=https"], "unknown"),
        (["Forwarded: for=8.8.8.8;proto=https", "X-Forwarded-For: 8.8.8.8", "X-Forwarded-Proto: https"], "8.8.8.8"),
        (["Forwarded: host=\"a,b\";for=8.8.8.8"], "8.8.8.8"),
        (["X-Real-IP: 8.8.8.8", "True-Client-IP: 9.9.9.9"], "10.0.0.1"),
    ]) func `the client is the last address that is not a proxy`(_ lines: [String], _ client: String) throws {
        #expect(try origin(lines).text == client)
    }

    @Test(arguments: [
        ["X-Forwarded-For: junk"], ["X-Forwarded-For: 8.8.8.8, junk"], ["X-Forwarded-For: 8.8.8.8, junk, 10.1.1.1"],
        ["X-Forwarded-For: 8.8.8.8:"], ["X-Forwarded-For: 8.8.8.8:999999"], ["X-Forwarded-For: [8.8.8.8]"],
        ["X-Forwarded-For: [2001:db8::1"], ["X-Forwarded-For: fe80::1%eth0"], ["X-Forwarded-For: 08.8.8.8"],
        ["X-Forwarded-For: unix:"], ["X-Forwarded-For: \"8.8.8.8\""], ["Forwarded: for=junk"], ["Forwarded: for"],
        ["Forwarded: for=\"8.8.8.8"], ["Forwarded: for=8.8.8.8;for=9.9.9.9"], ["Forwarded: for=8.8.8.8 proto=http"],
        ["Forwarded: for=8.8.8.8;proto=ftp"], ["X-Forwarded-Proto: ftp"],
        ["X-Forwarded-Proto: http", "X-Forwarded-Proto: https"],
        ["Forwarded: for=9.9.9.9", "X-Forwarded-For: 8.8.8.8"],
        ["Forwarded: for=unknown", "X-Forwarded-For: 8.8.8.8"],
        ["Forwarded: for=8.8.8.8;proto=http", "X-Forwarded-Proto: https"], ["X-Forwarded-Proto: https,http"],
        ["X-Forwarded-Proto:"],
        ["X-Forwarded-For: \(Array(repeating: "10.0.0.9", count: 40).joined(separator: ","))"],
    ]) func `an invalid field of a proxy is rejected`(_ lines: [String]) {
        #expect(throws: OriginError.self) { try origin(lines) }
    }

    @Test(arguments: ["192.168.0.1", "127.0.0.1", "8.8.4.4", "::1"])
    func `an untrusted peer is the client`(peer: String) throws {
        let lines = ["X-Forwarded-For: 8.8.8.8", "Forwarded: for=junk\"", "X-Forwarded-Proto: ftp"]
        let origin = try origin(lines, from: peer)
        #expect(origin.text == peer && !origin.isSecure)
    }

    @Test(arguments: [
        (["X-Forwarded-Proto: https"], true), (["X-Forwarded-Proto: HTTPS", "X-Forwarded-For: 8.8.8.8"], true),
        (["Forwarded: for=8.8.8.8;proto=https"], true), (["Forwarded: for=8.8.8.8;proto=https, for=10.1.1.1"], true),
        (["X-Forwarded-Proto: http", "Forwarded: for=8.8.8.8;proto=http"], false), ([], false),
        (["Forwarded: for=1.1.1.1;proto=https, for=8.8.8.8;proto=http"], false),
    ]) func `the scheme is the scheme that the proxy sets`(_ lines: [String], _ isSecure: Bool) throws {
        #expect(try origin(lines).isSecure == isSecure)
    }

    @Test func `the upstream gets each proxy and no unverified address`() throws {
        let origin = try origin(["X-Forwarded-For: 6.6.6.6, 8.8.8.8, fd00::1", "X-Forwarded-Proto: https"])
        #expect(
            String(decoding: origin.forwardedLines, as: UTF8.self)
                == "X-Forwarded-For: 8.8.8.8, fd00::1, 10.0.0.1\r\nX-Forwarded-Proto: https\r\n")
        #expect(String(decoding: origin.forwardedParameters, as: UTF8.self) == "for=8.8.8.8;proto=https;host=")
        #expect(String(decoding: origin.forwardedHops, as: UTF8.self) == ", for=\"[fd00::1]\", for=10.0.0.1")
    }

    @Test func `repeated lines are parsed once`() throws {
        var origin = RequestOrigin(peer: try peer("10.0.0.1"))
        try read(["X-Forwarded-For: 8.8.8.8"], &origin)
        let first = origin.current
        try read(["Accept: x", "X-Forwarded-For: 8.8.8.8"], &origin)
        #expect(origin.current === first)
        for lines in [["X-Forwarded-For: 8.8.8.80"], ["X-Forwarded-For: 8.8.8.8", "X-Forwarded-For: 9.9.9.9"], []] {
            try read(lines, &origin)
            #expect(origin.current !== first)
            #expect(origin.current.text != "8.8.8.8")
        }
        try read(["X-Forwarded-For: 8.8.8.8"], &origin)
        #expect(throws: OriginError.self) { try read(["X-Forwarded-For: junk"], &origin) }
        #expect(origin.current.text == "10.0.0.1", "a rejected request has the origin of its peer")
        try read(["X-Forwarded-For: 8.8.8.8"], &origin)
        #expect(origin.current.text == "8.8.8.8")
    }

    @Test func `only a proxy names the client of a Unix domain socket`() throws {
        let unix = PeerAddress(try SocketAddress(unixDomainSocketPath: "/x"))
        for (set, text) in [(TrustedProxies(includesUnix: true), "8.8.8.8"), (proxies, "unix")] {
            var origin = RequestOrigin(peer: unix)
            try withRequest("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 8.8.8.8\r\n\r\n") {
                try origin.read($0, set)
            }
            #expect(origin.current.text == text)
        }
        #expect(String(decoding: unix.forwardedLines, as: UTF8.self).hasPrefix("X-Forwarded-For: unknown\r\n"))
    }
}
