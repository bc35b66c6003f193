import Authentication
import JOSE

extension TokenTranscript {
    /// Returns the steps for Firebase ID tokens and session cookies.
    func steps(of token: UnverifiedJWS, by verifier: FirebaseVerifier) -> [ExplanationStep] {
        let claims = token.payload.root
        return beforeSignature(token, verifier) + signature(token, verifier)
            + times(claims, verifier, needsAuthTime: true) + user(claims, verifier)
    }

    private func beforeSignature(_ token: UnverifiedJWS, _ verifier: FirebaseVerifier) -> [ExplanationStep] {
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
            typeStep(token, verifier),
            step("iss", ShownText.claim(claims["iss"]), expected: verifier.issuer) {
                try verifier.checkIssuer(claims)
            },
            step("aud", ShownText.claim(claims["aud"]), expected: verifier.project) {
                try verifier.checkAudience(claims)
            },
            step("sub", ShownText.claim(claims["sub"])) {
                try verifier.checkNotReserved(try verifier.subject(of: claims))
            },
        ]
    }

    private func signature(_ token: UnverifiedJWS, _ verifier: FirebaseVerifier) -> [ExplanationStep] {
        guard !verifier.insecureEmulator else {
            return [
                step("signature", "unsigned, as insecure_emulator takes them") {
                    _ = try verifier.accept(token, key: nil)
                }
            ]
        }
        return key(of: token) { key in
            [step("signature", "by that key") { _ = try verifier.accept(token, key: key) }]
        }
    }

    private func user(_ claims: JSONValue, _ verifier: FirebaseVerifier) -> [ExplanationStep] {
        let member: FirebaseMember
        do throws(VerificationFailure) {
            member = try verifier.firebaseMember(of: claims)
        } catch {
            return [ExplanationStep(.failed, "firebase", error.reason.rawValue)]
        }
        return [
            step("tenant", member.tenant.map { ShownText.quoted($0) } ?? "none", expected: expected(verifier.tenant)) {
                try verifier.checkTenant(member)
            },
            step("user_id", ShownText.claim(claims["user_id"])) {
                try verifier.checkUserID(claims, uid: claims["sub"]?.string ?? "")
            },
            ExplanationStep(.note, "provider", member.signInProvider.map { ShownText.quoted($0) } ?? "none"),
            ExplanationStep(.note, "second factor", member.hasSecondFactor ? "used" : "none"),
        ]
    }

    private func expected(_ tenant: FirebaseVerifier.Tenant) -> String {
        switch tenant {
        case .none: "none"
        case .any: "any"
        case .only(let tenant): tenant
        case .anyOf(let tenants): tenants.joined(separator: " or ")
        }
    }
}
