import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct MicrosoftRulesTests {
    typealias Reason = VerificationFailure.Reason

    private static let sample = ProviderSample.microsoft
    private static let foreign = "11111111-2222-4333-8444-555555555555"
    private static let personal = TenantID.personalAccounts

    private func rig(
        tenants: [String] = [ProviderSample.tenant], keyIssuer: String? = ProviderSample.template
    ) throws -> ProviderRig {
        let keys = [TokenDraft.key]
        let set = keyIssuer.map { TokenDraft.keySet(keys, issuer: $0) } ?? TokenDraft.keySet(keys)
        let source = KeySetSource(Self.sample.keys)
        return try ProviderRig([Self.sample.provider { $0.tenants = tenants }], keys: [source: set])
    }

    /// A token of a tenant, including the issuer.
    private func token(_ tenant: String, _ change: (TokenDraft) -> TokenDraft = { $0 }) -> String {
        Self.sample.signed {
            change($0.with("tid", "\"\(tenant)\"").with("iss", "\"\(ProviderSample.issuer(of: tenant))\""))
        }
    }

    @Test func `a configured tenant is accepted`() throws {
        let rig = try rig(tenants: [Self.foreign, ProviderSample.tenant])
        #expect(rig.principal(token(ProviderSample.tenant)) != nil)
        #expect(rig.principal(token(Self.foreign))?.uid == "microsoft.com:\(Self.foreign):\(ProviderSample.object)")
    }

    @Test func `E-05: a foreign tenant is rejected`() throws {
        #expect(
            try rig().refusal(token(Self.foreign)) == VerificationFailure(code: .invalidIDToken, reason: .foreignTenant)
        )
    }

    @Test func `E-05: the issuer must belong to the tenant`() throws {
        let wrongIssuer = Self.sample.signed { $0.with("iss", "\"\(ProviderSample.issuer(of: Self.foreign))\"") }
        let wrongTenant = Self.sample.signed { $0.with("tid", "\"\(Self.foreign)\"") }
        let rig = try rig(tenants: [ProviderSample.tenant, Self.foreign])
        #expect(rig.reason(wrongIssuer) == .issuer)
        #expect(rig.reason(wrongTenant) == .issuer)
    }

    @Test func `an empty list allows every tenant except that of personal accounts`() throws {
        let rig = try rig(tenants: [])
        #expect(rig.principal(token(Self.foreign)) != nil)
        #expect(rig.reason(token(Self.personal)) == .foreignTenant)
    }

    @Test(arguments: [
        "common", "organizations", "consumers", "", "contoso.onmicrosoft.com", "..", "%2e%2e",
        "72F988BF-86F1-41AF-91AB-2D7CD011DB47", "{72f988bf-86f1-41af-91ab-2d7cd011db47}",
        "72f988bf86f141af91ab2d7cd011db47", "72f988bf-86f1-41af-91ab-2d7cd011db4g",
        "72f988bf-86f1-41af-91ab-2d7cd011db47 ", "72f988bf-86f1-41af-91ab+2d7cd011db47",
    ])
    func `F-14: text that is not a GUID is not a tenant`(tenant: String) throws {
        #expect(try rig(tenants: [tenant]).reason(token(tenant)) == .tenantID)
        #expect(try rig(tenants: []).reason(token(tenant)) == .tenantID)
    }

    private static let listedTenant = "[\"72f988bf-86f1-41af-91ab-2d7cd011db47\"]"
    private static let objects = [
        "\"8EAEF023-2B34-4DA1-9BAA-8BC8C9D6A490\"", "\"user-1\"", "\"8eaef023-2b34-4da1-9baa-8bc8c9d6a49\"",
    ]
    static let flaws =
        ([
            TokenFlaw.claim("tid", [nil, "null", "7", listedTenant], .tenantID),
            TokenFlaw.claim("ver", [nil, "\"1.0\"", "\"2\"", "2.0", "null"], .version),
            TokenFlaw.claim("oid", objects, .objectID),
        ] as [[TokenFlaw]]).flatMap { $0 }

    @Test(arguments: flaws) func `tenant, version and object have their form`(flaw: TokenFlaw) throws {
        #expect(try rig().refusal(Self.sample.signed(flaw.change)) == flaw.failure)
    }

    @Test(arguments: ["scp", "scope", "azpacr", "appid", "appidacr", "idtyp"])
    func `an access token is rejected with its own reason`(claim: String) throws {
        let refusal = try rig().refusal(Self.sample.signed { $0.with(claim, "\"User.Read\"") })
        #expect(refusal == VerificationFailure(code: .invalidIDToken, reason: .microsoftAccessToken))
        #expect(refusal?.reason.rawValue.contains("does not prove for which client it was issued") == true)
    }

    @Test func `a token of version one is rejected for the same reason`() throws {
        let token = Self.sample.signed {
            $0.with("iss", "\"https://sts.windows.net/\(ProviderSample.tenant)/\"").with("ver", "\"1.0\"")
        }
        #expect(try rig().reason(token) == .microsoftAccessToken)
        let besideFirebase = try ProviderRig([Self.sample], firebase: .init(project: TokenDraft.project))
        #expect(besideFirebase.reason(token) == .microsoftAccessToken)
    }

    @Test func `sub does not name the user`() throws {
        let rig = try rig()
        let uid = rig.principal(Self.sample.signed())?.uid
        #expect(rig.principal(Self.sample.signed { $0.with("sub", "\"another\"") })?.uid == uid)
        #expect(rig.principal(Self.sample.signed { $0.with("sub", nil) })?.uid == uid)
    }

    @Test func `a key of one issuer signs only for that issuer`() throws {
        let own = try rig(
            tenants: [ProviderSample.tenant, Self.foreign], keyIssuer: ProviderSample.issuer(of: ProviderSample.tenant))
        #expect(own.principal(token(ProviderSample.tenant)) != nil)
        #expect(own.reason(token(Self.foreign)) == .keyIssuer)
    }

    @Test(arguments: [nil, "https://login.microsoftonline.com/common/v2.0", ProviderSample.issuer(of: personal), ""])
    func `a key without an issuer or of another one signs for no tenant`(issuer: String?) throws {
        #expect(try rig(keyIssuer: issuer).reason(token(ProviderSample.tenant)) == .keyIssuer)
    }

    @Test func `a key without an issuer signs for no tenant if other keys have one`() throws {
        let named = TokenDraft.makeKey("named", .rs256)
        let jwk = named.jwk.dropLast() + ",\"issuer\":\"\(ProviderSample.template)\"}"
        let keys = try KeySet(jwkSet: Array("{\"keys\":[\(TokenDraft.key.jwk),\(jwk)]}".utf8))
        let rig = try ProviderRig(
            [Self.sample.provider { $0.tenants = [ProviderSample.tenant] }],
            keys: [KeySetSource(Self.sample.keys): keys])
        #expect(rig.reason(token(ProviderSample.tenant)) == .keyIssuer)
        let draft = token(ProviderSample.tenant) { $0.withHeader("kid", "\"named\"") }
        #expect(rig.reason(draft) == .signature)
    }

    @Test func `personal accounts are accepted if their tenant is configured`() throws {
        let rig = try rig(tenants: [Self.personal], keyIssuer: ProviderSample.issuer(of: Self.personal))
        let object = "00000000-0000-0000-4b2e-abcdefabcdef"
        let principal = try #require(rig.principal(token(Self.personal) { $0.with("oid", "\"\(object)\"") }))
        #expect(principal.uid == "microsoft.com:\(Self.personal):\(object)")
        let identities = principal.claims.root["firebase"]?["identities"]?["microsoft.com"]
        #expect(identities?.compact == Array(#"["4b2eabcdefabcdef"]"#.utf8))
    }

    @Test func `the object of a tenant is not shortened`() throws {
        let object = "00000000-0000-0000-4b2e-abcdefabcdef"
        let principal = try rig().principal(token(ProviderSample.tenant) { $0.with("oid", "\"\(object)\"") })
        let identities = principal?.claims.root["firebase"]?["identities"]?["microsoft.com"]
        #expect(identities?.compact == Array(#"["\#(object)"]"#.utf8))
    }
}

