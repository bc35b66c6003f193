package import GatewayConfiguration

extension VerifierTable {
    /// Creates the verifiers of a configuration and the distinct sources of their key sets. Two verifiers with the same
    /// source share its set.
    ///
    /// - Parameters:
    ///   - transmitters: The transmitters of security events, whose keys are further sources.
    ///   - hasSessions: Whether the gateway's own session cookies are accepted. Their key set follows the sources'
    ///     sets.
    package static func make(
        of identity: Configuration.Identity, transmitters: [Configuration.Transmitter] = [], hasSessions: Bool = false
    ) -> (VerifierTable, [KeySetSource]) {
        var sources = SourceList()
        let skew = identity.clockSkew.components.seconds
        var verifiers: [TokenVerifier] = []
        if let firebase = identity.firebase {
            let prefixes = identity.providers.map { "\($0.id):" }
            verifiers += firebaseVerifiers(firebase, skew, prefixes, &sources).map { .firebase($0) }
        }
        for provider in identity.providers {
            guard let tokens = provider.idTokens else { continue }
            let set = sources.index(of: KeySetSource(tokens.keys))
            guard let verifier = ProviderVerifier(provider, clockSkew: skew, keySet: set) else { continue }
            verifiers.append(.provider(verifier))
        }
        if let appCheck = identity.firebase?.appCheck { _ = sources.index(of: KeySetSource(appCheck)) }
        for transmitter in transmitters { _ = sources.index(of: KeySetSource(transmitter.keys)) }
        if hasSessions {
            let origins = SessionOrigins(verifiers, opaque: identity.providers.filter { $0.opaqueTokens != nil })
            verifiers.append(
                .session(
                    SessionVerifier(
                        clockSkew: skew, keySet: sources.all.count, origins: origins)))
        }
        return (VerifierTable(verifiers), sources.all)
    }

    private static func firebaseVerifiers(
        _ firebase: Configuration.Firebase, _ skew: Int64, _ prefixes: [String], _ sources: inout SourceList
    ) -> [FirebaseVerifier] {
        let kinds: [(CredentialKind, KeyPath<Configuration.FirebaseProject, String>, String)] = [
            (.idToken, \.issuer, firebase.keysURL), (.sessionCookie, \.sessionIssuer, firebase.sessionKeysURL),
        ]
        var verifiers: [FirebaseVerifier] = []
        for (kind, issuer, url) in kinds {
            // Emulator tokens are not signed.
            let set = firebase.insecureEmulator ? -1 : sources.index(of: .url(url))
            verifiers += firebase.projects.enumerated().map { index, project in
                FirebaseVerifier(
                    kind: kind, issuer: project[keyPath: issuer], project: project.id, tenant: .init(project.tenant),
                    clockSkew: skew, insecureEmulator: firebase.insecureEmulator, keySet: set,
                    reservedPrefixes: prefixes, hasOtherProjects: firebase.hasSeveralProjects,
                    isNamed: index > 0)
            }
        }
        return verifiers
    }

    private struct SourceList {
        private(set) var all: [KeySetSource] = []

        mutating func index(of source: KeySetSource) -> Int {
            if let known = all.firstIndex(of: source) { return known }
            all.append(source)
            return all.count - 1
        }
    }
}

extension FirebaseVerifier.Tenant {
    init(_ policy: Configuration.TenantPolicy) {
        self =
            switch policy {
            case .none: .none
            case .only(let id): .only(id)
            case .anyOf(let ids): .anyOf(ids)
            case .any: .any
            }
    }
}
