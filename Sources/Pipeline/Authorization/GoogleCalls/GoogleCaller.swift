import Authentication
import GatewayCore
import Logging
import NIOCore
import OutboundHTTP

/// A method of a service of Google whose calls are never shared.
protocol GoogleMethod: Sendable {
    associatedtype Payload: Sendable
    associatedtype Value: Sendable

    /// The scope of the access tokens.
    static var scope: GoogleScope { get }
    static var limits: LookupLimits { get }
    static var messages: LookupMessages { get }
    /// The messages of fetching access tokens.
    static var tokenMessages: LookupMessages { get }

    /// The URL, for messages.
    var url: String { get }
    /// The timeout of each request of a call.
    var timeout: Duration { get }

    /// The time at which all requests of a call must have ended, in monotonic nanoseconds.
    func deadline(of payload: Payload) -> UInt64

    /// Performs a call. It calls `completion` once.
    func perform(
        _ payload: Payload, by client: GoogleClient,
        completion: @escaping @Sendable (Result<Value, LookupFailure>) -> Void)

    /// Returns whether a result counts as accepted in the metrics, otherwise as refused.
    static func isAccepted(_ value: Value) -> Bool
}

extension GoogleMethod {
    /// No deadline but the timeout of each request.
    func deadline(of _: Payload) -> UInt64 { .max }
}

/// The sender of the requests of one call, with its access token.
struct GoogleClient: Sendable {
    let token: Secret
    /// The project whose quota the calls use. `nil` for the project of the credential.
    let quotaProject: String?
    /// The timeout of each request.
    let timeout: Duration
    /// The time at which all requests must have ended, in monotonic nanoseconds.
    let deadline: UInt64
    let transport: any OutboundTransport
    let clock: GatewayClock

    /// Sends a JSON body and reads the response. Fails without a request after the deadline.
    ///
    /// - Parameter read: Reads the response at a time in seconds since 1970.
    func send<Value: Sendable>(
        _ body: [UInt8], to url: String, method: OutboundRequest.Method = .post,
        fields: [(name: String, value: String)] = [],
        read: @escaping @Sendable (OutboundResponse, Int64) -> Result<Value, LookupFailure>,
        completion: @escaping @Sendable (Result<Value, LookupFailure>) -> Void
    ) {
        var request = OutboundRequest.google(url, body, token: token, quotaProject: quotaProject)
        request.method = method
        request.fields += fields
        let now = clock.monotonic()
        guard now < deadline else {
            return completion(.failure(LookupFailure(.timedOut, "the deadline of the whole call is over")))
        }
        let rest = Duration.nanoseconds(Int64(clamping: deadline - now))
        transport.send(request, within: min(timeout, rest)) { [clock] result in
            completion(result.flatMap { read($0, clock.now()) })
        }
    }
}

extension OutboundRequest {
    /// Returns a request to a service of Google.
    static func google(_ url: String, _ body: [UInt8], token: Secret, quotaProject: String?) -> OutboundRequest {
        let authorization = token.withBytes { "Bearer " + String(decoding: $0, as: UTF8.self) }
        return OutboundRequest(
            method: .post, url: url,
            fields: [
                ("authorization", authorization), ("content-type", "application/json"), ("accept", "application/json"),
            ] + (quotaProject.map { [("x-goog-user-project", $0)] } ?? []),
            body: body)
    }
}

/// The caller of a method: it performs the actions of `GoogleCallMachine`.
final class GoogleCaller<Method: GoogleMethod>: Sendable {
    private typealias Machine = GoogleCallMachine<Method.Payload, Method.Value>
    typealias Completion = @Sendable (Result<Method.Value, GoogleCallFailure>) -> Void

    private let method: Method
    private let credential: GoogleCredential
    private let source: String
    private let environment: LookupEnvironment
    private let host: MachineHost<Machine>

    /// Creates a caller. It sends nothing before `start` or `call`. Call `shutdown` before releasing it.
    init(_ method: Method, credential: GoogleCredential, environment: LookupEnvironment) {
        (self.method, self.credential, self.environment) = (method, credential, environment)
        source = KeySource.name(of: method.url)
        host = MachineHost(
            Machine(
                Method.limits, fetchLimit: GoogleCredential.fetchLimit(of: method.timeout),
                isAccepted: { Method.isAccepted($0) }),
            environment: environment)
    }

    /// Fetches the first access token, so that a rejected key is logged before the first request.
    func start() {
        apply { machine, now in machine.start(now: now) }
    }

    /// Performs a call of its own. It calls `completion` once, from any thread, during this call or later. It may omit
    /// that if the interest has ended.
    ///
    /// - Parameters:
    ///   - network: The client's network, so that a client with many requests delays only its own.
    ///   - interest: The call is not started after the interest has ended. `nil` for a call that is always needed.
    func call(
        _ payload: Method.Payload, for network: PeerNetwork = .unknown, while interest: LookupInterest? = nil,
        completion: @escaping Completion
    ) {
        let waiter = GoogleCallWaiter(interest, completion: completion)
        apply { machine, now in machine.call(payload, for: network, waiter, now: now) }
    }

    /// Resolves all waiters as unavailable, and closes the connections.
    func shutdown() async {
        apply { machine, _ in machine.stop() }
        await environment.transport.shutdown()
    }

    func status() -> LookupStatus {
        let now = environment.clock.monotonic()
        return host.read { $0.status(now: now) }
    }

    /// Handles deadlines that were reached.
    func tick() {
        apply { machine, now in machine.tick(now: now) }
    }

    private func apply(_ event: (inout Machine, UInt64) -> [Machine.Action]) {
        for action in host.apply(event, tick: { [weak self] in self?.tick() }) { perform(action) }
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .fetchToken(let fetch):
            credential.fetch(
                environment.transport, scope: Method.scope, within: method.timeout, clock: environment.clock
            ) { result in
                self.apply { machine, now in machine.tokenCame(result, of: fetch, now: now) }
            }
        case .perform(let number, let payload, let token):
            let client = GoogleClient(
                token: token, quotaProject: credential.quotaProject, timeout: method.timeout,
                deadline: method.deadline(of: payload), transport: environment.transport, clock: environment.clock)
            method.perform(payload, by: client) { result in
                self.apply { machine, now in machine.completed(number, result, now: now) }
            }
        case .resolve(let waiters, let result):
            for waiter in waiters { waiter.completion(result) }
        case .log(let event): event.write(to: environment.logger, Method.messages, metadata: ["source": "\(source)"])
        case .logToken(let event):
            event.write(to: environment.logger, Method.tokenMessages, metadata: ["source": "\(source)"])
        }
    }
}
