import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// The default values, compared with the documentation.
@Suite struct DefaultsTests {
    let configuration: Configuration

    init() throws {
        configuration = try ConfigurationTesting.load(
            """
            identity: { firebase: { project: demo } }
            upstreams: { api: { servers: ["http://backend"] } }
            routes: [{ path: /, upstream: api }]
            """)
    }

    @Test func `the default listeners are on loopback`() {
        #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:8080"])
        #expect(configuration.workers == nil && configuration.admin.address?.description == "127.0.0.1:9901")
        #expect(configuration.admin.token == nil)
    }

    @Test func `the defaults of limits and drain`() {
        let limits = configuration.limits
        #expect([limits.connections, limits.headSize, limits.headFields] == [10_000, 65_536, 128])
        #expect([limits.headTimeout, limits.idleTimeout] == [.seconds(10), .seconds(75)])
        #expect(limits.bodyRate == 240 && limits.bodySize == nil && limits.requestTimeout == nil)
        #expect([configuration.drain.delay, configuration.drain.timeout] == [.seconds(5), .seconds(30)])
    }

    @Test func `the defaults of Firebase`() throws {
        let firebase = try #require(configuration.identity.firebase)
        #expect(configuration.identity.clockSkew == .seconds(5))
        #expect(firebase.tenant == .none && !firebase.insecureEmulator && !firebase.insecureHTTP)
        #expect(
            firebase.keysURL
                == "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
        #expect(firebase.sessionKeysURL == "https://www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys")
        let project = try #require(firebase.projects.first)
        #expect(firebase.projects.count == 1 && !firebase.hasSeveralProjects)
        #expect(project.issuer == "https://securetoken.google.com/demo")
        #expect(project.sessionIssuer == "https://session.firebase.google.com/demo")
    }

    @Test func `the defaults of keys and credentials`() {
        let keys = configuration.identity.keys
        #expect([keys.minTTL, keys.maxTTL, keys.staleFor] == [.seconds(60), .seconds(86_400), .seconds(86_400)])
        #expect(keys.refreshAt == 0.8 && keys.unknownKeyCooldown == .seconds(30))
        #expect(configuration.identity.credentials.header == "Authorization")
        #expect(configuration.identity.credentials.cookie == "__session")
        #expect(configuration.identity.credentials.previousCookies.isEmpty)
    }

    @Test func `the defaults of store and headers`() {
        #expect(configuration.store == .sqlite(path: "gatehouse.db"))
        #expect(configuration.revocation.maxStaleness == .seconds(60))
        #expect(configuration.revocation.strictTimeout == .milliseconds(50))
        #expect(configuration.headers.prefix == "X-Auth-" && configuration.headers.variableName == "X-Auth")
        #expect(configuration.headers.variable && !configuration.headers.forwardCredential)
        #expect(configuration.headers.extra.isEmpty)
    }

    @Test func `the defaults of accounts`() throws {
        #expect(configuration.accounts == nil)
        let accounts = try #require(
            try ConfigurationTesting.load(section: "identity: { firebase: { project: demo } }\naccounts: {}").accounts)
        #expect(accounts.issuer == nil && accounts.sessionKey == nil && accounts.previousSessionKeys.isEmpty)
        #expect(accounts.origins.isEmpty && accounts.oneAccountPerEmail && accounts.hideAccountExistence)
        #expect(accounts.unlinked == .derive && accounts.demoPage == nil && accounts.apps.isEmpty)
        #expect(accounts.sessionSameSite == .lax && accounts.sessionLifetime == nil && accounts.sessionIdle == nil)
        #expect(accounts.lifetimes == 300...1_209_600 && accounts.defaultLifetime == 432_000)
        #expect([accounts.callsPerAddress, accounts.callsPerAccount] == [120, 20])
    }

    @Test func `the defaults of upstreams`() throws {
        let upstream = try #require(configuration.upstream(named: "api"))
        #expect(upstream.servers.map(\.description) == ["http://backend:80"])
        #expect([upstream.connectTimeout, upstream.responseTimeout] == [.seconds(2), .seconds(60)])
        #expect(upstream.connections == 256)
    }

    @Test func `the defaults of routes`() throws {
        let route = try #require(configuration.routes.first)
        #expect(route.auth == .required && route.revocation == .replicated && route.onStoreFailure == .deny)
        #expect(route.hosts.isEmpty && route.methods.isEmpty && route.providers.isEmpty)
        #expect(route.recentSignIn == nil && !route.secondFactor && route.stripPrefix == nil)
        #expect(route.responseTimeout == nil && route.bodySize == nil && !route.insecureNoCSRF)
        #expect(route.cors == nil && route.rateLimits.isEmpty && route.rewrite == nil)
        #expect(route.responseHeaders == Configuration.ResponseHeaders())
        #expect(route.mergeSlashes && route.encodedSlashes == .reject && !route.caseInsensitive)
    }

    @Test func `the defaults of the log`() {
        #expect(configuration.log.level == "info" && configuration.log.format == "text")
        #expect(configuration.log.access == .standardOutput)
        #expect(configuration.warnings.isEmpty)
    }

    @Test func `a null key has its default`() throws {
        let yaml = """
            workers: ~
            accounts: ${UNSET:-null}
            limits: { body_size: null, request_timeout: Null }
            admin: { token: NULL }
            identity: { firebase: { project: demo, tenant: null } }
            headers: { assertion: null }
            upstreams: { api: { servers: ["http://backend"], health: null } }
            routes: [{ path: /, upstream: api, cors: null, response_headers: null, rewrite: null }]
            """
        var loaded = try ConfigurationTesting.load(yaml)
        loaded.routes[0].location = configuration.routes[0].location
        loaded.upstreams[0].tls.location = configuration.upstreams[0].tls.location
        #expect(loaded.digest != configuration.digest)
        loaded.digest = configuration.digest
        #expect(loaded == configuration)
    }
}

/// Configurations that must load unchanged.
@Suite struct AcceptedConfigurationTests {
    @Test func `the example of the design loads without warnings`() throws {
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
              - { path: /health, auth: none, upstream: api, insecure_no_csrf: false }
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
}
