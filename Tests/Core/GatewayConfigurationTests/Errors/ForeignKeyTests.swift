import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration

/// Keys of other proxies, and keys that are a part of the correct key.
@Suite struct ForeignKeyTests {
    static let cases: [BrokenConfiguration] = [
        .section("timeout: 5s", "1:1 write limits.request_timeout, or response_timeout of an upstream or a route"),
        .section("limits: { timeout: 5s }", "1:11 write request_timeout for a whole request, or idle_timeout"),
        .section("limits: { client_max_body_size: 1MiB }", "1:11 did you mean 'body_size'?"),
        // Keys that are not in the table. A part of the name determines the suggestion.
        .section(
            "identity: { keys: { ttl: 5m } }",
            "1:21 unknown key 'ttl' in identity.keys; did you mean 'min_ttl' or 'max_ttl'?"),
        .route(
            "path: /\nauth: none\ntimeout: 5s",
            "7:5 unknown key 'timeout' in routes[]; did you mean 'response_timeout'?"),
        .route("auth: none\nprefix: /api/", "4:5 routes[].path is missing", "6:5 write path: /api/{rest=**}"),
        .route("auth: none\nprefix: ${A}", "4:5 routes[].path is missing", "6:5 write path: /x/{rest=**}"),
        .route("path: /\nauth: none\nproxy_pass: a", "7:5 did you mean 'upstream'?"),
        .section("listen: [{ address: 127.0.0.1:1, port: 1 }]", "1:34 write it in address, as in 127.0.0.1:8080"),
    ]

    @Test(arguments: cases)
    func `a key of another proxy is reported with the key to write`(broken: BrokenConfiguration) { broken.check() }

    @Test func `the table names no valid key as foreign, and only valid keys as a replacement`() throws {
        for (path, rows) in ForeignKeys.table {
            let known = try #require(KnownKeys.all.first { $0.path == path }, "\(path)")
            let spelled = known.supported.map { $0.replacing("_", with: "") } + known.aliases.keys
            for row in rows {
                #expect(row.meant.contains(" ") || known.supported.contains(row.meant), "\(path) \(row.meant)")
                #expect(row.names.allSatisfy { !spelled.contains($0) && $0 == $0.lowercased() && !$0.contains("_") })
            }
        }
    }

    static let rules: [BrokenConfiguration] = [
        .section(
            "rules: |\n  rules_version = '2';\n  service gatehouse.http {}",
            "1:8 rules contains the rules themselves, not the path of their file; write the rules to a file"),
        .section(
            "rules: \"rules_version = '2'; service gatehouse.http {}\"", "1:8 rules contains the rules themselves"),
        .section("rules: [api.rules]", "1:8 rules is not the path of a file; write the rules to a file"),
        .section("rules: {}", "1:8 rules is an empty mapping"),
    ]

    @Test(arguments: rules)
    func `rules in place of the path of their file are reported`(broken: BrokenConfiguration) { broken.check() }

    @Test func `none disables the revocation check and the access log, like off`() throws {
        for word in ["none", "off", "'off'"] {
            let configuration = try ConfigurationTesting.load(
                BrokenConfiguration.beforeRoute + "    path: /\n    revocation: \(word)\nlog: { access: \(word) }\n")
            #expect(configuration.routes[0].revocation == .off && configuration.log.access == .off)
        }
        BrokenConfiguration.route(
            "path: /\nrevocation: false",
            "6:17 routes[].revocation cannot be 'false'; write none; tools that read YAML 1.1 rewrite off as false"
        ).check()
    }
}
