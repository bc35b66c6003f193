import AdminAPI
import GatewayConfiguration
import GatewayCore
import Observability
import Revocation
import SecurityRules
import Synchronization

/// A gateway for the tests of the admin listener. It records the calls.
actor FakeBackend: AdministrationBackend {
    private(set) var calls: [String] = []
    private var failure: AdministrationError?
    private let checks = Mutex([ReadinessCheck("store")])
    /// The decisions for viewers.
    nonisolated let feed = DecisionFeed { _ in }
    private let opened = Mutex<DecisionViewer?>(nil)
    /// The viewer that was opened last.
    nonisolated var viewer: DecisionViewer? { opened.withLock { $0 } }
    private let hanging = Mutex<String?>(nil)
    private let recorded = Mutex<[AdminAction]>([])

    func fail(with error: AdministrationError) { failure = error }
    func lack(_ name: String, why: String) { checks.withLock { $0.append(ReadinessCheck(name, why: why)) } }

    /// The lines of the audit log.
    nonisolated var actions: [AdminAction] { recorded.withLock { $0 } }

    nonisolated func record(_ action: AdminAction) { recorded.withLock { $0.append(action) } }

    nonisolated func hang(_ reason: String) { hanging.withLock { $0 = reason } }

    private func record(_ call: String) throws(AdministrationError) {
        calls.append(call)
        if let failure { throw failure }
    }

    private func name(_ user: UserKey) -> String {
        [user.project, user.tenant, user.uid].compactMap(\.self).joined(separator: "/")
    }

    nonisolated func livenessFailure() -> String? { hanging.withLock { $0 } }
    nonisolated func readiness() -> [ReadinessCheck] { checks.withLock { $0 } }
    func metricsText() -> String { "# metrics\n" }

    func user(_ user: UserKey) throws(AdministrationError) -> UserRecord {
        try record("user \(name(user))")
        return UserRecord(validSince: 17)
    }

    func activity(_ user: UserKey) throws(AdministrationError) -> UserActivity {
        try record("activity \(name(user))")
        var denial = UserActivity.Denial(time: 8, code: .requiresRecentLogin, phase: .recency, route: "/a")
        denial.count = 3
        return UserActivity(
            since: 5,
            denials: [UserActivity.Denial(time: 7, code: .rateLimited, phase: .userLimits, route: nil), denial],
            signIns: [UserActivity.SignIn(time: 6, provider: "google.com", kind: "sign_in")])
    }

    func revoke(_ user: UserKey, at: UnixTime?) throws(AdministrationError) -> UserRecord {
        try record("revoke \(name(user)) \(at.map { "\($0)" } ?? "now")")
        return UserRecord(validSince: at ?? 1000)
    }

    func unrevoke(_ user: UserKey) throws(AdministrationError) -> UserRecord {
        try record("unrevoke \(name(user))")
        return UserRecord()
    }

    func disable(_ user: UserKey) throws(AdministrationError) -> UserRecord {
        try record("disable \(name(user))")
        return UserRecord(disabled: true)
    }

    func enable(_ user: UserKey) throws(AdministrationError) -> UserRecord {
        try record("enable \(name(user))")
        return UserRecord()
    }

    func session(_ user: UserKey, _ session: String) throws(AdministrationError) -> SessionRecord {
        try record("look \(name(user)) \(session)")
        return SessionRecord(revoked: false, signedInAt: 7)
    }

    func revokeSession(_ user: UserKey, session: String) throws(AdministrationError) -> SessionRecord {
        try record("session \(name(user)) \(session)")
        return SessionRecord(revoked: true)
    }

    func sessions(of user: UserKey) throws(AdministrationError) -> [AdministeredSession] {
        try record("sessions \(name(user))")
        return [
            AdministeredSession(
                id: String(repeating: "0", count: 32), startedAt: 5, lastUsedAt: 7, endsAt: 9, provider: "google.com",
                proof: "authenticated", userAgent: "A \"browser\""),
            AdministeredSession(id: String(repeating: "1", count: 32), startedAt: 4, lastUsedAt: 6, endsAt: 8),
        ]
    }

    func accounts(after cursor: String?, limit: Int) throws(AdministrationError) -> AccountPage {
        try record("list \(cursor ?? "") \(limit)")
        let ann = ListedAccount(
            user: UserKey(uid: "ann", tenant: nil), email: "a@b.c", name: "Ann", created: 5,
            providers: ["apple.com", "google.com"])
        let bob = ListedAccount(user: UserKey(uid: "bob", tenant: "t"), isFaulty: true)
        return AccountPage(accounts: [ann, bob], next: "c")
    }

    func findUser(_ search: AccountSearch) throws(AdministrationError) -> UserKey? {
        switch search {
        case .identity(let link):
            try record("find \(link.name)")
            return UserKey(uid: "ann", tenant: "t")
        case .email(let email):
            try record("find \(email)")
            return nil
        }
    }

    func account(_ user: UserKey) throws(AdministrationError) -> AdministeredAccount {
        try record("account \(name(user))")
        var account = AccountRecord(user: user, email: "a@b.c", emailVerified: true, emailFrom: "apple.com", created: 5)
        account.links = ["google.com": "2", "apple.com": "1"]
        account.unlinked = [IdentityLink(provider: "github.com", subject: "3")]
        return AdministeredAccount(record: account)
    }

    func deleteAccount(_ user: UserKey) throws(AdministrationError) -> AdministeredAccount {
        try record("delete \(name(user))")
        return AdministeredAccount(record: AccountRecord(user: user), deleted: 9)
    }

    func unlink(_ user: UserKey, provider: String) throws(AdministrationError) -> AdministeredAccount {
        try record("unlink \(name(user)) \(provider)")
        return AdministeredAccount(record: AccountRecord(user: user, created: 5))
    }

    func merge(_ source: UserKey, into target: UserKey) throws(AdministrationError) -> AdministeredAccount {
        try record("merge \(name(source)) \(name(target))")
        return AdministeredAccount(record: AccountRecord(user: target, created: 5))
    }

    func status() -> AdministeredStatus {
        var server = UpstreamServerReading(upstream: "api", server: "http://127.0.0.1:3000")
        (server.addresses, server.healthy, server.checksPassed) = (2, 1, 9)
        return AdministeredStatus(
            version: "1.2.3", generation: 4, startedAt: 5, checks: readiness(),
            store: AdministeredStatus.Store(
                kind: "redis", age: nil, isWritable: false, users: 6, trouble: "down", isConnected: false),
            keySets: keys(), servers: [server],
            certificates: [GatewayReadings.Certificate(listener: "0.0.0.0:443", subject: "a.example", expiry: 9)],
            connections: 3, requestsInFlight: 2, streams: 1)
    }

    func keys() -> [AdministeredKeySet] {
        [
            AdministeredKeySet(
                url: "https://keys.example", fetchedAt: 5, keyIDs: ["k1"],
                keys: [.init(keyID: "k1", thumbprint: "dGh1bWI")], skipped: ["k2: weak"])
        ]
    }

    func refreshKeys() throws(AdministrationError) -> [AdministeredKeySet] {
        try record("refresh")
        return keys()
    }

    func acceptStore() throws(AdministrationError) -> StoreLoss {
        try record("accept")
        var loss = StoreLoss()
        (loss.users, loss.wentBack) = (2, true)
        return loss
    }

    func outbox() throws(AdministrationError) -> AdministeredOutbox {
        try record("outbox")
        var status = OutboxStatus()
        var lane = OutboxStatus.Lane()
        (lane.count, lane.age, lane.parked, lane.isHolder) = (2, 9, 1, true)
        status.lanes["apple.com"] = lane
        let message = OutboxMessage(
            id: "a-1", kind: .revocation, destination: "apple.com", queued: 5,
            body: #"{"uid":"u","subject":"s","token":"secret"}"#)
        return AdministeredOutbox(
            status: status, parked: [ParkedMessage(message: message, reason: .tokenKey)])
    }

    func retryOutbox() throws(AdministrationError) -> Int {
        try record("retry")
        return 3
    }

    func discardOutbox() throws(AdministrationError) -> Int {
        try record("discard")
        return 4
    }

    func reload() throws(AdministrationError) -> UInt64 {
        try record("reload")
        return 7
    }

    nonisolated func openDecisions(_ filter: DecisionFilter) throws(AdministrationError) -> DecisionViewer {
        let viewer = try feed.open(filter, generation: 4, at: 35_000)
        opened.withLock { $0 = viewer }
        return viewer
    }

    func fleet() -> AdministeredFleet {
        let member = { (id: String, name: String, hash: String) in
            AdministeredFleet.Member(
                id: id, name: name, version: "1.2.3", configuration: hash, generation: 4, startedAt: 5, seenAt: 35,
                isReady: true, connections: 3)
        }
        return AdministeredFleet(
            isShared: true, trouble: nil, this: member("1", "b", "aaaaaaaaaa"), others: [member("2", "a", "cc")])
    }

    func history(since time: Int64?) -> AdministeredHistory {
        let history = GatewayHistory()
        var readings = GatewayReadings(
            counters: CountersSnapshot(routes: 0, upstreams: 0), routes: [], upstreams: [], workers: 1, startTime: 5)
        readings.keySets = [
            GatewayReadings.KeySet(url: "https://keys.example", age: 7, keys: 1, fetches: 1, failures: 0)
        ]
        for sample in 1...3 { history.record(readings, at: Int64(sample) * 10) }
        return AdministeredHistory(now: 35, startedAt: 5, report: history.report(since: time))
    }

    func configuration() -> AdministeredConfiguration {
        let location = SourceLocation(file: "gatehouse.yaml", line: 3, column: 1)
        var reloads = ReloadOutcomes()
        (reloads.accepted, reloads.refused, reloads.lastTime, reloads.lastRefusal) = (2, 1, 9, "gatehouse.yaml:1:1: no")
        return AdministeredConfiguration(
            generation: 4, hash: "ab12", loadedAt: 6, reloads: reloads,
            warnings: [ConfigurationWarning(location: location, what: "nothing uses it", remedy: "remove it")],
            insecureOptions: ["identity.firebase.insecure_http"])
    }

    private static let ruleset = try? Ruleset(
        file: RuleSource(
            "rules_version = '2';\nservice gatehouse.http { match /a { allow read: if auth.uid == 'ada'; } }\n",
            name: "api.rules"))

    /// The trace of a request without a user.
    private static var trace: RuleTrace? {
        guard let ruleset, let time = RuleTimestamp(seconds: 0) else { return nil }
        final class Anonymous: RuleBindings {
            func value(of binding: RuleBinding) -> RuleValue { .null }
        }
        let (evaluator, recorder) = (RuleEvaluator(), RuleRecorder())
        evaluator.recorder = recorder
        Array("/a".utf8).withUnsafeBytes { path in
            let request = RuleRequest(operation: .get, path: path, time: time, signIn: RuleSignIn())
            evaluator.begin(request, Anonymous())
            defer { evaluator.end() }
            _ = evaluator.decide(ruleset)
        }
        return RuleTrace(recorder.entries, of: ruleset, assumptions: false)
    }

    func reloadDifferences() -> ReloadDifferences? {
        var differences = ReloadDifferences(at: 9, generation: 4, sampled: 5)
        (differences.compared, differences.undecided) = (4, 1)
        for _ in 0..<2 {
            differences.record(
                method: "GET", before: ReloadDifferences.Outcome(route: "/a", code: "ok"),
                after: ReloadDifferences.Outcome(route: nil, code: "route/not-found"))
        }
        return differences
    }

    func rules() -> AdministeredRules {
        guard let ruleset = Self.ruleset else { return AdministeredRules(sources: []) }
        let counts = ruleset.expressions.map { _ in RuleCounters.Counts(wasTrue: 3, failed: 1) }
        let coverage = RuleCoverage.Source(
            file: "api.rules", firstLine: 1, lines: RuleCoverage.Source.lines(of: ruleset.source.text), ruleset,
            counts: counts,
            permits: [3])
        return AdministeredRules(sources: [AdministeredRules.Source(since: 5, coverage: coverage)], omitted: 1)
    }

    func evaluateRules(_ question: RuleQuestion) throws(AdministrationError) -> RuleAnswer {
        try record("evaluate \(question.method) \(question.path) \(question.rules ?? "active")")
        let results = [Self.trace].compactMap(\.self).map { trace in
            RuleAnswer.Result(
                file: "api.rules", verdict: .needsRecentSignIn(maxAge: 300, rule: 0), rule: "api.rules:2",
                reason: "rules: the sign-in is not recent", trace: trace)
        }
        return RuleAnswer(path: question.path, route: "/a", applies: true, results: results, warnings: ["w"])
    }

    func routes() -> [Configuration.Route] {
        let location = SourceLocation(file: "gatehouse.yaml", line: 7, column: 5)
        let plain = Configuration.Route(path: "/a/{id}", upstream: "api", location: location)
        var full = plain
        full.hosts = ["*.example.com"]
        full.methods = ["GET"]
        full.auth = .optional
        full.providers = ["apple.com"]
        full.recentSignIn = .seconds(300)
        full.secondFactor = true
        full.scopes = ["read"]
        full.appCheck = .enforce
        full.apps = ["web"]
        full.consumesAppToken = true
        full.allow = Configuration.RulesExpression("auth.uid == id", location: location)
        full.revocation = .strict
        full.onStoreFailure = .allow
        full.rewrite = Configuration.Rewrite()
        full.rewrite?.host = "inner"
        full.encodedSlashes = .keep
        full.insecureNoCSRF = true
        full.cors = Configuration.CORS(origins: ["https://app.example"])
        full.rateLimits = [Configuration.RateLimit(per: .uid, requests: 10, every: .seconds(60), burst: 20)]
        full.bodySize = 4096
        full.upgrade = ["websocket"]
        full.tokenQuery = "token"
        full.tokenProtocol = true
        return [plain, full]
    }
}
