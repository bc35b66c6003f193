import GatewayCore

extension KnownKeys {
    static let microsoft = KnownKeys(
        provider: .microsoft, ofAudiences + ["tenants"] + ofIDTokens + ofClient + ofFlows)
}

extension ProviderReader {
    func microsoft() -> IDTokens {
        var tokens = idTokens(
            issuers: ["https://login.microsoftonline.com/\(IssuerTemplate.placeholder)/v2.0"],
            keysURL: "https://login.microsoftonline.com/common/discovery/v2.0/keys")
        readAuthorizedParties(&tokens)
        checkTemplate()
        let remedy = "add tenants: [ID] with the organizations' tenant ids, or tenants: \"*\" for any tenant"
        tokens.tenants = mapping.required("tenants", remedy).flatMap(tenants) ?? []
        return tokens
    }

    private func checkTemplate() {
        guard let value = mapping.value("issuer"), case .scalar(let scalar) = value.content else { return }
        guard IssuerTemplate(scalar.text) == nil else { return }
        mapping.context.fail(
            value.location, "\(value.name) does not contain \(IssuerTemplate.placeholder) exactly once",
            "write it in place of the tenant id")
    }

    /// Returns the tenants. Empty for all tenants except that of personal accounts.
    private func tenants(_ value: ConfigurationValue) -> [String]? {
        let ids = value.oneOrList(atMost: TenantID.maximumCount, remedy: "write \"*\", or remove some", tenant)
        guard let ids, ids.contains("*") else { return ids }
        guard ids.count == 1 else {
            return value.fail(
                "\(value.name) lists other tenants besides \"*\"", "write \"*\" alone, or the list without it")
        }
        return []
    }

    private func tenant(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 255)?.lowercased() else { return nil }
        if text == "*" || TenantID.isValid(text) { return text }
        if let meaning = TenantID.words[text] {
            return value.fail(
                "\(value.name) cannot be \(value.shown), since tokens contain the tenant id", "write \(meaning)")
        }
        if HostName.isValid(text), text.contains(".") {
            return value.fail(
                "\(value.name) cannot be the domain \(value.shown), since tokens contain the tenant id",
                "write its tenant id from the Entra admin center, as in 8eaef023-2b34-4da1-9baa-8bc8c9d6a490")
        }
        return value.fail(
            "\(value.name) is \(value.shown), not a tenant id",
            "write it as in 8eaef023-2b34-4da1-9baa-8bc8c9d6a490, or \"*\" for any organization")
    }
}

/// The ids of Microsoft's tenants.
package enum TenantID {
    /// The maximum number of listed tenants.
    static let maximumCount = 256
    /// The tenant of personal accounts.
    package static let personalAccounts = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// The values that applications may use instead of a tenant's id, with their equivalents in this configuration.
    static let words = [
        "common": "\"*\" for any organization, or list tenants' ids, with \(personalAccounts) for personal accounts",
        "organizations": "\"*\" for any organization",
        "consumers": "\(personalAccounts), the tenant of personal accounts",
    ]

    /// Returns whether the text is a GUID as in tokens: lower-case digits in groups of 8, 4, 4, 4 and 12.
    package static func isValid(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { group in
                group.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                    default: false
                    }
                }
            }
    }
}

/// An issuer with `{tenantid}` in place of a tenant's id.
package struct IssuerTemplate {
    package static let placeholder = "{tenantid}"

    private let before: Substring
    private let after: Substring

    /// `nil` unless the placeholder occurs exactly once.
    init?(_ text: String) {
        let ranges = text.ranges(of: Self.placeholder)
        guard ranges.count == 1 else { return nil }
        before = text[..<ranges[0].lowerBound]
        after = text[ranges[0].upperBound...]
    }

    /// Returns whether the template matches that issuer.
    func covers(_ issuer: String) -> Bool {
        guard issuer.hasPrefix(before), issuer.hasSuffix(after) else { return false }
        return TenantID.isValid(String(issuer.dropFirst(before.count).dropLast(after.count)))
    }
}
