import GatewayConfiguration
package import GatewayCore
package import JOSE
package import Revocation

/// The identity that started a session, with the claims of its credential that the configuration restricts.
///
/// A session is valid only while that identity is linked to the session's user, and is neither disabled nor revoked
/// since the session started. Its provider must be configured with constraints that these claims meet. The origin is
/// stored in the protected header of the session cookie. It is not a claim, so that upstreams and rules do not see it.
package struct SessionOrigin: Sendable {
    /// The kind of credential that proved the identity.
    package enum Credential: String, Sendable {
        case idToken = "id_token"
        case accessToken = "access_token"
    }

    enum Source: Sendable {
        case provider(IdentityLink, Credential, claims: JSONDocument)
        case firebase(project: String, tenant: String?)
    }

    let source: Source

    /// The identity at a provider. `nil` for a Firebase user, who is the session's user.
    package var link: IdentityLink? {
        guard case .provider(let link, _, _) = source else { return nil }
        return link
    }

    /// The Firebase project. `nil` for an identity at a provider.
    var project: String? {
        guard case .firebase(let project, _) = source else { return nil }
        return project
    }

    /// The claims that a provider's configuration can restrict.
    private static let restricted = ["iss", "aud", "azp", "hd", "tid", "ver", "client_id", "app_id"]
    private static let limits = JSONLimits(size: 4096, depth: 8, members: 128)

    private enum Name {
        static let provider = "provider", subject = "subject", credential = "credential", claims = "claims"
        static let project = "project", tenant = "tenant"
    }

    /// Creates the origin of a session that a provider's credential starts. `nil` for any other credential, and if the
    /// claims are too large.
    package init?(_ principal: Principal, _ credential: Credential) {
        guard let link = principal.link else { return nil }
        var text = ObjectText()
        for name in Self.restricted {
            if let value = principal.claims.root[name] { text.add(name, value) }
        }
        guard let claims = try? JSONDocument(text.bytes, limits: Self.limits) else { return nil }
        source = .provider(link, credential, claims: claims)
    }

    /// Creates the origin of a session that a Firebase ID token starts.
    package init(firebase principal: Principal) {
        let claims = principal.claims.root
        source = .firebase(
            project: claims["aud"]?.string ?? "", tenant: claims["firebase"]?["tenant"]?.string)
    }

    /// Creates the origin from its JSON form. `nil` if `value` is not an origin.
    package init?(_ value: JSONValue?) {
        guard let value else { return nil }
        if let project = value[Name.project]?.string {
            source = .firebase(project: project, tenant: value[Name.tenant]?.string)
            return
        }
        guard let provider = value[Name.provider]?.string, let subject = value[Name.subject]?.string,
            let credential = value[Name.credential]?.string.flatMap(Credential.init(rawValue:)),
            let object = value[Name.claims], object.kind == .object,
            let claims = try? JSONDocument(object.compact, limits: Self.limits)
        else { return nil }
        source = .provider(IdentityLink(provider: provider, subject: subject), credential, claims: claims)
    }

    /// Writes the JSON form that `init(_:)` reads.
    package func write(to text: inout ObjectText) {
        switch source {
        case .provider(let link, let credential, let claims):
            text.add(Name.provider, link.provider)
            text.add(Name.subject, link.subject)
            text.add(Name.credential, credential.rawValue)
            text.add(Name.claims, claims.root)
        case .firebase(let project, let tenant):
            text.add(Name.project, project)
            if let tenant { text.add(Name.tenant, tenant) }
        }
    }
}

/// The validity of session origins under the providers of one configuration and their constraints.
struct SessionOrigins: Sendable {
    private var verifiers: [ProviderVerifier] = []
    private var checks: [any TokenCheck] = []
    /// The accepted Firebase projects.
    private(set) var projects: [FirebaseProject] = []

    /// Creates the checks of one configuration from its verifiers and providers of opaque tokens.
    init(_ verifiers: [TokenVerifier], opaque providers: [Configuration.Provider]) {
        for verifier in verifiers {
            switch verifier {
            case .provider(let verifier): self.verifiers.append(verifier)
            case .firebase(let verifier) where verifier.kind == .idToken: projects.append(verifier.accepted)
            case .firebase, .session: break
            }
        }
        checks = providers.compactMap(\.tokenCheck)
    }

    /// Returns the accepted project with this ID.
    func project(_ id: String) -> FirebaseProject? { projects.first { $0.id.isExactly(id) } }

    /// Returns the reason if sessions of an origin are not valid. Otherwise returns `nil`.
    func flaw(of origin: SessionOrigin) -> VerificationFailure.Reason? {
        switch origin.source {
        case .firebase(let project, let tenant):
            guard let project = self.project(project) else { return .sessionProvider }
            return project.tenant.isMet(by: tenant) ? nil : .tenant
        case .provider(let link, .idToken, let claims):
            guard let verifier = verifiers.first(where: { $0.id.isExactly(link.provider) }) else {
                return .sessionProvider
            }
            return verifier.constraintFailure(claims.root)
        case .provider(let link, .accessToken, let claims):
            guard let check = checks.first(where: { $0.provider.isExactly(link.provider) }) else {
                return .sessionProvider
            }
            return check.isForUs(claims.root) ? nil : .audience
        }
    }
}
