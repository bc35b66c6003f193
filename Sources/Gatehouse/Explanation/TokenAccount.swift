import JOSE

/// The answer of every single check of a token, also of those that the request path does not reach after a failure.
struct TokenAccount {
    let verifier: FirebaseVerifier
    let evidence: KeyEvidence
    /// Unix seconds, and monotonic nanoseconds.
    let now: Int64
    let monotonic: UInt64

    func steps(of token: UnverifiedJWS) -> [ExplanationStep] {
        beforeSignature(token) + signature(token) + times(token.payload.root) + user(token.payload.root)
    }

    private func step(
        _ name: String, _ shown: String, expected: String? = nil, _ check: () throws -> Void
    ) -> ExplanationStep {
        do {
            try check()
            return ExplanationStep(.passed, name, shown)
        } catch {
            let reason = (error as? VerificationFailure)?.reason.rawValue ?? "\(error)"
            let wanted = expected.map { ", expected \($0)" } ?? ""
            return ExplanationStep(.failed, name, "\(reason): \(shown)\(wanted)")
        }
    }

    // MARK: - Before the signature

    private func beforeSignature(_ token: UnverifiedJWS) -> [ExplanationStep] {
        let claims = token.payload.root
        let kind = verifier.kind == .idToken ? "a Firebase ID token" : "a Firebase session cookie"
        return [
            step("kind", kind) { try verifier.refuseCustomToken(token) },
            step("kid", token.keyID.map { ShownText.quoted($0) } ?? "missing") {
                _ = try verifier.keyID(of: token)
            },
            step("alg", ShownText.quoted(token.algorithmName)) {
                try verifier.checkAlgorithm(of: token)
            },
            step("typ", token.type.map { ShownText.quoted($0) } ?? "none") {
                try verifier.checkType(of: token)
            },
            step("iss", ShownText.claim(claims["iss"]), expected: verifier.issuer) {
                try verifier.checkIssuer(claims)
            },
            step("aud", ShownText.claim(claims["aud"]), expected: verifier.project) {
                try verifier.checkAudience(claims)
            },
            step("sub", ShownText.claim(claims["sub"])) {
                _ = try verifier.subject(of: claims)
            },
        ]
    }

    // MARK: - Key and signature

    private func signature(_ token: UnverifiedJWS) -> [ExplanationStep] {
        guard !verifier.insecureEmulator else {
            return [
                step("signature", "unsigned, as insecure_emulator takes them") {
                    _ = try verifier.accept(token, key: nil)
                }
            ]
        }
        switch evidence.view.lookup(kid: token.keyID ?? "", now: monotonic) {
        case .key(let key):
            return [
                ExplanationStep(.passed, "key", "found, \(evidence.source)"),
                step("signature", "by that key") {
                    _ = try verifier.accept(token, key: key)
                },
            ]
        case .unknown:
            let reason = VerificationFailure.Reason.unknownKey.rawValue
            return [
                ExplanationStep(.failed, "key", "\(reason): \(evidence.source)"),
                ExplanationStep(.unknown, "signature", "not checked: there is no key to check it with"),
            ]
        case .unavailable, .fetch:
            return [
                ExplanationStep(.unknown, "key", evidence.source),
                ExplanationStep(.unknown, "signature", "not checked: there is no key to check it with"),
            ]
        }
    }

    // MARK: - Time

    private func times(_ claims: JSONValue) -> [ExplanationStep] {
        var steps = [
            step("exp", moment(claims["exp"])) {
                _ = try verifier.expiry(of: claims, now: now)
            },
            step("iat", moment(claims["iat"])) {
                try verifier.checkIssuedAt(claims, now: now)
            },
        ]
        if claims["nbf"] != nil {
            steps.append(
                step("nbf", moment(claims["nbf"])) {
                    try verifier.checkNotBefore(claims, now: now)
                })
        }
        steps.append(
            step("auth_time", moment(claims["auth_time"])) {
                _ = try verifier.authTime(of: claims, now: now)
            })
        return steps
    }

    private func moment(_ value: JSONValue?) -> String {
        value?.integer.map { HumanTime.moment($0, now: now) } ?? ShownText.claim(value)
    }

    // MARK: - The user

    private func user(_ claims: JSONValue) -> [ExplanationStep] {
        let member: FirebaseMember
        do throws(VerificationFailure) {
            member = try verifier.firebaseMember(of: claims)
        } catch {
            return [ExplanationStep(.failed, "firebase", error.reason.rawValue)]
        }
        return [
            step("tenant", member.tenant.map { ShownText.quoted($0) } ?? "none", expected: expectedTenant) {
                try verifier.checkTenant(member)
            },
            step("user_id", ShownText.claim(claims["user_id"])) {
                try verifier.checkUserID(claims, uid: claims["sub"]?.string ?? "")
            },
            ExplanationStep(.note, "provider", member.signInProvider.map { ShownText.quoted($0) } ?? "none"),
            ExplanationStep(.note, "second factor", member.hasSecondFactor ? "used" : "none"),
        ]
    }

    private var expectedTenant: String {
        switch verifier.tenant {
        case .none: "none"
        case .any: "any"
        case .only(let tenant): tenant
        }
    }
}
