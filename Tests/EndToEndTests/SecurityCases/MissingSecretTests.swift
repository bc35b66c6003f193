import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// A gateway without a configured protection does not start.
struct MissingSecretTests {
    static let broken: [(what: String, text: String)] = [
        ("a token's file", "admin: { token: '${file:absent}' }\n"),
        ("a token file that is a folder", "admin: { token: '${file:.}' }\n"),
        ("an empty token file", "admin: { token: '${file:empty}' }\n"),
        ("a token's variable", "admin: { token: '${ABSENT_VARIABLE}' }\n"),
        ("the store's folder", "store: sqlite:absent/folder/gatehouse.db\n"),
        ("a store file of another format", "store: sqlite:text\n"),
        ("rules", "rules: absent.rules\n"), ("session cookies' key", "accounts: { session_key: absent.pem }\n"),
        ("no key of session cookies with a shared store", "accounts: {}\nstore: redis://127.0.0.1:1\n"),
        ("an assertion's key", "headers: { assertion: { key: absent.pem } }\n"),
    ]

    @Test(.tags(.c15), arguments: broken)
    func `the gateway does not start without a configured protection`(row: (what: String, text: String)) async throws {
        let run = try await serve(CheckTests.valid + row.text)
        #expect(run.exitCode == 1, "\(row.what)")
        #expect(run.errors != "", "\(row.what)")
    }

    static let open: [(what: String, text: String)] = [
        ("no identity at all", ""), ("no project", "identity: { firebase: {} }\n"),
        ("an empty project", "identity: { firebase: { project: '' } }\n"),
        ("an audience in an unset variable", "identity: { firebase: { project: '${ABSENT}' } }\n"),
        ("a wildcard", "identity: { firebase: { project: '*' } }\n"),
        ("keys over http", "identity: { firebase: { project: a, keys_url: 'http://keys.example/' } }\n"),
        (
            "neither header nor cookie",
            "identity: { firebase: { project: a }, credentials: { header: null, cookie: null } }\n"
        ),
    ]

    @Test(.tags(.e01), arguments: open)
    func `an identity without an audience is a configuration error`(row: (what: String, text: String)) async throws {
        let routes = "routes: [{ path: /x, upstream: api }]\n"
        let run = try await serve(row.text + CheckTests.upstreams + routes)
        #expect(run.exitCode == 1, "\(row.what)")
    }

    /// Options that would skip a check, with names from other gateways.
    static let switches = [
        "identity: { firebase: { project: a, insecure_skip_signature: true } }",
        "identity: { firebase: { project: a, verify: false } }",
        "identity: { firebase: { project: a, skip_expiry: true } }",
        "identity: { firebase: { project: a, accept_unsupported_alg: true } }", "identity: { insecure: true }",
        "identity: { keys: { insecure_skip_tls_verify: true } }", "insecure: true", "debug: true", "fail_open: true",
    ]

    @Test(.tags(.l10), arguments: switches)
    func `no option skips a check`(section: String) async throws {
        let identity = section.contains("project") ? "" : "identity: { firebase: { project: a } }\n"
        let run = try await serve(
            identity + CheckTests.upstreams + section + "\nroutes: [{ path: /x, upstream: api }]\n")
        #expect(run.exitCode == 1, "\(section)")
    }

    @Test(.tags(.l12), arguments: ["yes", "TRUE", "1", "'true'"])
    func `a boolean is only true or false`(value: String) async throws {
        for option in ["insecure_emulator", "insecure_http"] {
            let text = CheckTests.valid.replacing("project: demo-gatehouse", with: "project: a, \(option): \(value)")
            #expect(try await serve(text).exitCode == 1, "\(option): \(value)")
        }
    }

    /// Runs an invalid configuration. If the gateway accepts it, it exits because its address cannot be bound.
    private func serve(_ text: String) async throws -> CommandRun {
        let folder = try ScratchFolder()
        try folder.write("", to: "empty")
        try folder.write("this is no database, it only looks like a file of some length", to: "text")
        let runs = text.contains("store:")
        let admin = text.contains("admin:") ? "" : "admin: { address: 127.0.0.1:0 }\n"
        try folder.write(text + admin + (runs ? "listen: [{ address: 127.0.0.1:0 }]\n" : ""), to: "gatehouse.yaml")
        return try await CommandRun.run(runs ? "serve" : "check", "--config", "gatehouse.yaml", in: folder)
    }
}
