import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct BrokenScalarTests {
    static let cases: [BrokenConfiguration] = [
        .section("wrokers: 1", "1:1 unknown key 'wrokers'; did you mean 'workers'?"),
        .section("limits:\n  idleTimeout: 5s", "2:3 unknown key 'idleTimeout' in limits; did you mean 'idle_timeout'?"),
        .section("drain: { grace: 5s }", "1:10 unknown key 'grace' in drain; the supported keys are delay, timeout"),
        .section("workers: 4 cores", "1:10 workers is '4 cores', not a whole number"),
        .section("workers: \"4\"", "1:10 workers is '4', not a whole number; write digits only"),
        .section("workers: …", "1:10 not a whole number", values: ["0x10", "010", "1_000", "4.0"]),
        .section("workers: [4]", "1:10 workers is not a whole number"),
        .section("workers: 0", "1:10 workers is '0', out of range; write 1 to 1024"),
        .section("workers: …", "1:10 out of range", values: ["-1", "99999999999999999999999"]),
        .section("limits: 5", "1:9 limits is not a mapping"),
        .section("limits: { connections: 1e4 }", "1:24 not a whole number"),
        .section("limits:\n  head_timeout: 30", "2:17 not a duration; write a whole number and ms, s, m, h or d"),
        .section("limits:\n  head_timeout: 30 s", "2:17 limits.head_timeout is '30 s', not a duration"),
        .section("limits:\n  head_timeout: …", "2:17 not a duration", values: ["30sec", "1h30m", "1.5s", "s", "-5s"]),
        .section("limits:\n  head_timeout: 2h", "2:17 out of range; write 1ms to 1h"),
        .section("limits:\n  idle_timeout: 999999999999999999999d", "2:17 out of range; write 1ms to 1d"),
        .section("limits: { head_size: 64KB }", "1:22 limits.head_size is '64KB', not a size"),
        .section("limits: { head_size: … }", "1:22 not a size", values: ["64 KiB", "64k"]),
        .section("limits: { head_size: 512 }", "1:22 out of range; write 1KiB to 1MiB"),
        .section("limits: { body_size: 99999999999TiB }", "1:22 out of range; write 0 to 1TiB"),
        .section("limits: { body_rate: 240B }", "1:22 limits.body_rate is '240B', not a size"),
        .section("limits: { body_rate: 2GiB }", "1:22 out of range; write 0 to 1GiB"),
        .section("headers: { variable: yes }", "1:22 headers.variable is 'yes', not true or false"),
        .section("headers: { variable: … }", "1:22 not true or false", values: ["\"true\"", "True"]),
        .section("log: { level: verbose }", "1:15 log.level cannot be 'verbose'; write trace or debug"),
        .section("log: { level: wraning }", "1:15 did you mean 'warning'?"),
        .section("log: { access: access.log }", "1:16 write stdout, none, or a path with a '/'"),
        .section(
            "log: { access: false }",
            "1:16 log.access cannot be 'false'; write none; tools that read YAML 1.1 rewrite off as false"),
        .section("log: { format: logfmt }", "1:16 log.format cannot be 'logfmt'; write text or json"),
        .section("log: { access: [a] }", "1:16 log.access is not a string"),
        .section("store: 5", "1:8 store is '5', not a string; put it in quotes"),
        .section("store: true", "1:8 store is 'true', not a string"),
        .section("store: postgres://x", "1:8 store is of an unknown kind; write sqlite:PATH, redis://HOST"),
        .section("store: 'sqlite:'", "1:8 store has no file path"),
        .section("store: sqlite:///x", "1:8 store is not sqlite: followed by a path"),
        .section("store: \"sqlite:a\\nb\"", "1:8 store contains a control character"),
        .section("revocation: { source: redis }", "1:23 revocation.source cannot be 'redis'"),
        .section("revocation: { strict_timeout: 1m }", "1:31 out of range; write 1ms to 10s"),
        .section("listen: 0.0.0.0:80", "1:9 listen is not a list"),
        .section("listen: [0.0.0.0:80]", "1:10 listen[] is not a mapping"),
        .section(
            "listen:\n  - address: …",
            "2:14 a port without a host; write 127.0.0.1:8080 for clients on this machine, or 0.0.0.0:8080",
            values: ["8080", "\"8080\"", ":8080"]),
        .section("listen:\n  - address: :http", "2:14 an address without a host"),
        .section("listen:\n  - address: localhost", "2:14 an address without a port"),
        .section(
            "listen:\n  - address: …", "2:14 an address with an invalid port",
            values: ["localhost:http", "localhost:65536"]),
        .section("listen:\n  - address: ::1:80", "2:14 an IPv6 address without brackets"),
        .section("listen:\n  - address: '[::g]:80'", "2:14 an address with an invalid IPv6 host"),
        .section("listen:\n  - address: 300.0.0.1:80", "2:14 an address with an invalid host"),
        .section("listen:\n  - address: a:1\n  - address: a:1", "3:14 the address of another listener"),
        .section("listen:\n  - address: 0.0.0.0:9901", "2:14 the admin listener has the same address"),
        .section(
            "workers: 1\nadmin: { address: localhost:8080 }\nlisten: [{ address: localhost:8080 }]",
            "3:21 the admin listener has the same address"),
        .section("workers: 1\nadmin: { address: 127.0.0.1:8080 }", "2:1 the admin listener has the same address"),
        .section(
            "admin: { token: 'with space' }",
            "1:17 admin.token has characters that are invalid in a header; use visible ASCII"),
    ]

    @Test(arguments: cases)
    func `each invalid scalar is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test func `an error has file, line, column, problem and remedy`() {
        let errors = ConfigurationTesting.errors(in: "wrokers: 1\n" + BrokenConfiguration.rest)
        #expect(errors.map(\.description) == ["gatehouse.yaml:1:1: unknown key 'wrokers'; did you mean 'workers'?"])
    }

    @Test func `errors of all sections are reported in file order`() {
        BrokenConfiguration.file(
            """
            routes:
              - { path: a, upstream: b }
            upstreams: { api: { servers: [http://a] } }
            limits: { connections: x }
            workers: y
            """,
            "2:13 routes[].path is 'a', which does not begin with '/'",
            "2:13 the route requires a credential, but identity has no issuer",
            "2:26 there is no upstream 'b'; add it under upstreams",
            "4:24 not a whole number", "5:10 not a whole number"
        ).check()
    }
}
