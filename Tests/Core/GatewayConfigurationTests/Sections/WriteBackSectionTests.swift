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

    @Test func `without identity_toolkit nothing is written back`() throws {
        let yaml = "identity: { firebase: { project: p } }\nrevocation: { write_back: { identity_toolkit: false } }"
        #expect(try ConfigurationTesting.load(section: yaml).revocation.writeBack == nil)
        #expect(Configuration.WriteBack(Configuration.FirebaseAccounts(serviceAccount: nil)).queue == 100_000)
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

    @Test(arguments: broken) func `an invalid section is rejected`(_ broken: BrokenConfiguration) {
        broken.check()
    }
}
