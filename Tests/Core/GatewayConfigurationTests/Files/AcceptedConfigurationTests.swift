import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// Configurations that must load as they are.
@Suite struct AcceptedConfigurationTests {
    @Test func theDesignsExampleLoadsWithoutThem() throws {
        let yaml = """
            listen:
              - address: 0.0.0.0:8080
            workers: null
            limits: { connections: 10000, head_size: 64KiB, body_size: null, head_timeout: 10s, request_timeout: null }
            drain: { delay: 5s, timeout: 30s }
            trusted_proxies: []
            admin:
              address: 127.0.0.1:9901
              token: ${GATEHOUSE_ADMIN_TOKEN}
            identity:
              clock_skew: 5s
              firebase: { project: my-app, tenant: null, insecure_emulator: false }
              keys: { min_ttl: 1m, max_ttl: 24h, refresh_at: 0.8, stale_for: 24h, unknown_key_cooldown: 30s }
              credentials: { header: Authorization, cookie: __session }
            store: sqlite:gatehouse.db
            revocation: { max_staleness: 60s, strict_timeout: 50ms, source: store }
            accounts: null
            headers: { prefix: X-Auth-, variable: true, forward_credential: false, assertion: null }
            upstreams:
              api: { servers: [http://127.0.0.1:3000], connect_timeout: 2s, response_timeout: 60s, connections: 256 }
            routes:
              - { path: /health, auth: none, upstream: api }
              - path: /v1/users/{uid}/{rest=**}
                allow: auth.uid == uid
                upstream: api
              - { path: /v1/account, methods: [DELETE], recent_sign_in: 5m, revocation: strict, upstream: api }
            """
        let environment = ["GATEHOUSE_ADMIN_TOKEN": "0123456789abcdef"]
        let configuration = try ConfigurationTesting.load(yaml, environment: environment)
        #expect(configuration.routes.count == 3 && configuration.warnings.isEmpty)
        #expect(configuration.admin.token == Secret("0123456789abcdef"))
    }

    @Test func isAcceptedWhereItSaysNothing() throws {
        let yaml = """
            trusted_proxies: []
            accounts: null
            revocation: { source: store }
            headers: { assertion: ~ }
            upstreams: { api: { servers: ["http://a"] } }
            routes: [{ path: /, auth: none, upstream: api, insecure_no_csrf: false }]
            """
        #expect(throws: Never.self) { try ConfigurationTesting.load(yaml) }
    }
}
