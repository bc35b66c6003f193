import GatewayCore

extension ConfigurationValue {
    /// Whether this names anybody who issues tokens, be it with errors.
    var hasIssuers: Bool { hasMember("firebase") || hasEntries(under: "providers") }
}

extension Configuration.Identity {
    private static let maximumProviders = 64

    static func providers(_ value: ConfigurationValue) -> [Configuration.Provider]? {
        guard let entries = value.entries(permitting: .collection) else { return nil }
        guard entries.count <= maximumProviders else {
            return value.fail("identity.providers has more than \(maximumProviders) entries", "remove some")
        }
        return entries.compactMap(Configuration.Provider.read)
    }

    /// A token goes to the one whose issuer it names.
    func checkIssuers(_ context: LoadingContext) {
        var owners: [(issuer: String, name: String)] = []
        if let firebase {
            owners += [firebase.issuer, firebase.sessionIssuer].map { ($0, "identity.firebase") }
        }
        for provider in providers {
            let issuers = provider.idTokens?.issuers ?? []
            for issuer in issuers {
                guard let owner = owners.first(where: { Self.overlap($0.issuer, issuer) }) else { continue }
                context.fail(
                    provider.location, "\(Quoted(provider.id)) has the issuer \(Quoted(issuer)) of \(owner.name)",
                    "keep one of them: a token goes to the one whose issuer it names")
            }
            owners += issuers.map { ($0, Quoted(provider.id).description) }
        }
    }

    /// Who of these already has an issuer; nil: nobody.
    func owner(ofIssuer issuer: String) -> String? {
        let firebases = firebase.map { [$0.issuer, $0.sessionIssuer] } ?? []
        if firebases.contains(where: { Self.overlap($0, issuer) }) { return "identity.firebase" }
        return providers.first { provider in
            (provider.idTokens?.issuers ?? []).contains { Self.overlap($0, issuer) }
        }.map { "\(Quoted($0.id))" }
    }

    /// Whether a token of one issuer may name the other: equal texts, and Microsoft's template and what it stands for.
    private static func overlap(_ first: String, _ second: String) -> Bool {
        first.utf8.elementsEqual(second.utf8) || IssuerTemplate(first)?.covers(second) == true
            || IssuerTemplate(second)?.covers(first) == true
    }
}

/// An issuer with `{tenantid}` in the place of a tenant's id.
package struct IssuerTemplate {
    package static let placeholder = "{tenantid}"

    private let before: Substring
    private let after: Substring

    /// Nil unless the placeholder stands there once.
    init?(_ text: String) {
        let ranges = text.ranges(of: Self.placeholder)
        guard ranges.count == 1 else { return nil }
        before = text[..<ranges[0].lowerBound]
        after = text[ranges[0].upperBound...]
    }

    /// Whether the template stands for that issuer too.
    func covers(_ issuer: String) -> Bool {
        guard issuer.hasPrefix(before), issuer.hasSuffix(after) else { return false }
        return TenantID.isValid(String(issuer.dropFirst(before.count).dropLast(after.count)))
    }
}
