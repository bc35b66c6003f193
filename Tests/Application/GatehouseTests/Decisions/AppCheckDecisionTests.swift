import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import SystemFixtures

@Suite struct AppCheckDecisionTests {
    private static let userField = "Authorization: Bearer \(TokenDraft.idToken().signed())"
    private static let appField = "X-Firebase-AppCheck: \(AppCheckSample.token)"
    private static let iosField =
        "X-Firebase-AppCheck: \(AppCheckSample.draft().with("sub", "\"\(AppCheckSample.iosID)\"").signed())"
    private static let expired =
        "X-Firebase-AppCheck: \(AppCheckSample.draft().with("exp", "\(ManualClock.start)").signed())"

    private func rig(
        _ mode: Configuration.AppCheckMode = .enforce, apps: [String]? = nil, hasKeys: Bool = true,
        _ adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> RequestPathRig {
        let rig = try RequestPathRig { configuration in
            configuration.identity.firebase?.appCheck = AppCheckSample.configuration
            for index in configuration.routes.indices {
                configuration.routes[index].appCheck = mode
                configuration.routes[index].apps = apps
            }
            adjust(&configuration)
        }
        if hasKeys { try rig.installKeys() }
        return rig
    }

    private static func request(_ fields: [String], path: String = "/x") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    private func results(_ rig: RequestPathRig) throws -> [String: UInt64] {
        let counts = try rig.onWorker { $0.counters.snapshot() }.appChecks.counts
        return counts.reduce(into: [:]) { $0["\($1.key.result.name) \($1.key.app)", default: 0] += $1.value }
    }

    private func phases(_ rig: RequestPathRig) throws -> [DecisionPhase] {
        let counters = try rig.onWorker { $0.counters.snapshot() }
        return DecisionPhase.allCases.filter { counters.denials(in: $0) > 0 }
    }

    static let refused: [(fields: [String], status: Int, code: String, result: String)] = [
        ([], 401, "app-check/missing-token", "unknown -1"),
        (["X-Firebase-Client: ios"], 401, "app-check/missing-token", "outdated -1"),
        (["X-Firebase-GMPID: 1:1:ios:1"], 401, "app-check/missing-token", "outdated -1"),
        (["X-Firebase-AppCheck: \(AppCheckSample.placeholder)"], 401, "app-check/invalid-token", "invalid -1"),
        (["X-Firebase-AppCheck:"], 401, "app-check/invalid-token", "invalid -1"),
        ([expired], 401, "app-check/token-expired", "invalid -1"),
        ([appField, appField], 401, "app-check/invalid-token", "invalid -1"),
        ([appField, "x-firebase-appcheck: x"], 401, "app-check/invalid-token", "invalid -1"),
        (["X_Firebase_AppCheck: \(AppCheckSample.token)"], 401, "app-check/missing-token", "unknown -1"),
        ([iosField], 403, "app-check/app-not-allowed", "verified 1"),
    ]

    @Test(arguments: refused)
    func `enforce denies what monitor only counts`(
        fields: [String], status: Int, code: String, result: String
    ) throws {
        let enforcing = try rig(apps: ["web"])
        let response = try enforcing.send(Self.request(fields)).expectProblem(status, code)
        let challenge =
            switch code {
            case "app-check/missing-token": "AppCheck"
            case "app-check/app-not-allowed": String?.none
            default: "AppCheck error=\"invalid_token\""
            }
        #expect(response.value("WWW-Authenticate") == challenge)
        #expect(try phases(enforcing) == [.appCheck])
        #expect(try results(enforcing) == [result: 1])

        let monitoring = try rig(.monitor, apps: ["web"])
        let (client, server) = try monitoring.exchange(Self.request(fields))
        try server.send(.okResponse)
        #expect(try client.readMessage().status == 200)
        #expect(try results(monitoring) == [result: 1])
    }

    @Test(arguments: [Configuration.AppCheckMode.monitor, .enforce])
    func `the upstream gets the verified app and no token`(mode: Configuration.AppCheckMode) throws {
        let rig = try rig(mode, apps: ["web"])
        let client = try rig.send(
            Self.request([Self.appField, "X-Auth-App: no", "x_auth_app: no", "x_firebase_appcheck: no"]))
        let head = try rig.upstream.accept().readHead()
        #expect(head.values("X-Auth-App") == [AppCheckSample.webID])
        #expect(!head.head.contains("no\r\n") && !head.head.lowercased().contains("appcheck"))
        #expect(try results(rig) == ["verified 0": 1])
        withExtendedLifetime(client) {}
    }

    @Test func `a client cannot claim an app where none is verified`() throws {
        let monitoring = try rig(.monitor)
        let off = try rig(.off)
        for rig in [monitoring, off] {
            let client = try rig.send(Self.request(["X-Auth-App: no"]))
            #expect(try rig.upstream.accept().readHead().values("X-Auth-App").isEmpty)
            withExtendedLifetime(client) {}
        }
        #expect(try results(off).isEmpty)
    }

    @Test func `the token is forwarded by choice`() throws {
        let rig = try rig { $0.identity.firebase?.appCheck?.forwardsToken = true }
        let client = try rig.send(Self.request([Self.appField]))
        #expect(try rig.upstream.accept().readHead().values("X-Firebase-AppCheck") == [AppCheckSample.token])
        withExtendedLifetime(client) {}
    }

    /// Some servers read `_` in a name as `-`.
    @Test(arguments: [Configuration.AppCheckMode.off, .monitor, .enforce], [true, false])
    func `other spellings of the token's field are never forwarded`(
        mode: Configuration.AppCheckMode, forwardsToken: Bool
    ) throws {
        let rig = try rig(mode) { $0.identity.firebase?.appCheck?.forwardsToken = forwardsToken }
        let client = try rig.send(
            Self.request([Self.appField, "X_Firebase_AppCheck: a", "x.firebase.appcheck: b", "X-FIREBASE_APPCHECK: c"]))
        let lines = try rig.upstream.accept().readHead().head.lowercased().split(separator: "\r\n")
        let fields = lines.filter { $0.contains("appcheck") }
        #expect(fields == (forwardsToken ? [Substring(Self.appField.lowercased())] : []))
        withExtendedLifetime(client) {}
    }

    @Test(arguments: [Configuration.AppCheckMode.monitor, .enforce])
    func `a route that checks apps without a verifier fails the load`(mode: Configuration.AppCheckMode) {
        let error = #expect(throws: ConfigurationErrors.self) {
            try RequestPathRig { $0.routes[0].appCheck = mode }
        }
        #expect(error?.description.contains("identity.firebase.app_check is not configured") == true)
    }

    @Test func `an empty list of apps permits no app`() throws {
        let rig = try rig(apps: [])
        try rig.send(Self.request([Self.appField])).expectProblem(403, "app-check/app-not-allowed")
    }

    @Test func `a gateway without App Check leaves the field as it is`() throws {
        let rig = try RequestPathRig()
        let client = try rig.send(Self.request([Self.appField]))
        #expect(try rig.upstream.accept().readHead().values("X-Firebase-AppCheck") == [AppCheckSample.token])
        withExtendedLifetime(client) {}
    }

    @Test(arguments: [Configuration.AppCheckMode.monitor, .enforce])
    func `a revoked user stays refused in every mode`(mode: Configuration.AppCheckMode) throws {
        let rig = try rig(mode)
        let principal = try TokenDraft.idToken().principal()
        rig.view.setUser(principal.userKey, to: RecordWord(UserRecord(disabled: true)))
        let request = Self.request([Self.userField, Self.appField], path: "/private/x")
        try rig.send(request).expectProblem(401, "auth/user-disabled")
        #expect(try phases(rig) == [.revocation])
        try rig.send(Self.request([Self.appField], path: "/private/x")).expectProblem(401, "auth/missing-credential")
    }

    // MARK: - Keys

    @Test func `enforce waits for the keys`() throws {
        let rig = try rig(hasKeys: false)
        let client = try rig.send(Self.request([Self.appField]))
        try rig.until { $0.pending.count == 1 }
        #expect(rig.keyRequests.count == 1)
        try rig.installKeys()
        #expect(try rig.upstream.accept().readHead().values("X-Auth-App") == [AppCheckSample.webID])
        #expect(try results(rig) == ["verified 0": 1])
        withExtendedLifetime(client) {}
    }

    @Test func `enforce is 503 without keys`() throws {
        let rig = try rig(hasKeys: false)
        let client = try rig.send(Self.request([Self.appField]))
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 5.1)
        let response = try client.expectProblem(503, "app-check/keys-unavailable")
        #expect(response.value("Retry-After") == "1")
        #expect(try results(rig) == ["unavailable -1": 1])
    }

    @Test func `monitor never waits for the keys but requests them`() throws {
        let rig = try rig(.monitor, hasKeys: false)
        let client = try rig.send(Self.request([Self.appField]))
        #expect(try rig.upstream.accept().readHead().values("X-Auth-App").isEmpty)
        #expect(rig.keyRequests.count == 1)
        #expect(try results(rig) == ["unavailable -1": 1])
        withExtendedLifetime(client) {}
    }

    /// The user's token expires while the request waits for the keys of App Check.
    @Test func `a user's token that expires during the wait is refused`() throws {
        let rig = try rig(hasKeys: false)
        let keys = KeySetView(
            keys: TokenDraft.keys, generation: 1, isLoaded: true, lastFetchSucceeded: true, completedFetches: 1,
            usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        try rig.onWorker { $0.install(keys, set: 0) }
        let token = TokenDraft.idToken().with("exp", "\(ManualClock.start + 2)").signed()
        let client = try rig.send(
            Self.request(["Authorization: Bearer \(token)", Self.appField], path: "/private/x"))
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 3)
        try rig.installKeys()
        try client.expectProblem(401, "auth/id-token-expired")
    }

    /// The App Check token expires while the request waits for the store.
    @Test func `an App Check token that expires during a later wait is refused`() throws {
        let rig = try rig()
        rig.view.setStale()
        let token = AppCheckSample.draft().with("exp", "\(ManualClock.start + 2)").signed()
        let client = try rig.send(
            Self.request([Self.userField, "X-Firebase-AppCheck: \(token)"], path: "/private/x"))
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 3)
        rig.view.setAlwaysFresh()
        try rig.onWorker { $0.storeLoaded() }
        try client.expectProblem(401, "app-check/token-expired")
        #expect(try results(rig) == ["verified 0": 1])
    }

    // MARK: - Rules

    private func allow(_ condition: String) throws -> RequestPathRig {
        let yaml = """
            listen: [{ address: "127.0.0.1:0" }]
            store: "sqlite::memory:"
            identity:
              firebase:
                project: my-app
                app_check:
                  project_number: \(AppCheckSample.projectNumber)
                  apps: { "\(AppCheckSample.webID)": web, "\(AppCheckSample.iosID)": ios }
            upstreams: { api: { servers: ["http://127.0.0.1:1"] } }
            routes: [{ path: /x, auth: optional, app_check: monitor, allow: "\(condition)", upstream: api }]
            """
        let loaded = try Configuration.load(bytes: Array(yaml.utf8), file: "test.yaml", environment: [:])
        let rig = try RequestPathRig { configuration in
            configuration.identity = loaded.identity
            configuration.routes = loaded.routes
        }
        try rig.installKeys()
        return rig
    }

    @Test(arguments: [
        ("request.app != null", true, false), ("request.app.name == 'web'", true, false),
        ("request.app.id == '\(AppCheckSample.webID)'", true, false), ("request.app.name == 'ios'", false, false),
        ("request.app == null || request.app.name == 'ios'", false, true),
        ("!('x-firebase-appcheck' in request.headers)", true, true),
    ])
    func `rules read the app`(condition: String, withApp: Bool, without: Bool) throws {
        let rig = try allow(condition)
        for (fields, passes) in [([Self.appField], withApp), ([], without)] {
            let client = try rig.send(Self.request(fields))
            if passes { try rig.upstream.accept().respond() }
            #expect(try client.readMessage().status == (passes ? 200 : 401))
        }
    }
}
