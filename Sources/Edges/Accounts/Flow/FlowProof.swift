import Authentication
import GatewayCore
import JOSE
import Revocation

/// The verification of the tokens that a provider returned for a code.
struct FlowProof {
    let parts: AccountParts
    let provider: FlowProvider
    let record: FlowRecord
    let exchange: TokenExchange
    let network: PeerNetwork

    /// Redeems a code and returns the proven user. No token is used before its checks have passed.
    func user(for code: String) async throws -> ProvenUser {
        let tokens = try await exchange.redeem(code, of: record)
        var user = provider.hasIDToken ? try await user(of: tokens) : try await gitHubUser(of: tokens)
        if provider.revokesTokens { user.token = GrantedToken(tokens, of: provider) }
        return user
    }

    private func user(of tokens: TokenExchange.Tokens) async throws -> ProvenUser {
        guard let text = tokens.idToken else { throw FlowFailure.unavailable("the token endpoint: no ID token") }
        let proof = try await parts.verifier.verify(
            ProofRequest(idToken: text, of: provider.id), provider: provider.id, for: network)
        let claims = proof.principal.claims.root
        try checkNonce(claims)
        try checkClient(claims)
        try checkAccessToken(tokens.accessToken, claims, text)
        try checkTimes(proof.principal)
        guard let link = proof.principal.link else { throw AccountDenial.credential("no provider's token") }
        let now = parts.clock.now()
        return ProvenUser(
            link: link, claims: try SourceClaims.of(proof.principal),
            signIn: signIn(proof.signIn(hasNonce: true, now: now)), madeAt: proof.madeAt(hasNonce: true, now: now),
            origin: try proof.origin())
    }

    /// Returns the sign-in that a flow proves. A silent one proves only what the provider states.
    private func signIn(_ proof: SignInProof) -> SignInProof {
        record.isSilent ? SignInProof(authenticatedAt: proof.authenticatedAt) : proof
    }

    private func checkNonce(_ claims: JSONValue) throws(AccountDenial) {
        guard let claim = claims["nonce"] else {
            guard !provider.requiresNonce else { throw .nonce("the ID token has no nonce") }
            return
        }
        guard let nonce = claim.string, ConstantTime.equals(nonce.utf8, record.nonce.utf8) else {
            throw .nonce("the nonce of the ID token is not the one of the flow")
        }
    }

    /// Checks that the token is for the client of this flow, not only for one of the configured audiences.
    private func checkClient(_ claims: JSONValue) throws(AccountDenial) {
        let isOurs =
            claims["aud"]?.equals(record.clientID) == true
            || claims["aud"]?.elements.contains { $0.equals(record.clientID) } == true
        guard isOurs, claims["azp"].map({ $0.equals(record.clientID) }) ?? true else {
            throw .credential("the ID token is for another client")
        }
    }

    /// Checks the hash of the access token, if there is one (OpenID Connect Core 1.0 section 3.1.3.6). Algorithms with
    /// other hashes than SHA-256 are skipped: the access token is not used.
    private func checkAccessToken(_ token: String?, _ claims: JSONValue, _ text: String) throws(AccountDenial) {
        guard let claim = claims["at_hash"], let token,
            (try? UnverifiedJWS(text))?.algorithm?.rawValue.hasSuffix("256") == true
        else { return }
        let half = Array(try AccountDenial.hash(Array(token.utf8)).bytes.prefix(16))
        guard claim.equals(Base64URL.encode(half)) else { throw .credential("at_hash is for another access token") }
    }

    /// Checks that the token was issued for this flow, and states a new sign-in if the flow required one.
    private func checkTimes(_ principal: Principal) throws(AccountDenial) {
        guard let issuedAt = principal.issuedAt, issuedAt.adding(parts.clockSkew) >= record.started else {
            throw .credential("the ID token is older than the flow")
        }
        guard record.purpose == .reauthenticate, provider.statesAuthentication else { return }
        guard let time = principal.authTime, time.age(at: parts.clock.now()) <= AccountDenial.recentSignIn else {
            throw .signInAgain("the provider did not state a new sign-in")
        }
    }
}

// GitHub: the profile instead of an ID token.
extension FlowProof {
    private func gitHubUser(of tokens: TokenExchange.Tokens) async throws -> ProvenUser {
        guard let token = tokens.accessToken else { throw FlowFailure.unavailable("the token endpoint: no token") }
        let user = try await exchange.document(at: provider.userURL, accessToken: token)
        let mayReadEmails = provider.scopes.contains("user:email") || provider.scopes.contains("user")
        let emails =
            mayReadEmails
            ? try await exchange.document(at: provider.userURL + "/emails", accessToken: token) : nil
        let identity: ProviderIdentity
        do throws(Unproven) {
            identity = try GitHubProfile(
                user: user.root, emails: emails?.root, clientID: record.clientID, scopes: tokens.scopes
            ).identity(of: provider.id)
        } catch {
            throw FlowFailure.unavailable("the profile: \(error)")
        }
        guard let hasher = SHA256Hasher(), let principal = Principal(identity, hasher: hasher),
            let link = principal.link, let origin = SessionOrigin(principal, .accessToken)
        else { throw AccountDenial.credential("the profile is too large") }
        // The gateway redeemed the code itself, so that the user took part after the start of the flow.
        return ProvenUser(
            link: link, claims: try SourceClaims.of(principal),
            signIn: signIn(SignInProof(confirmedAt: record.started.notAfter(parts.clock.now()))),
            madeAt: record.started,
            origin: origin)
    }
}

extension ProofRequest {
    /// Creates the proof of an ID token that the gateway received itself.
    init(idToken: String, of provider: String) {
        self.provider = provider
        credential = .idToken(idToken)
        nonce = nil
    }
}
