import AdminAPI
import Authentication
import Authorization
import Forwarding
import GatewayCore
import HTTPServer
import HTTPWire
import NIOPosix
import RequestPipeline
import Routing
import SecurityRules
import Synchronization

/// The evaluation of rules for requests that operators state.
///
/// Rules read the stated request and user only: the evaluation has no store, no credentials, no key and no other
/// request, and the language has no function that reads anything else. It runs on a thread of its own, one at a time,
/// within the limits of rules and a deadline.
final class RulePlayground: Sendable {
    /// The maximum duration of one evaluation, in nanoseconds: 2 s.
    static let timeLimit: UInt64 = 2_000_000_000

    private let clock: GatewayClock
    private let isBusy = Mutex(false)

    init(clock: GatewayClock) {
        self.clock = clock
    }

    /// Evaluates the active rules, or those of the question.
    ///
    /// - Throws: `invalid` for a request that the gateway rejects before rules, and for rules with errors.
    ///   `unavailable` while another evaluation runs.
    func evaluate(_ question: RuleQuestion, with snapshot: Snapshot) async throws(AdministrationError) -> RuleAnswer {
        let isFree = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else { throw .unavailable("Another evaluation runs. Repeat the call.") }
        let result: Result<RuleAnswer, AdministrationError> = await withCheckedContinuation { continuation in
            let thread = NIOThreadPool(numberOfThreads: 1)
            thread.start()
            thread.submit { [self] _ in
                let result = Result { () throws(AdministrationError) in try run(question, with: snapshot) }
                isBusy.withLock { $0 = false }
                continuation.resume(returning: result)
                thread.shutdownGracefully { _ in }
            }
        }
        return try result.get()
    }

    private func run(_ question: RuleQuestion, with snapshot: Snapshot) throws(AdministrationError) -> RuleAnswer {
        let end = clock.monotonic() &+ Self.timeLimit
        let edited = try question.rules.map { (text) throws(AdministrationError) in
            try Self.ruleset(text, name: snapshot.rules?.source.name ?? "edited.rules")
        }
        let request: ParsedRequest
        do throws(HeadError) {
            request = try ParsedRequest(Self.head(of: question), limits: snapshot.limits)
        } catch {
            throw .invalid("The gateway rejects this request: its head is malformed.")
        }
        let (scratch, clock) = (PathScratch(), clock)
        let result = request.withView { view in
            Result { () throws(AdministrationError) in
                let place = try Place(of: view, in: snapshot, scratch)
                let recorder = RuleRecorder { clock.monotonic() > end }
                return try answer(question, view, at: place, edited, snapshot, recorder)
            }
        }
        return try result.get()
    }

    private static func ruleset(_ text: String, name: String) throws(AdministrationError) -> Ruleset {
        do throws(RuleProblems) {
            return try Ruleset(file: RuleSource(text, name: name))
        } catch {
            throw .invalid("\(error)")
        }
    }

