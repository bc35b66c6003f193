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

    @Test func `a route that other sites may call is an insecure option`() throws {
        let yaml = BrokenConfiguration.beforeRoute + "    path: /hook\n    insecure_no_csrf: true\n"
        #expect(try ConfigurationTesting.load(yaml).insecureOptions == ["routes[/hook].insecure_no_csrf"])
    }
}