@Suite struct MicrosoftFederatedIDTests {
    @Test func `the example of Microsoft's manual is converted`() {
        let (id, object) = ("4b2eabcdefghijkl", "00000000-0000-0000-4b2e-abcdefghijkl")
        #expect(MicrosoftFederatedID.of(object: object) == id)
        #expect(MicrosoftFederatedID.object(of: id) == object)
    }

    @Test(
        arguments: [0, 1, 0xFFFF, 0x1_0000_0000, UInt64.max] + (0..<50).map { _ in UInt64.random(in: 0...UInt64.max) })
    func `the conversions are inverse`(number: UInt64) {
        let short = String(number, radix: 16)
        let id = String(repeating: "0", count: 16 - short.count) + short
        let object = MicrosoftFederatedID.object(of: id)
        #expect(object.map(TenantID.isValid) == true)
        #expect(object.flatMap(MicrosoftFederatedID.of(object:)) == id)
        #expect(MicrosoftFederatedID.object(of: short) == object)
    }

    @Test(arguments: [
        "8eaef023-2b34-4da1-9baa-8bc8c9d6a490", "", "00000000-0000-0000-4b2eabcdefabcdef0", "00000000-0000-0000-",
        "00000000-0000-0000-4b2e-ABCDEFABCDEF", "00000000-0000-0000-4b2-eabcdefabcdef",
        "00000000-0000-0001-4b2e-abcdefabcdef", "00000000-0000-0000-4b2e-abcdef--cdef",
    ])
    func `another object has no short id`(object: String) {
        #expect(MicrosoftFederatedID.of(object: object) == nil)
    }

    @Test(arguments: ["", "4b2eabcdefabcdef0", "4B2E", "4b2e-", "4b2\u{e9}", " 1"])
    func `text that is not a short id has no object`(id: String) {
        #expect(MicrosoftFederatedID.object(of: id) == nil)
    }
}