    private static func head(of question: RuleQuestion) -> [UInt8] {
        var lines = ["\(question.method) \(question.path) HTTP/1.1", "Host: \(question.host)"]
        lines += question.headers.filter { $0.name.lowercased() != "host" }.map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    // MARK: - The evaluation

    private func answer(
        _ question: RuleQuestion, _ view: RequestView, at place: Place, _ edited: Ruleset?, _ snapshot: Snapshot,
        _ recorder: RuleRecorder
    ) throws(AdministrationError) -> RuleAnswer {
        let seconds = question.time?.seconds ?? clock.now()
        guard let time = RuleTimestamp(seconds: seconds) else { throw .invalid("The time is out of bounds.") }
        let auth = question.auth.map(RuleAuth.value) ?? .null
        let outgoing = snapshot.outgoing
        let fields = RequestBindings { outgoing.showsRules($0, of: $1) }
        fields.begin(view, hiding: place.plan?.places)
        defer { fields.end() }
        let evaluator = RuleEvaluator()
        evaluator.recorder = recorder
        let operation = RuleOperation(method: view.head.methodRange.bytes(in: view.bytes), path: place.path)
        let request = RuleRequest(
            operation: operation, path: place.path, time: time,
            signIn: Self.signIn(of: auth, clockSkew: snapshot.clockSkew))
        evaluator.begin(request, StatedBindings(fields, auth: auth, app: question.app))
        defer { evaluator.end() }
        let rulesets = [edited ?? snapshot.rules, place.plan.flatMap { snapshot.condition(of: $0) }]
        let results = rulesets.compactMap(\.self).map { ruleset in
            recorder.removeAll()
            let verdict = evaluator.decide(ruleset)
            let finding = RuleFinding(verdict, in: ruleset)
            return RuleAnswer.Result(
                file: ruleset.source.name, verdict: verdict, rule: finding.rule, reason: finding.reason,
                trace: RuleTrace(recorder.entries, of: ruleset, assumptions: false))
        }
        return RuleAnswer(
            path: String(decoding: place.path, as: UTF8.self), route: place.plan?.pattern,
            applies: place.plan.map { $0.policy.authentication != .none } ?? false, results: results,
            warnings: edited?.warnings.map { "\($0)" } ?? [])
    }

    /// Returns the sign-in that the claims of a Firebase token state. There is no record of a later one.
    private static func signIn(of auth: RuleValue, clockSkew: Int64) -> RuleSignIn {
        var signIn = RuleSignIn(authTime: nil, record: .read(nil), hasSecondFactor: false, clockSkew: clockSkew)
        guard case .map(let auth) = auth, case .map(let token)? = auth["token"] else { return signIn }
        if case .integer(let seconds)? = token["auth_time"] { signIn.authTime = seconds }
        if case .map(let firebase)? = token["firebase"], case .string? = firebase["sign_in_second_factor"] {
            signIn.hasSecondFactor = true
        }
        return signIn
    }

    /// The route of a request, and the path that rules match.
    private struct Place {
        /// `nil` without a route.
        let plan: RoutePlan?
        let path: UnsafeRawBufferPointer

        init(of view: RequestView, in snapshot: Snapshot, _ scratch: PathScratch) throws(AdministrationError) {
            let path = view.head.path.bytes(in: view.bytes)
            let outcome = snapshot.pipeline.routes.route(
                host: view.head.host.bytes(in: view.bytes), path: path,
                method: view.head.methodRange.bytes(in: view.bytes), scratch: scratch)
            switch outcome {
            case .route(let match):
                plan = snapshot.pipeline.plans[match.index]
                self.path = scratch.bytes(of: match.path, in: path)
            case .notFound, .methodNotAllowed:
                plan = nil
                do throws(PathError) {
                    self.path = scratch.bytes(of: try CanonicalPath(path, scratch: scratch).merged, in: path)
                } catch {
                    throw Self.refusal(error)
                }
            case .badPath(let error): throw Self.refusal(error)
            }
        }

        private static func refusal(_ error: PathError) -> AdministrationError {
            .invalid("The gateway rejects this path before any rule: \(error.reason).")
        }
    }
}

/// The values that an operator states, and the fields of the stated request that rules may read.
private final class StatedBindings: RuleBindings {
    private let fields: RequestBindings
    private let auth: RuleValue
    private let app: RuleValue

    init(_ fields: RequestBindings, auth: RuleValue, app: (id: String, name: String)?) {
        self.fields = fields
        self.auth = auth
        self.app = app.map { .map(RuleMap([("id", .string($0.id)), ("name", .string($0.name))])) } ?? .null
    }

    func value(of binding: RuleBinding) -> RuleValue {
        switch binding {
        case .auth: auth
        case .app: app
        case .method, .host, .query, .headers, .header: fields.value(of: binding)
        }
    }
}
