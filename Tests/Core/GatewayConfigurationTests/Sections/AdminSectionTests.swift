import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// The keys of the operators' console in `admin`.
@Suite struct AdminSectionTests {
    private static let token = "token: 0123456789abcdef"

    static let cases: [BrokenConfiguration] = [
        .section("admin: { console: true }", "1:10 admin.console needs admin.token"),
        .section("admin: { console: yes }", "1:19 admin.console is 'yes', not true or false"),
        .section("admin: { viewer_token: 0123456789abcdeX }", "1:10 admin.viewer_token needs admin.token"),
        .section(
            "admin: { \(token), viewer_token: 0123456789abcdef }", "1:35 admin.viewer_token equals admin.token"),
        .section(
            "admin: { \(token), viewer_token: 'with space', console: true }",
            "1:49 admin.viewer_token has characters that are invalid in a header"),
        .section(
            "admin: { \(token), public_url: 'https://a.example' }", "1:35 admin.public_url has no effect without"),
        .section(
            "admin: { \(token), console: true, public_url: 'https://a.example/console' }",
            "1:62 admin.public_url is 'https://a.example/console', not in the form that browsers send"),
    ]

    @Test(arguments: cases) func `a setting without effect is reported`(broken: BrokenConfiguration) { broken.check() }

    @Test func `the console is off unless it is configured`() throws {
        let plain = try ConfigurationTesting.load(section: "admin: { \(Self.token) }").admin
        #expect(!plain.console && plain.viewerToken == nil && plain.publicURL == nil)
        let full = try ConfigurationTesting.load(
            section: "admin: { \(Self.token), viewer_token: 0123456789abcdeX, console: true, "
                + "public_url: 'https://ops.example:8443' }"
        ).admin
        #expect(full.console && full.viewerToken == Secret("0123456789abcdeX"))
        #expect(full.publicURL == "https://ops.example:8443")
    }

    @Test(arguments: [
        ("address: 10.0.0.1:9901", true), ("address: 127.0.0.1:9901", false), ("address: 'localhost:9901'", false),
        ("address: 10.0.0.1:9901, public_url: 'https://ops.example'", false),
    ])
    func `a console that is reached without TLS produces a warning`(keys: String, isWarned: Bool) throws {
        let configuration = try ConfigurationTesting.load(section: "admin: { \(Self.token), console: true, \(keys) }")
        #expect(configuration.warnings.contains { "\($0)".contains("without TLS") } == isWarned)
    }
}
