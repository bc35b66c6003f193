import Testing

@testable import CoreFixtures

@Suite struct BrokenIdentityTests {
    static let cases: [BrokenConfiguration] = [
        .section("identity: { clock_skew: 61s }", "1:25 identity.clock_skew is '61s', out of range; write 0s to 1m"),
        .section(
            "identity:\n  firebase:\n    tenant: x",
            "3:5 identity.firebase.project is missing; add the project id, as in"),
        .section("identity: { firebase: my-app }", "1:23 identity.firebase is not a mapping"),
        .section("identity: { firebase: { project: a/b } }", "1:34 identity.firebase.project is not a project id"),
        .section(
            "identity: { firebase: { project: 123 } }",
            "1:34 identity.firebase.project is '123', not a string; put it in quotes"),
        firebase("keys_url: http://keys.example/jwk", "4:15 use https://, or set insecure_http: true"),
        firebase("session_keys_url: http://10.0.0.1/jwk", "4:23 an http:// URL of another machine"),
        firebase("keys_url: keys.example", "4:15 not an absolute URL"),
        firebase(
            "keys_url: ftp://keys.example",
            "4:15 a URL whose scheme is neither http nor https; begin it with https://"),
        firebase("keys_url: https://user:pass@keys.example", "4:15 an address with a user or password"),
        firebase("keys_url: https://keys.example/a#b", "4:15 a URL with a fragment"),
        firebase("keys_url: 'https://keys.example/a b'", "4:15 a URL with spaces"),
        firebase("keys_url: https:///jwk", "4:15 an address without a host"),
        firebase(
            "keys_url: https://127.0.0.1.evil.example:x/",
            "4:15 an address with an invalid port; a port is a number up to 65535"),
        firebase("keys_url: http://127.0.0.1.evil.example/", "4:15 an http:// URL of another machine"),
        firebase("issuer: https://x", "4:5 unknown key 'issuer' in identity.firebase"),
        firebase("insecure_emulator: 1", "4:24 not true or false"),
        firebase("insecure_emulator_on: all", "4:27 cannot be 'all'; write loopback or any"),
        .section(
            "listen: [{ address: '0.0.0.0:80' }]\nidentity: { firebase: { project: a, insecure_emulator: true } }",
            "1:21 insecure_emulator requires that every listener is on a loopback address; listen on 127.0.0.1"),
        .section(
            "identity: { firebase: { project: p, tenant: [] } }", "1:45 identity.firebase.tenant is an empty list"),
        .section(
            "identity: { firebase: { project: p, tenant: [a, '*'] } }",
            "1:49 identity.firebase.tenant[] is '*', not a tenant; write the id of a tenant"),
        .section("identity: { firebase: { project: p, tenant: [a, a] } }", "1:49 has a duplicate entry"),
        projects("project: p, projects: [{ project: q }]", "1:25 identity.firebase has both project and projects"),
        projects("tenant: t, projects: [{ project: q }]", "1:25 identity.firebase has both tenant and projects"),
        projects("projects: []", "1:35 identity.firebase.projects is an empty list"),
        projects("projects: p", "1:35 identity.firebase.projects is not a list"),
        projects(
            "projects: [{ tenant: t }]", "1:36 identity.firebase.projects[].project is missing; add the project id"),
        projects("projects: [{ project: apple.com }]", "1:47 identity.firebase.projects[].project is not a project id"),
        projects("projects: [{ project: p, tenant: 'a b' }]", "1:58 'a b', not a tenant"),
        projects("projects: [{ project: p, keys_url: x }]", "1:50 unknown key 'keys_url'"),
        projects(
            "projects: [{ project: p }, { project: p, tenant: t }]",
            "1:52 identity.firebase.projects has the project 'p' twice; combine the entries"),
        projects(
            "projects: [\((0..<33).map { "{ project: p\($0) }" }.joined(separator: ", "))]",
            "1:35 identity.firebase.projects has more than 32 projects"),
        appCheck("{ apps: { a: web } }", "4:16 identity.firebase.app_check.project_number is missing; add the"),
        appCheck("{ project_number: 1 }", "4:16 identity.firebase.app_check.apps is missing; add the App IDs"),
        appCheck(
            "{ project_number: my-app, apps: { a: web } }",
            "4:34 'my-app', not a project number; write the digits of the project number"),
        appCheck("{ project_number: 1.5, apps: { a: web } }", "4:34 '1.5', not a project number"),
        appCheck(
            "{ project_number: 1, apps: { a: web }, consume_url: 'http://a.example/' }",
            "4:68 an http:// URL of another machine"),
        appCheck("{ project_number: 1, apps: { a: web }, consume_timeout: 6s }", "4:72 out of range"),
        appCheck("{ project_number: 1, apps: { 'a b': web } }", "4:45 'a b' is not an App ID"),
        appCheck("{ project_number: 1, apps: { a: 'w b' } }", "4:48 'w b', not a name"),
        appCheck(
            "{ project_number: 1, apps: { a: web }, keys_url: http://keys.example/ }",
            "4:65 an http:// URL of another machine"),
        appCheck("{ project_number: 1, apps: { a: web }, enforce: true }", "4:55 unknown key 'enforce'"),
        .section("identity: { keys: { refresh_at: … } }", "1:33 not a number", values: ["80%", ".8"]),
        .section("identity: { keys: { refresh_at: 1.1 } }", "1:33 out of range; write 0.1 to 1.0"),
        .section("identity: { keys: { min_ttl: 2h, max_ttl: 1h } }", "1:21 min_ttl is greater than max_ttl"),
        .section("identity: { keys: { unknown_key_cooldown: 0s } }", "1:43 out of range; write 100ms to 1h"),
        .section("identity: { credentials: { header: 'X Auth' } }", "1:36 not a field name"),
        .section("identity: { credentials: { header: Connection } }", "1:36 cannot be 'Connection'"),
        .section(
            "identity: { credentials: { cookie: 'a;b' } }",
            "1:36 identity.credentials.cookie is 'a;b', not a cookie name"),
        .section(
            "headers: { prefix: … }", "1:20 not a name with a trailing '-'; write a name as in X-Auth-",
            values: ["X-Auth", "'-'"]),
        .section("headers: { prefix: 'X Auth-' }", "1:20 not a field name"),
        .section("headers: { prefix: X- }", "1:20 would remove the field x-"),
        .section("headers: { prefix: Content- }", "1:20 would remove the field content-"),
        .section("headers: { prefix: Cookie- }", "1:20 would remove the field cookie"),
        extra("'X Role': token.role", "3:5 'X Role' is not a field name"),
        extra("Connection: token.role", "3:5 the field 'Connection' belongs to the connection"),
        extra("Transfer-Encoding: token.role", "3:5 belongs to the connection"),
        extra("content_length: token.role", "3:5 belongs to the connection"),
        extra("X-Auth-Uid: uid", "3:5 the field 'X-Auth-Uid' is reserved; choose another name"),
        extra("x_auth_email: token.email", "3:5 is reserved"),
        extra("X-Auth: token.role", "3:5 is reserved"),
        extra("X-Forwarded-For: token.ip", "3:5 is reserved"),
        extra("Authorization: token.role", "3:5 is reserved"),
        extra(
            "X-Role: token.role\n    x_role: token.role",
            "4:5 duplicate field 'x_role' in headers.extra; remove one of them"),
        extra(
            "X-Role: role", "3:13 headers.extra.X-Role at character 1: unknown root of a claim path; begin with token"),
        extra("X-Role: token", "3:13 token without a claim"),
        extra("X-Role: request.method", "3:13 at character 1"),
        extra("X-Role: token.", "3:13 at character 7: a name of letters, digits and '_' is missing"),
        extra("X-Role: token.a-b", "3:13 at character 1: '-' subtracts; names cannot contain it; write token['a-b']"),
        extra("X-Role: [token.role]", "3:13 is not a string"),
    ]

