import Testing

@testable import CoreFixtures

@Suite struct BrokenAccountsTests {
    static let cases: [BrokenConfiguration] = [
        accounts("true", "2:11 accounts is not a mapping"),
        accounts("{ session_keys: a }", "2:13 unknown key 'session_keys' in accounts; did you mean 'session_key'?"),
        accounts("{ demo_page: a }", "2:13 unknown key 'demo_page' in accounts"),
        accounts("{ issuer: '' }", "2:21 accounts.issuer is empty"),
        accounts("{ issuer: '\(String(repeating: "i", count: 1_025))' }", "2:21 is longer than 1024 bytes"),
        accounts(
            "{ issuer: 'https://securetoken.google.com/demo' }", "2:13 is the issuer of identity.firebase; name your"),
        accounts("{ issuer: 'https://session.firebase.google.com/demo' }", "2:13 is the issuer of identity.firebase"),
        accounts("{ session_key: [a] }", "2:26 accounts.session_key is not a text"),
        accounts("{ session_key: '' }", "2:26 accounts.session_key is empty"),
        accounts("{ previous_session_keys: a }", "2:13 stands without session_key; add session_key: FILE"),
        accounts(
            "{ session_key: a, previous_session_keys: [b, a] }", "2:56 previous_session_keys[] is the key that signs"),
        accounts("{ session_key: a, previous_session_keys: [b, b] }", "2:56 has an entry twice"),
        accounts(
            "{ session_key: a, previous_session_keys: [b, c, d, e, f, g, h, i, j] }",
            "2:52 has more than 8 files; remove the oldest"),
        accounts(
            "{ session_key: a }\nheaders: { assertion: { key: a } }",
            "2:13 accounts.session_key is the key that signs assertions; name a key of its own"),
        accounts("{ one_account_per_email: 1 }", "2:36 not true or false"),
        accounts("{ hide_account_existence: yes }", "2:37 not true or false"),
        accounts("{ unlinked: denied }", "2:23 accounts.unlinked cannot be 'denied'; write derive or deny"),
        accounts("{ calls_per_address: 0 }", "2:32 out of range; write 1 to 100000"),
        accounts("{ calls_per_address: 100001 }", "2:32 out of range; write 1 to 100000"),
        accounts("{ calls_per_account: 0 }", "2:32 out of range; write 1 to 100000"),
        accounts("{ calls_per_account: 1m }", "2:32 not a whole number"),
        .section(
            "accounts: {}", "1:1 accounts is on, and identity names nobody who could sign in; add identity.firebase"),
        .section(
            "identity: { clock_skew: 1s }\naccounts: {}",
            "2:1 accounts is on, and identity names nobody who could sign in"),
        .section(
            "accounts: {}\nidentity: { firebase: { project: demo }, credentials: { cookie: null } }",
            "1:1 accounts needs a session cookie, and identity.credentials.cookie is null; name the cookie there"),
    ]

    static let stores = [
        "redis://r", "rediss://r", "redis+sentinel://s1,s2/main", "rediss+sentinel://s1/main", "{ url: 'redis://r' }",
    ]

    private static func accounts(_ yaml: String, _ expected: String) -> BrokenConfiguration {
        .section("identity: { firebase: { project: demo } }\naccounts: \(yaml)", expected)
    }

    @Test(arguments: cases) func isReportedWithLineAndColumn(_ broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: stores) func aSharedStoreNeedsTheSessionKeyInAFile(_ store: String) throws {
        let expected = "2:1 accounts.session_key is missing: a shared store holds no secrets; add session_key: FILE"
        Self.accounts("{}\nstore: \(store)", expected).check()
        let yaml = "identity: { firebase: { project: demo } }\naccounts: { session_key: s.pem }\nstore: \(store)"
        #expect(throws: Never.self) { try ConfigurationTesting.load(section: yaml) }
    }

    @Test func theIssuerOfAProviderIsNotOurs() {
        let yaml = """
            identity: { providers: { oidc.corp: { issuer: 'https://id.corp.example', audiences: a } } }
            accounts: { issuer: 'https://id.corp.example' }
            """
        BrokenConfiguration.section(yaml, "2:13 accounts.issuer is the issuer of 'oidc.corp'; name your own").check()
    }

    @Test func whatElseIsWrongWithTheFileIsNotBlamedOnAccounts() {
        BrokenConfiguration.section(
            "identity: { firebase: { project: a/b } }\nstore: redis:r\naccounts: {}", "1:34 not a project's id",
            "2:8 store"
        ).check()
    }
}
