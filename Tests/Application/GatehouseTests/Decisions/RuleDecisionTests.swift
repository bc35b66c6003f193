import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import HTTPServer
import HTTPWire
import Revocation
import Routing
import SecurityRules
import Testing

@testable import CoreFixtures
@testable import Diagnostics
@testable import Gatehouse
@testable import GatewayFixtures

/// Decisions of the authorizer on routes with rules.
@Suite struct RuleDecisionTests {
    private static let now = ManualClock.start
    private let view = StoreView()

    init() {
        view.setAlwaysFresh()
    }

    /// The inputs of a decision.
    private struct Case {
        var file: String?
        var allow: String?
        var token: TokenDraft? = .idToken()
        var path = "/users/user-1"
        var method = "GET"
        var isShared = false
        var answer: StoreRecords?
        var mayWait = false
        var policy = RoutePolicy()

        var rulesets: [Ruleset] {
            get throws {
                var rulesets: [Ruleset] = []
                if let file {
                    let text = "rules_version = '2'; service gatehouse.http { match /users/{uid} { \(file) } }"
                    rulesets.append(try Ruleset(file: RuleSource(text, name: "api.rules")))
                }
                if let allow {
                    let place = SourceLocation(file: "gatehouse.yaml", line: 9, column: 5)
                    let pattern = try RoutePattern("/users/{uid}")
                    let expression = Configuration.RulesExpression(allow, location: place)
                    rulesets.append(try Ruleset(expression, captures: pattern.ruleCaptures))
                }
                return rulesets
            }
        }
    }

    private struct Outcome: Equatable {
        var word: String
        var finding: String
        var failures: [StoreFailure] = []
    }

