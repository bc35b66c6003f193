import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse

@Suite struct AccountsSectionTests {
    private func accounts(_ yaml: String) throws -> Configuration.Accounts? {
        try ConfigurationTesting.load(section: "identity: { firebase: { project: demo } }\naccounts: \(yaml)").accounts
    }

    @Test(arguments: ["null", "~", "${UNSET:-null}"]) func `accounts are disabled by default`(_ yaml: String) throws {
        #expect(try accounts(yaml) == nil)
    }

    @Test func `an empty section has the defaults`() throws {
        var expected = Configuration.Accounts()
        expected.location = SourceLocation(file: "gatehouse.yaml", line: 2, column: 11)
        #expect(try accounts("{}") == expected)
    }

    @Test func `every key is read`() throws {
        let yaml = """
            { issuer: 'https://api.example', session_key: s.pem, previous_session_keys: old.pem,
              origins: 'https://app.example', one_account_per_email: false, unlinked: deny,
              hide_account_existence: false, calls_per_address: 1, calls_per_account: 100000 }
            """
        var expected = Configuration.Accounts()
        expected.issuer = "https://api.example"
        (expected.sessionKey, expected.previousSessionKeys) = ("s.pem", ["old.pem"])
        expected.origins = ["https://app.example"]
        (expected.oneAccountPerEmail, expected.unlinked, expected.hideAccountExistence) = (false, .deny, false)
        (expected.callsPerAddress, expected.callsPerAccount) = (1, 100_000)
        expected.location = SourceLocation(file: "gatehouse.yaml", line: 2, column: 44)
        #expect(try accounts(yaml) == expected)
    }

    private func firebaseUsers(_ accounts: String, providers: String) throws -> Configuration {
        let providers = providers.isEmpty ? "" : ", providers: { \(providers) }"
        return try ConfigurationTesting.load(
            section: """
                identity: { firebase: { project: demo, tenant: acme }\(providers) }
                accounts: \(accounts)
                revocation: { source: firebase }
                """)
    }

    @Test(arguments: Configuration.Accounts.FirebaseUsers.allCases)
    func `the users of sign-ins at providers are read`(_ users: Configuration.Accounts.FirebaseUsers) throws {
        let google = "google.com: { audiences: a }"
        let configuration = try firebaseUsers("{ firebase_users: \(users.rawValue) }", providers: google)
        #expect(configuration.accounts?.firebaseUsers == users && configuration.warnings.isEmpty)
    }

    @Test func `a second uid without a decision is a warning`() throws {
        let separate = try firebaseUsers("{}", providers: "google.com: { audiences: a }")
        #expect(separate.accounts?.firebaseUsers == .separate)
        let warning = try #require(separate.warnings.first)
        #expect(separate.warnings.count == 1 && warning.what.contains("gets a second uid"))
        #expect(warning.remedy.contains("firebase_users: identity"))
        #expect(try firebaseUsers("{}", providers: "").warnings.isEmpty, "no provider")
    }

    @Test func `every key of a transmitter is read`() throws {
        let yaml = """
            { transmitters: { corp: { issuer: 'https://ssf.example/t', audiences: [a, b], provider: firebase,
              email_domains: Example.COM, authorization: Bearer x, critical_subject_members: [user],
              assurance_level_change: revoke, device_compliance_change: revoke, risk_level_change: revoke,
              events_per_second: 7, unknown_users: 9, write_back: true,
              management_authorization: Bearer m,
              poll: { url: 'https://ssf.example/poll', authorization: Bearer p, interval: 1m }, insecure_http: true } } }
            """
        let transmitter = try #require(try accounts(yaml)?.transmitters.first)
        var expected = Configuration.Transmitter(id: "corp", location: transmitter.location)
        (expected.issuer, expected.audiences) = ("https://ssf.example/t", ["a", "b"])
        expected.keys = .discovery(
            url: "https://ssf.example/.well-known/ssf-configuration/t", issuer: "https://ssf.example/t")
        expected.emailDomains = ["example.com"]
        (expected.authorization, expected.criticalMembers) = (Secret("Bearer x"), ["user"])
        expected.assuranceLevelChange = .revoke
        (expected.deviceComplianceChange, expected.riskLevelChange) = (.revoke, .revoke)
        (expected.eventsPerSecond, expected.unknownUsers) = (7, 9)
        (expected.writeBack, expected.insecureHTTP) = (true, true)
        expected.poll = Configuration.Poll(url: "https://ssf.example/poll", authorization: Secret("Bearer p"))
        expected.managementAuthorization = Secret("Bearer m")
        expected.poll?.interval = .seconds(60)
        #expect(transmitter == expected)
    }

    @Test(arguments: [
        ("https://ssf.example", "https://ssf.example/.well-known/ssf-configuration"),
        ("https://ssf.example/", "https://ssf.example/.well-known/ssf-configuration"),
        ("https://ssf.example:8443/a/b/", "https://ssf.example:8443/.well-known/ssf-configuration/a/b"),
    ])
    func `the metadata is between the host and the path of the issuer`(issuer: String, url: String) throws {
        let yaml = "{ transmitters: { corp: { issuer: '\(issuer)', audiences: a, provider: firebase } } }"
        #expect(try accounts(yaml)?.transmitters.first?.keys == .discovery(url: url, issuer: issuer))
    }

    @Test func `a route that other sites may call is an insecure option`() throws {
        let yaml = BrokenConfiguration.beforeRoute + "    path: /hook\n    insecure_no_csrf: true\n"
        #expect(try ConfigurationTesting.load(yaml).insecureOptions == ["routes[/hook].insecure_no_csrf"])
    }
}
