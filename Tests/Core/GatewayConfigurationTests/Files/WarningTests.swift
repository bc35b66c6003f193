import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct WarningTests {
    private func warnings(_ yaml: String) throws -> [String] {
        try ConfigurationTesting.load(yaml).warnings.map(\.description)
    }

    @Test func theEmulatorIsWarnedAbout() throws {
        let warnings = try warnings(
            "identity: { firebase: { project: a, insecure_emulator: true } }\n\(BrokenConfiguration.rest)")
        #expect(
            warnings.map { $0.prefix(69) } == [
                "gatehouse.yaml:1:37: warning: anybody can make the unsigned tokens th"
            ])
    }

    @Test func plainHTTPKeysAreWarnedAbout() throws {
        let configuration = try ConfigurationTesting.load(
            section: "identity: { firebase: { project: a, keys_url: http://k.example/, insecure_http: true } }")
        #expect(configuration.identity.firebase?.keysURL == "http://k.example/")
        #expect(configuration.warnings.map(\.location.column) == [66])
    }

    @Test func loopbackKeysNeedNoWarning() throws {
        for host in ["127.0.0.1:9", "[::1]:9", "localhost"] {
            let configuration = try ConfigurationTesting.load(
                section: "identity: { firebase: { project: a, keys_url: 'http://\(host)/keys' } }")
            #expect(configuration.warnings.isEmpty)
        }
    }

    @Test(arguments: ["X-Auth-Token", "X_Auth_Token", "User-Agent"])
    func extraFieldsThatClientsSendAreWarnedAbout(_ name: String) throws {
        let warnings = try warnings("headers: { extra: { \(name): token.role } }\n\(BrokenConfiguration.rest)")
        #expect(
            warnings == [
                "gatehouse.yaml:1:21: warning: the field '\(name)' is removed from every request that carries it;"
                    + " choose another name if clients send this one"
            ])
    }

    @Test func aForwardedCredentialInAManagedFieldIsWarnedAbout() throws {
        let warnings = try warnings(
            """
            identity: { credentials: { header: X-Auth-Token } }
            headers: { forward_credential: true }
            \(BrokenConfiguration.rest)
            """)
        #expect(warnings.count == 1)
        #expect(warnings[0].hasPrefix("gatehouse.yaml:2:1: warning: the credential's field 'X-Auth-Token' is removed"))
    }

    @Test func aRouteThatOtherSitesMayCallIsWarnedAbout() throws {
        let yaml = BrokenConfiguration.beforeRoute + "    path: /\n    insecure_no_csrf: true\n"
        #expect(try ConfigurationTesting.load(yaml).routes.map(\.insecureNoCSRF) == [true])
        #expect(
            try warnings(yaml).map { $0.prefix(72) } == [
                "gatehouse.yaml:6:5: warning: pages of other sites can act here as whoeve"
            ])
    }

    @Test(arguments: ["http://app.example", "http://127.0.0.1.example:8080"])
    func pagesThatOthersCanChangeAreWarnedAboutWhereTheyMayCall(_ origin: String) throws {
        let warnings = try warnings(
            "identity: { firebase: { project: a } }\naccounts: { origins: ['\(origin)'] }\n\(BrokenConfiguration.rest)")
        #expect(
            warnings == [
                "gatehouse.yaml:2:23: warning: anybody on the way can change the pages of '\(origin)', and so call as its"
                    + " users; use https://"
            ])
    }

    @Test func failingOpenIsWarnedAbout() throws {
        let warnings = try warnings(BrokenConfiguration.beforeRoute + "    path: /\n    on_store_failure: allow\n")
        #expect(
            warnings.map { $0.prefix(68) } == [
                "gatehouse.yaml:6:5: warning: revoked users pass while the store is d"
            ])
    }

    @Test func aShortAdminTokenIsWarnedAbout() throws {
        let warnings = try warnings("admin: { token: hunter2 }\n\(BrokenConfiguration.rest)")
        #expect(warnings.count == 1 && !warnings[0].contains("hunter2"))
    }

    @Test func anUpstreamWithoutRoutesIsWarnedAbout() throws {
        let warnings = try warnings(
            "upstreams:\n  a: { servers: ['http://a'] }\n  b: { servers: ['http://b'] }\n"
                + "routes: [{ path: /, auth: none, upstream: a }]\n")
        #expect(warnings == ["gatehouse.yaml:3:3: warning: no route uses the upstream 'b'; remove it"])
    }

    @Test func checkTellsWhatThePrefixCosts() {
        let note = "inbound fields named X-Auth or beginning with X-Auth- (X-Auth-Token too) are removed"
        #expect(Configuration.IdentityHeaders().note == note)
    }

    @Test(arguments: [
        ("X-Auth", true), ("x_auth_token", true), ("X-Auth-Uid", true), ("X-Forwarded-For", true), ("Forwarded", true),
        ("X-Authorization", false), ("Authorization", false), ("X-Authx-Uid", false),
    ])
    func managedFieldsAreTold(_ name: String, _ isRemoved: Bool) {
        #expect(Configuration.IdentityHeaders().removes(name) == isRemoved)
    }
}
