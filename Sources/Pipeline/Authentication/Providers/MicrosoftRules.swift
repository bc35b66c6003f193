import GatewayConfiguration
import JOSE

/// Microsoft's ID tokens of version 2.0, of tenants and of personal accounts.
///
/// An application may accept many tenants. Each tenant is an issuer, and all share one key set. A token must therefore
/// name an accepted tenant, its issuer must be that tenant's, and its key must be valid for that issuer.
struct MicrosoftRules: ProviderRules {
    /// The prefix of the issuers of version 1.0.
    private static let oldIssuers = "https://sts.windows.net/"
    /// Claims that occur in access tokens but not in ID tokens.
    private static let accessClaims = ["scp", "scope", "azpacr", "appid", "appidacr", "idtyp"]

    /// The issuer, with a placeholder for the tenant.
    let template: String
    private let prefix, suffix: String
    let claimRules: [ClaimRule]
    /// Empty, because each issuer contains its tenant.
    let issuers: [String] = []
    var subjectClaim: String { "oid" }
    var expectedIssuer: String { template }
    /// Microsoft sets `iat` and `nbf` to 300 seconds before the token is issued.
    var issuedAtOffset: Int64 { 300 }

    /// Creates the rules. `tenants` are the IDs of the accepted tenants in lower case. If empty, all are accepted
    /// except that of personal accounts.
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

    /// Rejects access tokens. Their audience is often shared by all applications, so that it does not prove that they
    /// were issued for the gateway.
    func kindFailure(_ claims: JSONValue) -> VerificationFailure.Reason? {
        if Self.accessClaims.contains(where: { claims[$0] != nil }) { return .microsoftAccessToken }
        let isOld = claims["iss"]?.string?.utf8.starts(with: Self.oldIssuers.utf8) ?? false
        return isOld ? .microsoftAccessToken : nil
    }

    func judges(issuer: String) -> Bool {
        if issuer.utf8.starts(with: Self.oldIssuers.utf8) { return true }
        return issuer.utf8.starts(with: prefix.utf8)
    }

    func issuerFailure(_ claims: JSONValue) -> VerificationFailure.Reason? {
        guard let tenant = claims["tid"]?.string, TenantID.isValid(tenant) else { return .tenantID }
        guard let issuer = claims["iss"]?.string else { return .issuer }
        let expected = self.issuer(of: tenant)
        if issuer.utf8.elementsEqual(expected.utf8) { return nil }
        return IssuerText.differsBySlash(issuer, expected) ? .issuerSlash : .issuer
    }

    /// Checks the key's issuer. A key with the template as issuer may sign for any tenant. Any other key may sign for
    /// its own issuer only. A key without an issuer is rejected.
    func keyFailure(_ key: PublicKey, _ claims: JSONValue) -> VerificationFailure.Reason? {
        guard let issuer = key.issuer else { return .keyIssuer }
        let isRight = issuer.utf8.elementsEqual(template.utf8) || claims["iss"]?.equals(issuer) == true
        return isRight ? nil : .keyIssuer
    }

    func subjectFailure(_ claims: JSONValue) -> VerificationFailure.Reason? {
        TenantID.isValid(claims["oid"]?.string ?? "") ? nil : .objectID
    }

    /// Returns tenant and `oid`, which together identify the user. `sub` differs between applications.
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
