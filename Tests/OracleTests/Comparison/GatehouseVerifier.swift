import JOSE

@testable import Authentication
@testable import GatewayCore

/// Gatehouse's verdict on a token.
enum GatehouseVerdict: Sendable {
    case accepted(uid: String)
    /// Not a compact JWS that may be verified, and the reason.
    case malformed(JWSError)
    case refused(VerificationFailure)
    /// Any other outcome. It does not occur while the keys are available.
    case unexpected(String)
}

/// Gatehouse's authentication in each setting, with the keys of a map of certificates and a fixed time.
struct GatehouseVerifier {
    private let authenticators: [OracleSetting: Authenticator]
    private let now: Int64

    enum Failure: Error { case noHasher }

    init(certificates: [UInt8], now: Int64) throws {
        self.now = now
        let view = KeySetView(
            keys: try KeySet(detecting: certificates, now: now), generation: 1, isLoaded: true,
            lastFetchSucceeded: true,
            completedFetches: 1, usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        var authenticators: [OracleSetting: Authenticator] = [:]
        for setting in Self.settings {
            authenticators[setting] = try Self.authenticator(setting)
            authenticators[setting]?.install(view, set: 0)
        }
        self.authenticators = authenticators
    }

    func verdict(_ one: OracleCase) -> GatehouseVerdict {
        guard let authenticator = authenticators[one.setting] else { return .unexpected("no such setting") }
        let outcome = one.token.withUnsafeBytes {
            authenticator.authenticate($0, kind: one.setting.kind, now: now, monotonic: 0, waitingSince: nil)
        }
        return switch outcome {
        case .verified(let entry): .accepted(uid: entry.principal.uid)
        case .refused(let failure) where failure.reason == .notCompactJWS: malformed(one.token)
        case .refused(let failure): .refused(failure)
        case .unavailable, .awaitKeys, .awaitOwner: .unexpected("\(outcome)")
        }
    }

    private func malformed(_ token: [UInt8]) -> GatehouseVerdict {
        do {
            _ = try UnverifiedJWS(token, maximumSize: Authenticator.maximumTokenSize)
            return .unexpected("refused as malformed, and is not")
        } catch {
            return .malformed(error)
        }
    }

    private static let settings = OracleSetting.kinds.flatMap { kind in
        OracleSetting.skews.flatMap { skew in
            OracleSetting.tenants.map { OracleSetting(kind: kind, skew: skew, tenant: $0) }
        }
    }

    private static func authenticator(_ setting: OracleSetting) throws -> Authenticator {
        let host = setting.kind == .idToken ? "securetoken.google.com" : "session.firebase.google.com"
        let verifier = FirebaseVerifier(
            kind: setting.kind, issuer: "https://\(host)/\(TokenDraft.project)", project: TokenDraft.project,
            tenant: setting.tenant.map { .only($0) } ?? .none, clockSkew: setting.skew, insecureEmulator: false,
            keySet: 0)
        guard let hasher = SHA256Hasher() else { throw Failure.noHasher }
        return Authenticator(
            verifiers: VerifierTable([.firebase(verifier)]), keySets: 1, hasher: hasher,
            counters: WorkerCounters(routes: 1, upstreams: 1),
            render: { _ in RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false) })
    }
}
