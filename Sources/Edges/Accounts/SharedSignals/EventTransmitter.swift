package import Authentication
package import GatewayConfiguration
import JOSE
import Revocation

/// A transmitter of security events: its settings, and the index of its key set.
package struct EventTransmitter: Sendable {
    let settings: Configuration.Transmitter
    /// The index of the key set in the key coordinator.
    let keySet: Int
    /// The accepted `iss` of subjects: the issuers of the provider that has the users. A transmitter's own users are
    /// other people, unless it has the users of the Firebase project.
    let subjectIssuers: [String]
    /// The prefixes of uids that belong to identities at providers, and not to users of the Firebase project.
    let reservedPrefixes: [String]

    /// Creates a transmitter. `nil` if `sources` do not contain its key set.
    package init?(
        _ settings: Configuration.Transmitter, _ identity: Configuration.Identity, sources: [KeySetSource]
    ) {
        guard let keySet = sources.firstIndex(of: KeySetSource(settings.keys)) else { return nil }
        self.settings = settings
        self.keySet = keySet
        subjectIssuers = Self.issuers(of: settings, identity)
        reservedPrefixes = identity.providers.map { "\($0.id):" }
    }

    private static func issuers(
        of settings: Configuration.Transmitter, _ identity: Configuration.Identity
    ) -> [String] {
        switch settings.subjects {
        case .firebase: return [settings.issuer] + (identity.firebase?.projects.first.map { [$0.issuer] } ?? [])
        case .provider(let id):
            let provider = identity.providers.first { $0.id.utf8.elementsEqual(id.utf8) }
            return provider?.idTokens?.issuers ?? provider?.opaqueTokens?.issuer.map { [$0] } ?? []
        }
    }

    /// The name in logs and metrics.
    var id: String { settings.id }

    func isIssuer(of claims: JSONValue) -> Bool { claims["iss"]?.equals(settings.issuer) == true }

    /// Returns whether `aud` is, or contains, one of the audiences.
    func isAudience(_ claim: JSONValue?) -> Bool {
        guard let claim else { return false }
        let values = claim.kind == .array ? Array(claim.elements) : [claim]
        return values.contains { value in settings.audiences.contains { value.equals($0) } }
    }

    /// Returns whether the transmitter may name users of this issuer. Google writes its own with and without a slash at
    /// the end, so that the slash is not compared.
    func isAuthoritative(for issuer: String) -> Bool {
        subjectIssuers.contains { Self.withoutSlash($0).elementsEqual(Self.withoutSlash(issuer)) }
    }

    private static func withoutSlash(_ issuer: String) -> Substring.UTF8View {
        (issuer.utf8.last == UInt8(ascii: "/") ? issuer.dropLast() : issuer[...]).utf8
    }

    /// Returns whether the transmitter may name an address, in lower case.
    func isAuthoritative(forAddress address: String) -> Bool {
        guard let at = address.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let domain = address.utf8[address.utf8.index(after: at)...]
        return settings.emailDomains.contains { $0.utf8.elementsEqual(domain) }
    }
}
