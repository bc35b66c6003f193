package import GatewayConfiguration
package import GatewayCore
package import Logging
import NIOPosix
package import OutboundHTTP
package import Revocation
import Synchronization

extension StoreTokenSource {
    /// The timeout of each request. An issuer sends at most four.
    private static let step = Duration.seconds(2)

    /// Creates the source of a store's tokens. `nil` if the store uses none.
    ///
    /// - Parameters:
    ///   - environment: The variables that name the gateway's identity.
    ///   - logger: Receives the kind of the identity and what an operator should know about it.
    ///   - transport: Creates the client of one fetch.
    /// - Throws: The reason that the gateway has no identity.
    package init?(
        for store: Configuration.StoreLocation,
        environment: [String: String] = Configuration.processEnvironment, clock: GatewayClock = .system,
        logger: Logger? = nil, transport: @escaping @Sendable () -> any OutboundTransport = Self.client
    ) throws(ServiceAccount.Failure) {
        guard case .redis(let location) = store, let account = location.account,
            case .issued(let issuer) = account.password
        else { return nil }
        let issue: @Sendable (any OutboundTransport) async throws(LookupFailure) -> StoreToken
        let kind: String
        switch issuer {
        case .aws(let cache):
            let tokens = AWSCacheTokens(
                cache: cache, user: account.username ?? "",
                source: try AWSKeySource(region: cache.region, environment: environment))
            kind = tokens.source.name
            issue = { transport throws(LookupFailure) in
                try await tokens.token(transport, step: Self.step, now: clock.now())
            }
        case .google(let file):
            let credential =
                if let file { try GoogleCredential(file: file, environment: environment) } else {
                    try GoogleCredential(searching: environment)
                }
            if let logger { credential.log(as: "the credential of the store", to: logger) }
            kind = credential.type
            issue = { transport throws(LookupFailure) in
                try await credential.storeToken(transport, step: Self.step, clock: clock)
            }
        case .azure(let client):
            let identity = try AzureIdentity(clientID: client, environment: environment)
            kind = identity.name
            issue = { transport throws(LookupFailure) in
                try await identity.token(transport, step: Self.step, now: clock.now())
            }
        }
        logger?.info("the tokens of the store", metadata: ["issuer": "\(issuer.key)", "identity": "\(kind)"])
        self.init {
            let transport = transport()
            let result = await Self.bounded { () async throws(LookupFailure) in try await issue(transport) }
            await transport.shutdown()
            return result.mapError { failure in
                let reason = failure.kind.rawValue
                return Failure(failure.detail.isEmpty ? reason : "\(failure.detail) (\(reason))")
            }
        }
    }

    /// A client for one fetch.
    package static let client: @Sendable () -> any OutboundTransport = {
        OutboundHTTPClient(group: .singletonMultiThreadedEventLoopGroup, connections: 1, longest: step)
    }

    /// Runs `body` for at most ``fetchLimit``: a file system may never answer.
    private static func bounded(
        _ body: @escaping @Sendable () async throws(LookupFailure) -> StoreToken
    ) async -> Result<StoreToken, LookupFailure> {
        await withCheckedContinuation { continuation in
            let first = FirstResult(continuation)
            let timer = Task {
                do { try await Task.sleep(for: fetchLimit) } catch { return }
                first.end(.failure(LookupFailure(.timedOut)))
            }
            Task {
                do throws(LookupFailure) {
                    first.end(.success(try await body()))
                } catch {
                    first.end(.failure(error))
                }
                timer.cancel()
            }
        }
    }
}

/// A continuation that several tasks may resume. Only the first result counts.
private final class FirstResult: Sendable {
    typealias Continuation = CheckedContinuation<Result<StoreToken, LookupFailure>, Never>

    private let continuation: Mutex<Continuation?>

    init(_ continuation: Continuation) {
        self.continuation = Mutex(continuation)
    }

    func end(_ result: Result<StoreToken, LookupFailure>) {
        let first = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        first?.resume(returning: result)
    }
}

extension GoogleCredential {
    /// Returns an access token for Memorystore.
    fileprivate func storeToken(
        _ transport: any OutboundTransport, step: Duration, clock: GatewayClock
    ) async throws(LookupFailure) -> StoreToken {
        let result = await withCheckedContinuation { continuation in
            fetch(transport, scope: .cloudPlatform, within: step, clock: clock) { continuation.resume(returning: $0) }
        }
        let token = try result.mapError { failure in
            LookupFailure(failure.kind, failure.detail.isEmpty ? source : "\(source): \(failure.detail)")
        }.get()
        return StoreToken(token.value, expires: UnixTime(clamping: clock.now()).adding(token.lifetime))
    }
}