    /// A configuration with one key below `project`, on line 4.
    private static func firebase(_ line: String, _ expected: String) -> BrokenConfiguration {
        .section("identity:\n  firebase:\n    project: demo\n    \(line)", expected)
    }

    /// A configuration with App Check, on line 4.
    private static func projects(_ keys: String, _ expected: String) -> BrokenConfiguration {
        .section("identity: { firebase: { \(keys) } }", expected)
    }

    private static func appCheck(_ value: String, _ expected: String) -> BrokenConfiguration {
        firebase("app_check: \(value)", expected)
    }

    /// A configuration with one extra field, on line 3.
    private static func extra(_ line: String, _ expected: String) -> BrokenConfiguration {
        .section("headers:\n  extra:\n    \(line)", expected)
    }

    @Test(arguments: cases)
    func `each error in identity and headers is reported with line and column`(broken: BrokenConfiguration) {
        broken.check()
    }
}

/// Pairs of issuers with the same name, so that a token could belong to either.
@Suite struct BrokenIssuerTests {
    static let tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

    static let cases: [BrokenConfiguration] = [
        issuers(
            "https://a.example", "https://a.example", "3:5 'oidc.b' has the issuer 'https://a.example' of 'oidc.a'"),
        .section(
            "identity:\n  firebase: { project: p }\n  providers:\n    oidc.a: { audiences: a, issuer: 'https://…/p' }",
            "4:5 of identity.firebase; remove one of them",
            values: ["securetoken.google.com", "session.firebase.google.com"]),
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

    @Test(arguments: cases)
    func `a duplicate issuer is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: [
        ("https://a.example", "https://a.example/"), ("https://a.example", "https://A.example"),
        ("https://a.example/caf%C3%A9", "https://a.example/cafe%CC%81"),
    ]) func `issuers are compared byte for byte`(_ first: String, _ second: String) {
        #expect(ConfigurationTesting.errors(in: Self.issuers(first, second, "").yaml).isEmpty)
    }
}

@Suite struct BrokenTenantTests {
    static let guid = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

    static let cases: [BrokenConfiguration] = [
        .section(
            "identity: { providers: { microsoft.com: { audiences: a } } }",
            "1:41 tenants is missing; add tenants: [ID] with the organizations' tenant ids, or tenants: \"*\" for any tenant"
        ),
        tenants(
            "common",
            "cannot be 'common', since tokens contain the tenant id; write \"*\" for any organization, or list"),
        tenants("Common", "cannot be 'Common', since tokens contain the tenant id"),
        tenants(
            "organizations",
            "cannot be 'organizations', since tokens contain the tenant id; write \"*\" for any organization"),
        tenants(
            "consumers",
            "since tokens contain the tenant id; write 9188040d-6c67-4c5b-b112-36a304b66dad, the tenant of personal"),
        tenants(
            "contoso.onmicrosoft.com",
            "cannot be the domain 'contoso.onmicrosoft.com', since tokens contain the tenant id; write its tenant id"),
        tenants("contoso", "is 'contoso', not a tenant id; write it as in \(guid), or \"*\""),
        tenants("\(guid)0", "not a tenant id"), tenants("'{\(guid)}'", "not a tenant id"),
        tenants("8eaef0232b344da19baa8bc8c9d6a490", "not a tenant id"),
        tenants("8eaef02g-2b34-4da1-9baa-8bc8c9d6a490", "not a tenant id"), tenants("[]", "is an empty list"),
        .section(
            "identity: { providers: { microsoft.com: { audiences: a, tenants: ['*', \(guid)] } } }",
            "1:66 lists other tenants besides \"*\"; write \"*\" alone"),
        .section(
            "identity: { providers: { microsoft.com: { audiences: a, tenants: [\(guid), \(guid.uppercased())] } } }",
            "1:105 has a duplicate entry"),
        .section(
            "identity: { providers: { microsoft.com: { audiences: a, tenants: '*', issuer: 'https://a.b/v2.0' } } }",
            "1:79 does not contain {tenantid} exactly once; write it in place of the tenant id"),
    ]

    private static func tenants(_ value: String, _ expected: String) -> BrokenConfiguration {
        .section("identity: { providers: { microsoft.com: { audiences: a, tenants: \(value) } } }", "1:66 \(expected)")
    }

    @Test(arguments: cases)
    func `an invalid tenant is reported with line and column`(broken: BrokenConfiguration) { broken.check() }
}
