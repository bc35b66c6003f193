import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct AppleRulesTests {
    private func isPrivate(_ email: String?, _ claim: String? = nil) throws -> JSONValue? {
        let token = ProviderSample.apple.signed {
            $0.with("email", email.map { "\"\($0)\"" }).with("is_private_email", claim)
        }
        return try #require(try ProviderRig([.apple]).principal(token)).claims.root["is_private_email"]
    }

    @Test(
        arguments: [
            ("a@example.com", "\"true\"", "true"), ("a@privaterelay.appleid.com", "\"false\"", "false"),
            ("a@example.com", "true", "true"), ("a@privaterelay.appleid.com", "1", "1"),
            ("a@privaterelay.appleid.com", nil, "true"), ("a@example.com", nil, "false"), (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func `a private address is recognized by its claim, else by its exact domain`(
        email: String?, claim: String?, expected: String?
    ) throws {
        #expect(try isPrivate(email, claim)?.compact == expected.map { Array($0.utf8) })
    }

    @Test(arguments: [
        "a@evil.com@privaterelay.appleid.com", "a@privaterelay.appleid.com@evil.com", "@privaterelay.appleid.com",
        #"\"a@b\"@privaterelay.appleid.com"#, "a@privaterelay.appleid.com.", "a@privaterelay\u{3002}appleid.com",
        "a@x.privaterelay.appleid.com", "a@xprivaterelay.appleid.com", "privaterelay.appleid.com",
        "a@privaterelay.appleid.com ", "a@PRIVATERELAY.appleid.com",
    ])
    func `E-14: an address that resembles a private one is not private`(address: String) throws {
        #expect(try isPrivate(address)?.bool == false)
    }
}

@Suite struct GoogleRulesTests {
    private let hosted = ProviderSample.google.provider { $0.hostedDomain = "corp.example" }

    @Test func `both spellings of the issuer are accepted if both are configured`() throws {
        let issuers = ["https://accounts.google.com", "accounts.google.com"]
        let rig = try ProviderRig([ProviderSample.google.provider { $0.issuers = issuers }])
        for issuer in issuers {
            #expect(rig.principal(ProviderSample.google.signed { $0.with("iss", "\"\(issuer)\"") }) != nil)
        }
    }

    @Test func `the hosted domain is read from its claim`() throws {
        let token = ProviderSample.google.signed { $0.with("hd", "\"corp.example\"") }
        #expect(try ProviderRig([hosted]).principal(token) != nil)
    }

    @Test(arguments: [nil, "null", "\"\"", "\"Corp.example\"", "\"x.corp.example\"", "[\"corp.example\"]", "true"])
    func `E-14: the domain of the address proves no hosted domain`(claim: String?) throws {
        let token = ProviderSample.google.signed { $0.with("email", "\"a@corp.example\"").with("hd", claim) }
        #expect(
            try ProviderRig([hosted]).refusal(token)
                == VerificationFailure(code: .invalidIDToken, reason: .hostedDomain))
    }

    @Test func `without a configured domain any account is accepted`() throws {
        let token = ProviderSample.google.signed { $0.with("hd", "\"other.example\"") }
        #expect(try ProviderRig([.google]).principal(token) != nil)
    }

    @Test func `a uid above the size limit is rejected and not truncated`() throws {
        let rig = try ProviderRig([.google])
        func token(_ size: Int) -> String {
            ProviderSample.google.signed { $0.with("sub", "\"\(String(repeating: "1", count: size))\"") }
        }
        let most = ProviderIdentity.maximumUIDSize - "google.com:".utf8.count
        #expect(rig.principal(token(most))?.uid.utf8.count == 128)
        for size in [most + 1, 255] { #expect(rig.reason(token(size)) == .derivedUserID) }
    }
}
