import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// The values that hold where a file says nothing, against those of the documentation.
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

    @Test func ofTheListenersAreLoopback() {
        #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:8080"])
        #expect(configuration.workers == nil)
        #expect(configuration.admin.address?.description == "127.0.0.1:9901")
        #expect(configuration.admin.token == nil)
    }

    @Test func ofLimitsAndDrain() {
        let limits = configuration.limits
        #expect([limits.connections, limits.headSize, limits.headFields] == [10_000, 65_536, 128])
        #expect([limits.headTimeout, limits.idleTimeout] == [.seconds(10), .seconds(75)])
        #expect(limits.bodyRate == 240 && limits.bodySize == nil && limits.requestTimeout == nil)
        #expect([configuration.drain.delay, configuration.drain.timeout] == [.seconds(5), .seconds(30)])
    }

    @Test func ofFirebase() throws {
        let firebase = try #require(configuration.identity.firebase)
        #expect(configuration.identity.clockSkew == .seconds(5))
        #expect(firebase.tenant == .none && !firebase.insecureEmulator && !firebase.insecureHTTP)
        #expect(
            firebase.keysURL
                == "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
        #expect(
            firebase.sessionKeysURL == "https://www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys")
        #expect(firebase.issuer == "https://securetoken.google.com/demo")
        #expect(firebase.sessionIssuer == "https://session.firebase.google.com/demo")
    }

    @Test func ofKeysAndCredentials() {
        let keys = configuration.identity.keys
        #expect([keys.minTTL, keys.maxTTL, keys.staleFor] == [.seconds(60), .seconds(86_400), .seconds(86_400)])
        #expect(keys.refreshAt == 0.8 && keys.unknownKeyCooldown == .seconds(30))
        #expect(configuration.identity.credentials.header == "Authorization")
        #expect(configuration.identity.credentials.cookie == "__session")
    }

    @Test func ofStoreAndHeaders() {
        #expect(configuration.store == .sqlite(path: "gatehouse.db"))
        #expect(configuration.revocation.maxStaleness == .seconds(60))
        #expect(configuration.revocation.strictTimeout == .milliseconds(50))
        #expect(configuration.headers.prefix == "X-Auth-" && configuration.headers.variableName == "X-Auth")
        #expect(configuration.headers.variable && !configuration.headers.forwardCredential)
        #expect(configuration.headers.extra.isEmpty)
    }

    @Test func ofAccounts() throws {
        #expect(configuration.accounts == nil)
        let accounts = try #require(
            try ConfigurationTesting.load(section: "identity: { firebase: { project: demo } }\naccounts: {}").accounts)
        #expect(accounts.issuer == nil && accounts.sessionKey == nil && accounts.previousSessionKeys.isEmpty)
        #expect(accounts.origins.isEmpty && accounts.oneAccountPerEmail && accounts.hideAccountExistence)
        #expect(accounts.unlinked == .derive && accounts.demoPage == nil)
        #expect([accounts.callsPerAddress, accounts.callsPerAccount] == [120, 20])
    }

    @Test func ofUpstreams() throws {
        let upstream = try #require(configuration.upstream(named: "api"))
        #expect(upstream.servers.map(\.description) == ["http://backend:80"])
        #expect([upstream.connectTimeout, upstream.responseTimeout] == [.seconds(2), .seconds(60)])
        #expect(upstream.connections == 256)
    }

    @Test func ofRoutes() throws {
        let route = try #require(configuration.routes.first)
        #expect(route.auth == .required && route.revocation == .replicated && route.onStoreFailure == .deny)
        #expect(route.hosts.isEmpty && route.methods.isEmpty && route.providers.isEmpty)
        #expect(route.recentSignIn == nil && !route.secondFactor && route.stripPrefix == nil)
        #expect(route.responseTimeout == nil && route.bodySize == nil)
        #expect(!route.insecureNoCSRF)
        #expect(route.mergeSlashes && route.encodedSlashes == .reject && !route.caseInsensitive)
    }

    @Test func ofTheLog() {
        #expect(configuration.log.level == "info" && configuration.log.access == .standardOutput)
        #expect(configuration.warnings.isEmpty)
    }

    @Test func holdWhereAKeyIsNull() throws {
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
        #expect(loaded == configuration)
    }
}
