import GatewayConfiguration
import JOSE

/// Microsoft's ID tokens of version 2.0, of tenants and of personal accounts.
///
/// One application may be open to many tenants, each an issuer of its own, all with the same keys. So a token must name a tenant that counts, its
/// issuer must be that tenant's, and its key must be for that issuer.
struct MicrosoftRules: ProviderRules {
    /// What the issuers of version 1.0 begin with.
    private static let oldIssuers = "https://sts.windows.net/"
    /// Claims that access tokens have and ID tokens do not.
    private static let accessClaims = ["scp", "scope", "azpacr", "appid", "appidacr", "idtyp"]

    /// The issuer with a placeholder for the tenant.
    let template: String
    private let prefix, suffix: String
    let claimRules: [ClaimRule]
    /// Every issuer has its tenant in it.
    let issuers: [String] = []
    var subjectClaim: String { "oid" }
    var expectedIssuer: String { template }
    /// Microsoft writes `iat` and `nbf` 300 seconds before the token is issued.
    var issuedAtOffset: Int64 { 300 }

    /// - Parameter tenants: their ids in lower case; empty: any but the one of personal accounts.
    init(template: String, tenants: [String]) {
        self.template = template
        let parts = template.split(
            separator: IssuerTemplate.placeholder, maxSplits: 1, omittingEmptySubsequences: false)
        prefix = String(parts[0])
        suffix = parts.count == 2 ? String(parts[1]) : ""
        claimRules = [
            ClaimRule(claim: "ver", expected: "2.0") { $0["ver"]?.equals("2.0") == true ? nil : .version },
            ClaimRule(claim: "tid", expected: Self.expected(tenants)) { Self.tenantFlaw($0, tenants) },
        ]
    }

    /// Access tokens are often for an audience that everybody's are for; nothing in them proves that they were issued for us.
    func kindFlaw(_ claims: JSONValue) -> VerificationFailure.Reason? {
        if Self.accessClaims.contains(where: { claims[$0] != nil }) { return .microsoftAccessToken }
        let isOld = claims["iss"]?.string?.utf8.starts(with: Self.oldIssuers.utf8) ?? false
        return isOld ? .microsoftAccessToken : nil
    }

    func judges(issuer: String) -> Bool {
        if issuer.utf8.starts(with: Self.oldIssuers.utf8) { return true }
        return issuer.utf8.starts(with: prefix.utf8)
    }

    func issuerFlaw(_ claims: JSONValue) -> VerificationFailure.Reason? {
        guard let tenant = claims["tid"]?.string, TenantID.isValid(tenant) else { return .tenantID }
        guard let issuer = claims["iss"]?.string else { return .issuer }
        let expected = self.issuer(of: tenant)
        if issuer.utf8.elementsEqual(expected.utf8) { return nil }
        return IssuerText.differsBySlash(issuer, expected) ? .issuerSlash : .issuer
    }

    /// A key with the template may sign for any tenant, another one for its own issuer only. One without an issuer proves nothing.
    func keyFlaw(_ key: PublicKey, _ claims: JSONValue) -> VerificationFailure.Reason? {
        guard let issuer = key.issuer else { return .keyIssuer }
        let isRight = issuer.utf8.elementsEqual(template.utf8) || claims["iss"]?.equals(issuer) == true
        return isRight ? nil : .keyIssuer
    }

    func subjectFlaw(_ claims: JSONValue) -> VerificationFailure.Reason? {
        TenantID.isValid(claims["oid"]?.string ?? "") ? nil : .objectID
    }

    /// `sub` differs from application to application; `oid` names the user in the tenant.
    func subject(of claims: JSONValue) -> String {
        "\(claims["tid"]?.string ?? ""):\(claims["oid"]?.string ?? "")"
    }

    func federatedID(of claims: JSONValue) -> String {
        let object = claims["oid"]?.string ?? ""
        guard claims["tid"]?.equals(TenantID.personalAccounts) == true else { return object }
        return MicrosoftFederatedID.of(object: object) ?? object
    }

    private func issuer(of tenant: String) -> String { prefix + tenant + suffix }

    private static func tenantFlaw(_ claims: JSONValue, _ tenants: [String]) -> VerificationFailure.Reason? {
        guard let tenant = claims["tid"], TenantID.isValid(tenant.string ?? "") else { return .tenantID }
        let counts =
            tenants.isEmpty ? !tenant.equals(TenantID.personalAccounts) : tenants.contains { tenant.equals($0) }
        return counts ? nil : .foreignTenant
    }

    private static func expected(_ tenants: [String]) -> String {
        tenants.isEmpty ? "any but that of personal accounts" : tenants.joined(separator: " or ")
    }
}
