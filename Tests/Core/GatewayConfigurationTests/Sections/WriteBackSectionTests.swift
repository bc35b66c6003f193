import GatewayConfiguration
import Testing

@testable import CoreFixtures

@Suite struct WriteBackSectionTests {
    @Test func `write-back shares the credential of lookups, which it does not need`() throws {
        let yaml = """
            identity: { firebase: { project: p, tenant: '*' } }
            revocation:
              service_account: /a.json
              lookup_timeout: 1s
              write_back: { identity_toolkit: true, queue: 5000, update_url: 'http://localhost:9/{project}' }
            """
        let revocation = try ConfigurationTesting.load(section: yaml).revocation
        var accounts = Configuration.FirebaseAccounts(serviceAccount: "/a.json")
        accounts.timeout = .seconds(1)
        var expected = Configuration.WriteBack(accounts)
        (expected.queue, expected.updateURL) = (5000, "http://localhost:9/{project}")
        #expect(revocation.writeBack == expected && revocation.firebase == nil)
    }

    @Test func `the Realtime Database needs no identity_toolkit, and its host may name the project`() throws {
        let yaml = """
            identity: { firebase: { projects: [{ project: p }, { project: q }] } }
            revocation: { write_back: { realtime_database: 'https://{project}-default-rtdb.firebaseio.com' } }
            """
        let settings = try #require(try ConfigurationTesting.load(section: yaml).revocation.writeBack)
        #expect(!settings.writesAccounts)
        #expect(settings.databaseURL == "https://{project}-default-rtdb.firebaseio.com")
    }

    @Test func `without identity_toolkit nothing is written back`() throws {
        let yaml = "identity: { firebase: { project: p } }\nrevocation: { write_back: { identity_toolkit: false } }"
        #expect(try ConfigurationTesting.load(section: yaml).revocation.writeBack == nil)
        #expect(Configuration.WriteBack(Configuration.FirebaseAccounts(serviceAccount: nil)).queue == 100_000)
    }

    private static func several(_ sections: String, _ expected: String) -> [BrokenConfiguration] {
        ["projects: [{ project: p }, { project: q }]", "project: p, tenant: '*'"].map { firebase in
            .section("identity: { firebase: { \(firebase) } }\n\(sections)", expected)
        }
    }

    /// URLs that would name the same project and tenant for all users.
    static let fixed =
        several(
            "revocation: { write_back: { identity_toolkit: true, update_url: 'https://a.example/p' } }",
            "2:53 revocation.write_back.update_url has no {project}, but identity.firebase has several")
        + several(
            "revocation: { source: firebase, lookup_url: 'https://a.example/p' }",
            "2:33 revocation.lookup_url has no {project}, but identity.firebase has several")
        + several(
            "accounts: { session_cookie: firebase, session_cookie_url: 'https://a.example/p' }",
            "2:39 accounts.session_cookie_url has no {project}, but identity.firebase has several")

    @Test(arguments: fixed) func `with several projects or tenants a URL has a placeholder`(
        _ broken: BrokenConfiguration
    ) {
        broken.check()
    }

    @Test func `with one project and tenant a URL needs no placeholder`() throws {
        let yaml = """
            identity: { firebase: { project: p, tenant: t } }
            revocation: { write_back: { identity_toolkit: true, update_url: 'https://a.example/p' } }
            """
        #expect(try ConfigurationTesting.load(section: yaml).revocation.writeBack?.updateURL == "https://a.example/p")
    }

    static let broken: [BrokenConfiguration] = [
        .section(
            "revocation: { write_back: { identity_toolkit: true } }",
            "1:29 revocation.write_back without a Firebase project; add identity.firebase.project"),
        .section(
            "identity: { firebase: { project: p } }\nrevocation: { write_back: { queue: … } }", "2:36 write",
            values: ["999", "1000001"]),
        .section(
            "identity: { firebase: { project: p } }\nrevocation: { write_back: { update_url: 'http://a.example' } }",
            "2:41 where an attacker on the network could read tokens and secrets; use https://"),
    ]

    static let brokenDatabases: [BrokenConfiguration] = [
        .section(
            "revocation: { write_back: { realtime_database: 'https://a.example' } }",
            "1:29 revocation.write_back without a Firebase project; add identity.firebase.project"),
        .section(
            "identity: { firebase: { project: p } }\nrevocation: { write_back: { realtime_database: … } }",
            "2:48 revocation.write_back.realtime_database is",
            values: ["'http://a.example'", "ftp://a", "'https://a.example/#x'", "'https://{other}.example'"]),
        .section(
            "identity: { firebase: { projects: [{ project: p }, { project: q }] } }\n"
                + "revocation: { write_back: { realtime_database: 'https://p.firebaseio.com' } }",
            "2:29 revocation.write_back.realtime_database has no {project}, but identity.firebase has several"),
    ]

    @Test(arguments: brokenDatabases) func `an invalid database is rejected`(_ broken: BrokenConfiguration) {
        broken.check()
    }

    @Test(arguments: broken) func `an invalid section is rejected`(_ broken: BrokenConfiguration) {
        broken.check()
    }
}
