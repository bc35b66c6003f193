import Testing

@testable import CoreFixtures

/// Two that issue tokens under one name: a token would go to either.
@Suite struct BrokenIssuerTests {
    static let tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

    static let cases: [BrokenConfiguration] = [
        issuers(
            "https://a.example", "https://a.example", "3:5 'oidc.b' has the issuer 'https://a.example' of 'oidc.a'"),
        .section(
            "identity:\n  firebase: { project: p }\n  providers:\n    oidc.a: { audiences: a, issuer: "
                + "'https://securetoken.google.com/p' }", "4:5 of identity.firebase; keep one of them"),
        .section(
            "identity:\n  firebase: { project: p }\n  providers:\n    oidc.a: { audiences: a, issuer: "
                + "'https://session.firebase.google.com/p' }", "4:5 of identity.firebase"),
        .section(
            "identity:\n  providers:\n    apple.com: { audiences: a }\n"
                + "    oidc.a: { audiences: a, issuer: 'https://account.apple.com' }",
            "4:5 has the issuer 'https://account.apple.com' of 'apple.com'"),
        .section(
            "identity:\n  providers:\n    microsoft.com: { audiences: a, tenants: '*' }\n"
                + "    oidc.a: { audiences: a, issuer: 'https://login.microsoftonline.com/\(tenant)/v2.0' }",
            "4:5 of 'microsoft.com'"),
        .section(
            "identity:\n  providers:\n"
                + "    oidc.a: { audiences: a, issuer: 'https://login.microsoftonline.com/\(tenant)/v2.0' }\n"
                + "    microsoft.com: { audiences: a, tenants: '*' }", "4:5 'microsoft.com' has the issuer"),
    ]

    private static func issuers(_ first: String, _ second: String, _ expected: String) -> BrokenConfiguration {
        .section(
            "identity: { providers: {\n    oidc.a: { audiences: a, issuer: '\(first)' },\n"
                + "    oidc.b: { audiences: b, issuer: '\(second)' } } }", expected)
    }

    @Test(arguments: cases) func isReportedWithLineAndColumn(_ broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: [
        ("https://a.example", "https://a.example/"), ("https://a.example", "https://A.example"),
        ("https://a.example/caf%C3%A9", "https://a.example/cafe%CC%81"),
    ]) func issuersAreComparedByteForByte(_ first: String, _ second: String) {
        #expect(ConfigurationTesting.errors(in: Self.issuers(first, second, "").yaml).isEmpty)
    }
}
