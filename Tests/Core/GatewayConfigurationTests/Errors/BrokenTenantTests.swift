import Testing

@testable import CoreFixtures

@Suite struct BrokenTenantTests {
    static let guid = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

    static let cases: [BrokenConfiguration] = [
        .section(
            "identity: { providers: { microsoft.com: { audiences: a } } }",
            "1:41 tenants is missing; add tenants: [ID], the ids of the organizations, or tenants: \"*\" for any"),
        tenants("common", "cannot be 'common': no token has the word; write \"*\" for any organization, or list"),
        tenants("Common", "cannot be 'Common': no token has the word"),
        tenants("organizations", "no token has the word; write \"*\" for any organization"),
        tenants(
            "consumers", "no token has the word; write 9188040d-6c67-4c5b-b112-36a304b66dad, the tenant of personal"),
        tenants(
            "contoso.onmicrosoft.com", "cannot be the domain 'contoso.onmicrosoft.com': tokens have the tenant's id"),
        tenants("contoso", "is 'contoso', not a tenant's id; write it as in \(guid), or \"*\""),
        tenants("\(guid)0", "not a tenant's id"), tenants("'{\(guid)}'", "not a tenant's id"),
        tenants("8eaef0232b344da19baa8bc8c9d6a490", "not a tenant's id"),
        tenants("8eaef02g-2b34-4da1-9baa-8bc8c9d6a490", "not a tenant's id"), tenants("[]", "is an empty list"),
        .section(
            "identity: { providers: { microsoft.com: { audiences: a, tenants: ['*', \(guid)] } } }",
            "1:66 has other tenants beside \"*\"; write \"*\" alone"),
        .section(
            "identity: { providers: { microsoft.com: { audiences: a, tenants: [\(guid), \(guid.uppercased())] } } }",
            "1:105 has an entry twice"),
        .section(
            "identity: { providers: { microsoft.com: { audiences: a, tenants: '*', issuer: 'https://a.b/v2.0' } } }",
            "1:79 does not have {tenantid} in it once; write it where tokens have the tenant's id"),
    ]

    private static func tenants(_ value: String, _ expected: String) -> BrokenConfiguration {
        .section(
            "identity: { providers: { microsoft.com: { audiences: a, tenants: \(value) } } }", "1:66 \(expected)")
    }

    @Test(arguments: cases) func isReportedWithLineAndColumn(_ broken: BrokenConfiguration) { broken.check() }
}
