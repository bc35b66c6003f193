import Authentication
import JOSE

/// The results of all checks of a token, including those that the request path skips after a failure.
struct TokenTranscript {
    let verifier: TokenVerifier
    let evidence: KeyEvidence
    /// Unix seconds, and monotonic nanoseconds.
    let now: Int64
    let monotonic: UInt64

    func steps(of token: UnverifiedJWS) -> [ExplanationStep] {
        switch verifier {
        case .firebase(let verifier): steps(of: token, by: verifier)
        case .provider(let verifier): steps(of: token, by: verifier)
        case .session(let verifier): steps(of: token, by: verifier)
        }
    }

    /// Returns the step of a check. `shown` is the checked value.
    func step(
        _ name: String, _ shown: String, expected: String? = nil, _ check: () throws -> Void
    ) -> ExplanationStep {
        do {
            try check()
            return ExplanationStep(.passed, name, shown)
        } catch {
            let reason = (error as? VerificationFailure)?.text ?? "\(error)"
            let wanted = expected.map { ", expected \($0)" } ?? ""
            return ExplanationStep(.failed, name, "\(reason): \(shown)\(wanted)")
        }
    }

    /// Returns the step of the key lookup and, with the key, the steps of `check`.
    func key(of token: UnverifiedJWS, _ check: (PublicKey) -> [ExplanationStep]) -> [ExplanationStep] {
        let notChecked = ExplanationStep(.unknown, "signature", "not checked: no key is available")
        switch evidence.view.lookup(kid: token.keyID ?? "", now: monotonic) {
        case .key(let key):
            return [ExplanationStep(.passed, "key", "found, \(evidence.source)")] + check(key)
        case .unknown:
            let reason = VerificationFailure.Reason.unknownKey.rawValue
            return [ExplanationStep(.failed, "key", "\(reason): \(evidence.source)"), notChecked]
        case .unavailable, .fetch:
            return [ExplanationStep(.unknown, "key", evidence.source), notChecked]
        }
    }

    func typeStep(_ token: UnverifiedJWS, _ checks: some ClaimChecks) -> ExplanationStep {
        step("typ", token.type.map { ShownText.quoted($0) } ?? "none") { try checks.checkType(of: token) }
    }

    func times(_ claims: JSONValue, _ checks: some ClaimChecks, needsAuthTime: Bool) -> [ExplanationStep] {
        var steps = [
            step("exp", moment(claims["exp"])) { _ = try checks.expiry(of: claims, now: now) },
            step("iat", moment(claims["iat"])) { try checks.checkIssuedAt(claims, now: now) },
        ]
        if claims["nbf"] != nil {
            steps.append(step("nbf", moment(claims["nbf"])) { try checks.checkNotBefore(claims, now: now) })
        }
        if needsAuthTime || claims["auth_time"] != nil {
            steps.append(
                step("auth_time", moment(claims["auth_time"])) { _ = try checks.authTime(of: claims, now: now) })
        } else {
            steps.append(ExplanationStep(.note, "auth_time", Self.noAuthTime))
        }
        return steps
    }

    /// The text for a token without a sign-in time. Such a token has no session either, so that no later sign-in can be
    /// recorded.
    static let noAuthTime = "none: never recent, and no sign-in time is sent to the upstream"

    private func moment(_ value: JSONValue?) -> String {
        value?.integer.map { HumanTime.moment($0, now: now) } ?? ShownText.claim(value)
    }
}
