import Foundation
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import SystemFixtures

/// The base of relative paths. `EndToEndTests` runs the binary in another working directory.
@Suite struct RelativePathTests {
    private static let all = """
        listen:
          - address: 127.0.0.1:0
            tls:
              certificate: a.pem
              private_key: b.pem
              certificates: [{ certificate: c.pem, private_key: d.pem }]
              client_ca: e.pem
        identity: { firebase: { project: demo } }
        store: { url: 'rediss://h', ca: f.pem, certificate: g.pem, private_key: h.pem }
        revocation: { source: firebase, service_account: i.json }
        accounts: { session_key: j.pem, previous_session_keys: [k.pem] }
        headers: { assertion: { key: l.pem, previous_keys: [m.pem] } }
        rules: n.rules
        log: { access: o/p.log }
        upstreams: { api: { servers: ['https://a'], tls: { ca: q.pem, certificate: r.pem, private_key: s.pem } } }
        routes: [{ path: /, upstream: api }]

        """

    private func load(_ yaml: String, _ file: String) throws -> Configuration {
        try Configuration.load(bytes: Array(yaml.utf8), file: file, environment: [:])
    }

    private func paths(_ configuration: Configuration) throws -> [String?] {
        let tls = try #require(configuration.listen[0].tls)
        guard case .redis(let redis) = configuration.store, case .file(let log) = configuration.log.access else {
            return []
        }
        let upstream = configuration.upstreams[0].tls
        return tls.identities.flatMap { [$0.certificate, $0.privateKey] } + [
            tls.clientCA, redis.tls?.ca, redis.tls?.certificate, redis.tls?.privateKey,
            configuration.revocation.firebase?.serviceAccount, configuration.accounts?.sessionKey,
            configuration.accounts?.previousSessionKeys.first, configuration.headers.assertion?.key,
            configuration.headers.assertion?.previousKeys.first, configuration.rules?.path, log, upstream.ca,
            upstream.certificate, upstream.privateKey,
        ]
    }

    private static let names = [
        "a.pem", "b.pem", "c.pem", "d.pem", "e.pem", "f.pem", "g.pem", "h.pem", "i.json", "j.pem", "k.pem", "l.pem",
        "m.pem", "n.rules", "o/p.log", "q.pem", "r.pem", "s.pem",
    ]

    @Test(arguments: [
        ("/etc/gatehouse/gatehouse.yaml", "/etc/gatehouse/"), ("/gatehouse.yaml", "/"), ("conf/x.yaml", "conf/"),
        ("gatehouse.yaml", ""), ("/dev/stdin", ""), ("/dev/fd/3", ""),
        ("/proc/self/fd/3", ""), ("/dev/shm/gatehouse.yaml", "/dev/shm/"),
    ])
    func `every path starts at the folder of the configuration file`(file: String, base: String) throws {
        let configuration = try load(Self.all, file)
        #expect(try paths(configuration) == Self.names.map { base + $0 })
        #expect(configuration.warnings.isEmpty)
    }

    @Test func `an absolute path is unchanged`() throws {
        let yaml = Self.all.replacing("n.rules", with: "/x/n.rules")
        #expect(try load(yaml, "/etc/gatehouse/gatehouse.yaml").rules?.path == "/x/n.rules")
    }

    @Test(arguments: ["", "store: sqlite:gatehouse.db\n", "store: { url: 'sqlite:gatehouse.db' }\n"])
    func `a new store is created in the folder of the configuration file`(section: String) throws {
        let configuration = try load(section + BrokenConfiguration.rest, "/etc/gatehouse/gatehouse.yaml")
        #expect(configuration.store == .sqlite(path: "/etc/gatehouse/gatehouse.db"))
    }

    @Test func `relative paths of a configuration in memory are unchanged`() throws {
        let configuration = try Configuration.load(
            bytes: Array(("rules: Package.swift\n" + BrokenConfiguration.rest).utf8), file: "config/x.yaml",
            environment: [:], files: [:])
        #expect(configuration.rules?.path == "config/Package.swift" && configuration.warnings.isEmpty)
    }
}
