import Authentication
import JOSE

extension TokenTranscript {
    /// Returns the steps for a provider's own ID tokens.
    func steps(of token: UnverifiedJWS, by verifier: ProviderVerifier) -> [ExplanationStep] {
        let claims = token.payload.root
        return header(token, verifier) + issuerAndAudience(claims, verifier) + signature(token, verifier)
            + times(claims, verifier, needsAuthTime: false) + user(claims, verifier)
    }

    private func header(_ token: UnverifiedJWS, _ verifier: ProviderVerifier) -> [ExplanationStep] {
        [
            step("kind", "an ID token of \(verifier.id)") {
                try verifier.refuseCustomToken(token)
                try verifier.checkKind(token.payload.root)
            },
            step("kid", token.keyID.map { ShownText.quoted($0) } ?? "missing") {
                _ = try verifier.keyID(of: token)
            },
            step("alg", ShownText.quoted(token.algorithmName), expected: expectedAlgorithms(verifier)) {
                _ = try verifier.algorithm(of: token, evidence.view)
            },
            typeStep(token, verifier),
        ]
    }

    private func issuerAndAudience(_ claims: JSONValue, _ verifier: ProviderVerifier) -> [ExplanationStep] {
        let rules = verifier.rules
        var steps = [
            step("iss", ShownText.claim(claims["iss"]), expected: rules.expectedIssuer) {
                try verifier.checkIssuer(claims)
            },
            step("aud", ShownText.claim(claims["aud"]), expected: verifier.audiences.joined(separator: " or ")) {
                try verifier.checkAudience(claims)
            },
            step("azp", ShownText.claim(claims["azp"]), expected: verifier.parties.joined(separator: " or ")) {
                try verifier.checkAuthorizedParty(claims)
            },
        ]
        for rule in rules.claimRules {
            steps.append(
                step(rule.claim, ShownText.claim(claims[rule.claim]), expected: rule.expected) {
                    try verifier.check(rule, claims)
                })
        }
        steps.append(
            step(rules.subjectClaim, ShownText.claim(claims[rules.subjectClaim])) {
                try verifier.checkSubject(claims)
            })
        return steps
    }

    private func signature(_ token: UnverifiedJWS, _ verifier: ProviderVerifier) -> [ExplanationStep] {
        key(of: token) { key in
            let issuer = key.issuer.map { issuer in
                step("key issuer", ShownText.quoted(issuer)) { try verifier.checkKey(key, token.payload.root) }
            }
            let signature = step("signature", "by that key") {
                try verifier.checkKey(key, token.payload.root)
                _ = try verifier.accept(token, key: key, evidence.view)
            }
            return (issuer.map { [$0] } ?? []) + [signature]
        }
    }

    private func user(_ claims: JSONValue, _ verifier: ProviderVerifier) -> [ExplanationStep] {
        var notes = [ExplanationStep(.note, "provider", ShownText.quoted(verifier.id))]
        if (try? verifier.checkSubject(claims)) != nil {
            let uid = "\(verifier.id):\(verifier.rules.subject(of: claims))"
            notes.append(ExplanationStep(.note, "uid", ShownText.quoted(uid)))
        }
        notes.append(
            ExplanationStep(.note, "second factor", verifier.hasSecondFactor(claims) ? "used" : "none"))
        return notes
    }

    private func expectedAlgorithms(_ verifier: ProviderVerifier) -> String {
        Algorithm.allCases.filter { verifier.algorithms.allows($0, by: evidence.view) }.map(\.rawValue)
            .joined(separator: " or ")
    }
}
