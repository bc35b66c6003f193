import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct WarningTests {
    private func warnings(_ yaml: String) throws -> [String] {
        try ConfigurationTesting.load(yaml).warnings.map(\.description)
    }

    private static let emulator = "identity: { firebase: { project: a, insecure_emulator: true } }\n"

    @Test(arguments: [
        (emulator + BrokenConfiguration.rest, "1:37: warning: unsigned tokens are accepted, which anyone can create"),
        (
            BrokenConfiguration.beforeRoute + "    path: /\n    insecure_no_csrf: true\n",
            "6:5: warning: pages of other sites can send requests with the user's session cookie"
        ),
        (
            BrokenConfiguration.beforeRoute + "    path: /\n    on_store_failure: allow\n",
            "6:5: warning: revoked users are permitted while the store is unavailable"
        ),
        (
            "identity: { credentials: { header: X-Auth-Token } }\nheaders: { forward_credential: true }\n"
                + BrokenConfiguration.rest,
            "2:1: warning: the credential header 'X-Auth-Token' is removed, so forward_credential never forwards it"
        ),
        (
            "upstreams:\n  a: { servers: ['http://a'] }\n  b: { servers: ['http://b'] }\n"
                + "routes: [{ path: /, auth: none, upstream: a }]\n",
            "3:3: warning: no route uses the upstream 'b'; remove it"
        ),
        ("admin: { token: hunter2 }\n" + BrokenConfiguration.rest, "1:"),
        (
            "identity: { firebase: { project: a, keys_url: http://k.example/, insecure_http: true } }\n"
                + BrokenConfiguration.rest, "1:66: warning: "
        ),
    ])
    func `an insecure or useless setting produces one warning`(yaml: String, expected: String) throws {
        let warnings = try warnings(yaml)
        #expect(warnings.count == 1 && warnings[0].hasPrefix("gatehouse.yaml:\(expected)"), "\(warnings)")
        #expect(!warnings[0].contains("hunter2"))
    }

    @Test(arguments: ["127.0.0.1:9", "[::1]:9", "localhost"])
    func `keys from loopback produce no warning`(host: String) throws {
        let yaml = "identity: { firebase: { project: a, keys_url: 'http://\(host)/keys' } }"
        #expect(try warnings("\(yaml)\n\(BrokenConfiguration.rest)").isEmpty)
    }

    @Test(arguments: ["X-Auth-Token", "X_Auth_Token", "User-Agent"])
    func `extra fields that clients send produce a warning`(name: String) throws {
        let warnings = try warnings("headers: { extra: { \(name): token.role } }\n\(BrokenConfiguration.rest)")
        #expect(
            warnings == [
                "gatehouse.yaml:1:21: warning: the field '\(name)' is removed from every inbound request;"
                    + " choose another name if clients send this one"
            ])
    }

    @Test(arguments: ["http://app.example", "http://127.0.0.1.example:8080"])
    func `an origin over plain HTTP produces a warning`(origin: String) throws {
        let warnings = try warnings(
            "identity: { firebase: { project: a } }\naccounts: { origins: ['\(origin)'] }\n\(BrokenConfiguration.rest)")
        #expect(
            warnings == [
                "gatehouse.yaml:2:23: warning: the pages of '\(origin)' can be modified in transit, and"
                    + " modified pages can send requests as its users; use https://"
            ])
    }

    @Test func `the note names the fields that the prefix removes`() {
        let note = "inbound fields named X-Auth or beginning with X-Auth- (including X-Auth-Token) are removed"
        #expect(Configuration.IdentityHeaders().note == note)
    }

    @Test(arguments: [
        ("X-Auth", true), ("x_auth_token", true), ("X-Auth-Uid", true), ("X-Forwarded-For", true), ("Forwarded", true),
        ("X-Authorization", false), ("Authorization", false), ("X-Authx-Uid", false),
    ])
    func `managed fields are reported`(name: String, isRemoved: Bool) {
        #expect(Configuration.IdentityHeaders().removes(name) == isRemoved)
    }
}
