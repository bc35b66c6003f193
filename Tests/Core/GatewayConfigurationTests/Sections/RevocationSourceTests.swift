import GatewayConfiguration
import Testing

@testable import CoreFixtures

@Suite struct RevocationSourceTests {
    static let broken: [BrokenConfiguration] = [
        .section(
            "revocation: { source: firebase, service_account: a }",
            "1:15 revocation.source: firebase without a Firebase project; add identity.firebase.project"),
        .section("revocation: { source: redis }", "1:23 revocation.source cannot be 'redis'; write store or firebase"),
        .section("revocation: { service_account: a }", "1:15 revocation.service_account without source: firebase; add"),
        .section("revocation: { source: store, lookup_timeout: 1s }", "1:30 lookup_timeout without source: firebase"),
        .section(
            "identity: { firebase: { project: p, tenant: '*' } }\nrevocation: { source: firebase, service_account: a }",
            "2:15 with tokens of any tenant: a uid may be another account in each; name one tenant"),
        firebase("source: firebase", "2:13 revocation.service_account is missing; add service_account: FILE"),
        lookup("service_account: ''", "2:50 revocation.service_account is empty"),
        lookup("service_account: a, lookup_timeout: 9ms", "2:69 write 10ms to 5s"),
        lookup("service_account: a, lookup_timeout: 6s", "2:69 write 10ms to 5s"),
        lookup("service_account: a, lookup_url: 'http://a.example'", "2:65 where anybody on the way could read tokens"),
        lookup("service_account: a, lookup_url: lookup", "2:65 not an absolute URL"),
    ]

    private static func firebase(_ keys: String, _ expected: String) -> BrokenConfiguration {
        .section("identity: { firebase: { project: p } }\nrevocation: { \(keys) }", expected)
    }

    private static func lookup(_ keys: String, _ expected: String) -> BrokenConfiguration {
        firebase("source: firebase, \(keys)", expected)
    }

    @Test(arguments: broken) func isReportedWithLineAndColumn(_ broken: BrokenConfiguration) { broken.check() }

    @Test func isRead() throws {
        let configuration = try ConfigurationTesting.load(
            section: """
                revocation: { source: firebase, service_account: a.json, lookup_url: 'http://localhost:9/{project}', lookup_timeout: 1s }
                identity: { firebase: { project: p } }
                """)
        var expected = Configuration.FirebaseAccounts(serviceAccount: "a.json")
        expected.lookupURL = "http://localhost:9/{project}"
        expected.timeout = .seconds(1)
        #expect(configuration.revocation.firebase == expected)
    }
}
