package import Authentication
package import GatewayCore
import JOSE
import Revocation
import Synchronization

/// The verification of credentials that calls present as proof. It uses the same verifiers as requests, and waits a
/// bounded time for keys and providers.
package struct ProofVerifier: Sendable {
    private let verifiers: VerifierTable
    private let keys: any KeyWaiting
    private let opaque: OpaqueProof?
    private let clock: GatewayClock
    private let slots = ProofSlots()

    /// Creates the verifier.
    ///
    /// - Parameters:
    ///   - keys: The key sets that `verifiers` refer to.
    ///   - opaque: `nil` if no provider introspects tokens.
    package init(verifiers: VerifierTable, keys: any KeyWaiting, opaque: OpaqueProof?, clock: GatewayClock) {
        self.verifiers = verifiers
        self.keys = keys
        self.opaque = opaque
        self.clock = clock
    }

    /// Verifies a credential of a provider.
    func verify(_ request: ProofRequest, provider: String, for network: PeerNetwork) async throws -> Proof {
        try await slots.run {
            switch request.credential {
            case .idToken(let text): return try await verify(text, by: [try verifier(of: provider)])
            case .accessToken(let text):
                guard let opaque else { throw OpaqueProof.notTaken }
                return try await opaque.check(text, provider: provider, for: network)
            }
        }
    }

    /// Verifies a Firebase ID token, of any configured project.
    func verifyFirebase(_ text: String) async throws -> Principal {
        let indices = verifiers.verifiers.indices.filter {
            guard case .firebase(let verifier) = verifiers.verifiers[$0] else { return false }
            return verifier.kind == .idToken
        }
        guard !indices.isEmpty else { throw AccountDenial(.operationNotAllowed, detail: "Firebase is not configured.") }
        return try await slots.run { try await verify(text, by: indices).principal }
    }

    private func verifier(of provider: String) throws(AccountDenial) -> Int {
        let index = verifiers.verifiers.firstIndex {
            guard case .provider(let verifier) = $0 else { return false }
            return verifier.id.utf8.elementsEqual(provider.utf8)
        }
        guard let index else {
            throw AccountDenial(.operationNotAllowed, detail: "ID tokens of this provider are not accepted.")
        }
        return index
    }
}

extension ProofVerifier {
    /// Verifies a token, to which one of the verifiers at `indices` must apply.
    private func verify(_ text: String, by indices: [Int]) async throws -> Proof {
        let principal: Principal
        do {
            principal = try await self.principal(of: text, by: indices)
        } catch let failure as VerificationFailure {
            throw AccountDenial(failure)
        }
        let lifetime = principal.expiresAt.seconds(since: UnixTime(clamping: clock.now()))
        // A token must not outlive the record of its use, or it could be used again.
        guard lifetime <= StoreBounds.maximumLifetime else {
            throw AccountDenial.credential("the token expires later than its use can be recorded")
        }
        let digest = try Proof.use(of: Array(text.utf8), isJWS: true)
        return Proof(principal: principal, digest: digest, lifetime: max(lifetime, 1), isOpaque: false)
    }

    private func principal(of text: String, by indices: [Int]) async throws -> Principal {
        let token = try parse(text)
        let index = try verifiers.index(for: token, .idToken)
        guard indices.contains(index) else {
            throw VerificationFailure(code: .invalidIDToken, reason: .issuer)
        }
        let verifier = verifiers.verifiers[index]
        let set = verifier.keySet
        let kid = try verifier.checkBeforeSignature(token, set.map(keys.view(of:)) ?? KeySetView())
        guard let set else { return try judge(token, by: verifier, nil, KeySetView()) }
        switch await keys.key(kid: kid, set: set) {
        case .key(let key, let view): return try judge(token, by: verifier, key, view)
        case .unknown, .unconfirmed: throw VerificationFailure(code: .invalidIDToken, reason: .unknownKey)
        case .unavailable(let retryAfter): throw AccountDenial(Denial(.keysUnavailable, retryAfter: retryAfter))
        }
    }

    private func parse(_ text: String) throws(VerificationFailure) -> UnverifiedJWS {
        do {
            return try UnverifiedJWS(text, maximumSize: Authenticator.maximumTokenSize)
        } catch {
            throw VerificationFailure(code: .argumentError, reason: .notCompactJWS)
        }
    }

    private func judge(
        _ token: UnverifiedJWS, by verifier: TokenVerifier, _ key: PublicKey?, _ view: KeySetView
    ) throws(VerificationFailure) -> Principal {
        guard let hasher = SHA256Hasher() else { throw VerificationFailure(code: .internalError, reason: .hashing) }
        return try verifier.verify(token, key: key, view, now: clock.now(), hasher: hasher)
    }
}

/// The concurrency limit of proof verification, because each may wait for a provider.
final class ProofSlots: Sendable {
    /// The default of `capacity`.
    static let defaultCapacity = 256

    /// The maximum number of concurrent verifications. A further call is rejected.
    private let capacity: Int
    private let taken = Atomic<Int>(0)

    init(capacity: Int = ProofSlots.defaultCapacity) {
        self.capacity = capacity
    }

    /// Runs `body` within the limit.
    func run<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        defer { taken.wrappingSubtract(1, ordering: .relaxed) }
        guard taken.wrappingAdd(1, ordering: .relaxed).newValue <= capacity else {
            throw AccountDenial(.overloaded, reason: "the limit of concurrent proof verifications is reached")
        }
        return try await body()
    }
}