    private func decide(_ row: Case) throws -> Outcome {
        var policy = row.policy
        policy.rules = RouteRules(try row.rulesets)
        let authorizer = Authorizer(
            store: view.reader(), viewIsAuthoritative: !row.isShared, clockSkew: 5, maxStaleness: 60,
            acrValues: ["google.com": "acr_values=\"mfa\""])
        let evaluator = RuleEvaluationContext(RequestBindings { _, _ in true })
        let request = try ParsedRequest(
            Array("\(row.method) \(row.path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8),
            limits: ConnectionLimits(Configuration.Limits()))
        let context = DecisionContext(now: Self.now, monotonic: 0, mayWait: row.mayWait, records: row.answer)
        let entry = try row.token?.entry()
        var failures: [StoreFailure] = []
        let decision = request.withView { request in
            evaluator.begin(request, path: request.head.path.bytes(in: request.bytes))
            defer { evaluator.end() }
            return authorizer.decide(policy, identity: entry, in: context, rules: evaluator) { failures.append($0) }
        }
        let finding = [evaluator.finding?.rule, evaluator.finding?.reason].compactMap { $0 }.joined(separator: " ")
        return Outcome(word: Self.word(decision), finding: finding, failures: failures)
    }

    private static func word(_ decision: Decision) -> String {
        switch decision {
        case .permit(let permit): "passes" + (permit.signedInAt.map { " at \($0.seconds - now)" } ?? "")
        case .deny(let denial):
            (["\(denial.code)"] + [denial.maxAge.map { "\($0)" }, denial.challengeParameter].compactMap { $0 })
                .joined(separator: " ")
        case .awaitStore: "waits"
        case .queryStore(let query): query == .session ? "queries the session" : "queries"
        case .lookUp: "looks up"
        }
    }

    private func expect(
        _ row: Case, _ word: String, _ finding: String, _ failures: [StoreFailure] = [],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        let outcome = Outcome(word: word, finding: finding, failures: failures)
        #expect(try decide(row) == outcome, sourceLocation: sourceLocation)
    }

    private static func old(_ age: Int64 = 4000) -> TokenDraft {
        TokenDraft.idToken().with("auth_time", "\(now - age)")
    }

    private static let fresh = "recentSignIn(duration.value(5, 'm'))"
    private static let denied = "permissionDenied"
    private static let isFalse = "gatehouse.yaml:9 rules: the condition is false"
    private static let failed = "gatehouse.yaml:9 rules: the condition failed"
    private static let notRecent = "gatehouse.yaml:9 rules: the sign-in is not recent"
    private static let noAllow = "rules: no allow for this path and method"

    // MARK: - One ruleset

    @Test func `a condition that is true passes`() throws {
        try expect(Case(allow: "auth.uid == uid"), "passes", "gatehouse.yaml:9")
        try expect(Case(file: "allow get: if request.auth.uid == uid;"), "passes", "api.rules:1")
    }

    @Test func `a condition that is false denies`() throws {
        try expect(Case(allow: "auth.uid == uid", path: "/users/user-2"), Self.denied, Self.isFalse)
        try expect(Case(file: "allow list: if true;"), Self.denied, Self.noAllow)
        try expect(Case(file: "allow get: if true;", path: "/others"), Self.denied, Self.noAllow)
    }

    @Test(arguments: ["auth.token.nowhere", "auth.token.nowhere == 1", "auth.token.email", "auth.token.big == 1"])
    func `a condition that fails denies`(_ condition: String) throws {
        let token = TokenDraft.idToken().with("big", "9223372036854775808")
        try expect(Case(allow: condition, token: token), Self.denied, Self.failed)
    }

    @Test func `a failure that another operand makes irrelevant is ignored`() throws {
        try expect(Case(allow: "auth.token.nowhere == 1 || auth.uid == uid"), "passes", "gatehouse.yaml:9")
    }

    @Test(arguments: ["GET", "HEAD", "POST", "OPTIONS", "PROPFIND"])
    func `the condition of a route applies to every method`(_ method: String) throws {
        try expect(Case(allow: "auth.uid == uid", method: method), "passes", "gatehouse.yaml:9")
    }

    @Test(arguments: ["OPTIONS", "PROPFIND", "get"])
    func `a method that no allow can name is denied`(_ method: String) throws {
        let everything = "allow read, write: if true;"
        try expect(Case(file: everything, method: method), Self.denied, Self.noAllow)
    }

    // MARK: - Anonymous requests

    @Test func `an anonymous request passes only if the rules allow it`() throws {
        var anybody = Case(allow: "auth == null", token: nil)
        anybody.policy.authentication = .optional
        try expect(anybody, "passes", "gatehouse.yaml:9")
        anybody.allow = "auth != null"
        try expect(anybody, "missingCredential", Self.isFalse)
        anybody.allow = "auth.uid == uid"
        try expect(anybody, "missingCredential", Self.failed)
        anybody.allow = Self.fresh
        try expect(anybody, "missingCredential", Self.isFalse)
    }

    @Test func `without a required credential rules are not evaluated`() throws {
        try expect(Case(allow: "auth == null", token: nil), "missingCredential", "")
    }

    // MARK: - Two rulesets

    @Test func `both rulesets must hold`() throws {
        let row = { (file: Bool, allow: Bool) in
            Case(file: "allow get: if uid != '\(file)';", allow: "uid != '\(allow)'", path: "/users/false")
        }
        try expect(row(true, true), "passes", "api.rules:1")
        try expect(row(true, false), Self.denied, Self.isFalse)
        try expect(row(false, true), Self.denied, "api.rules:1 rules: the condition is false")
        try expect(row(false, false), Self.denied, "api.rules:1 rules: the condition is false")
    }

    @Test func `a user who would still be denied gets no step-up`() throws {
        let row = Case(file: "allow get: if \(Self.fresh);", allow: "uid == 'other'", token: Self.old())
        try expect(row, Self.denied, Self.isFalse)
    }

    // MARK: - Step-up

    @Test func `a sign-in that is too old is a step-up with the maximum age`() throws {
        try expect(Case(allow: Self.fresh, token: Self.old(301)), "requiresRecentLogin 300", Self.notRecent)
        try expect(Case(allow: Self.fresh, token: Self.old(300)), "passes", "gatehouse.yaml:9")
        try expect(Case(allow: "\(Self.fresh) && uid == 'x'", token: Self.old()), Self.denied, Self.isFalse)
    }

    @Test func `the stricter of two maximum ages is reported`() throws {
        let row = Case(
            file: "allow get: if recentSignIn(duration.value(1, 'm'));", allow: Self.fresh, token: Self.old())
        try expect(row, "requiresRecentLogin 60", "api.rules:1 rules: the sign-in is not recent")
    }

    @Test func `rules may require a second factor`() throws {
        let row = Case(allow: "secondFactor()")
        try expect(row, #"secondFactorRequired acr_values="mfa""#, "gatehouse.yaml:9 rules: no second factor was used")
    }

    @Test func `the requirements of the route are first`() throws {
        var row = Case(allow: Self.fresh, token: Self.old())
        row.policy.recentSignIn = 3600
        try expect(row, "requiresRecentLogin 3600", "")
        row.policy.recentSignIn = 5000
        try expect(row, "requiresRecentLogin 300", Self.notRecent)
    }

    // MARK: - Records of sign-ins

    private func record(_ record: SessionRecord) throws {
        view.setSession(try Self.old().principal().sessionKey, to: RecordWord(record))
    }

    @Test func `a later sign-in in the view is accepted`() throws {
        let row = Case(allow: Self.fresh, token: Self.old())
        try record(SessionRecord(signedInAt: UnixTime(clamping: Self.now - 7)))
        try expect(row, "passes at -7", "gatehouse.yaml:9")
        try record(SessionRecord(signedInAt: UnixTime(clamping: Self.now - 301)))
        try expect(row, "requiresRecentLogin 300", Self.notRecent)
    }

    @Test func `a missing view is awaited and then 503`() throws {
        view.setStale()
        var row = Case(allow: Self.fresh, token: Self.old())
        row.policy.revocation = .off
        row.mayWait = true
        try expect(row, "waits", "")
        row.mayWait = false
        try expect(row, "storeUnavailable", "", [.notLoaded])
        row.token = .idToken()
        try expect(row, "passes", "gatehouse.yaml:9")
    }

    @Test func `a faulty record is 503 only if it decides`() throws {
        var row = Case(allow: Self.fresh, token: Self.old())
        row.policy.revocation = .off
        view.setSession(try Self.old().principal().sessionKey, to: .faulty)
        try expect(row, "storeUnavailable", "", [.faultyRecord])
        row.allow = "auth.uid == uid || \(Self.fresh)"
        try expect(row, "passes", "gatehouse.yaml:9")
        row.allow = "uid == 'other' && \(Self.fresh)"
        try expect(row, Self.denied, Self.isFalse)
    }

    @Test func `a shared store is queried only if it decides`() throws {
        var row = Case(allow: Self.fresh, token: Self.old(), isShared: true)
        try expect(row, "queries the session", "")
        row.token = .idToken()
        try expect(row, "passes", "gatehouse.yaml:9")
        row.token = Self.old()
        row.allow = "auth.uid == uid || \(Self.fresh)"
        try expect(row, "passes", "gatehouse.yaml:9")
        row.allow = "uid == 'other' && \(Self.fresh)"
        try expect(row, Self.denied, Self.isFalse)
    }

    @Test func `the response of the shared store decides`() throws {
        let signedIn = { (ago: Int64) in
            SessionLookup.record(revoked: false, signedInAt: UnixTime(clamping: Self.now - ago))
        }
        let rows: [(SessionLookup, String, String, [StoreFailure])] = [
            (.none, "requiresRecentLogin 300", Self.notRecent, []),
            (signedIn(9), "passes at -9", "gatehouse.yaml:9", []),
            (signedIn(900), "requiresRecentLogin 300", Self.notRecent, []),
            (.record(revoked: true, signedInAt: UnixTime(clamping: Self.now)), "idTokenRevoked", "", []),
            (.faulty, "storeUnavailable", "", [.faultyRecord]),
        ]
        for (session, word, finding, failures) in rows {
            let row = Case(
                allow: Self.fresh, token: Self.old(), isShared: true, answer: .records(user: nil, session: session))
            try expect(row, word, finding, failures)
        }
        let row = Case(allow: Self.fresh, token: Self.old(), isShared: true, answer: .failed(.timedOut))
        try expect(row, "storeUnavailable", "", [.timedOut])
    }

    @Test func `a revoked session is not a proof without revocation`() throws {
        var row = Case(
            allow: Self.fresh, token: Self.old(), isShared: true,
            answer: .records(user: nil, session: .record(revoked: true, signedInAt: UnixTime(clamping: Self.now))))
        row.policy.revocation = .off
        try expect(row, "requiresRecentLogin 300", Self.notRecent)
    }

    @Test func `on_store_failure: allow never assumes a sign-in`() throws {
        var row = Case(allow: Self.fresh, token: Self.old(), isShared: true, answer: .failed(.unreachable))
        row.policy.allowsOnStoreFailure = true
        #expect(try decide(row).word == "storeUnavailable")
    }

    // MARK: - Fail closed

    @Test func `without an evaluation context no request passes`() throws {
        var policy = RoutePolicy()
        policy.rules = RouteRules(try Case(allow: "auth.uid != null").rulesets)
        let authorizer = Authorizer(store: view.reader(), clockSkew: 5, maxStaleness: 60)
        let context = DecisionContext(now: Self.now, monotonic: 0, mayWait: false)
        let entry = try TokenDraft.idToken().entry()
        let evaluators: [RuleEvaluationContext?] = [nil, RuleEvaluationContext(RequestBindings { _, _ in true })]
        let decisions = evaluators.map { evaluator in
            Self.word(authorizer.decide(policy, identity: entry, in: context, rules: evaluator, storeFailure: { _ in }))
        }
        #expect(decisions == ["internalError", Self.denied])
    }

    @Test func `an empty list of rulesets denies`() throws {
        var row = Case()
        row.policy.revocation = .off
        try expect(row, Self.denied, "")
    }
}
