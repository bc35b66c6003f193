import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

/// What holds for the tokens of every provider.
@Suite struct ProviderTokenTests {
    @Test(arguments: ProviderSample.allCases)
    func aGoodTokenNamesItsUser(sample: ProviderSample) throws {
        let principal = try #require(try ProviderRig([sample]).principal(sample.signed()))
        #expect(principal.uid == sample.uid)
        #expect(principal.kind == .idToken)
        #expect(principal.signInProvider == sample.id)
        #expect(principal.expiresAt.seconds == ManualClock.start + 3500)
        #expect(!principal.standing.isFirebase)
        #expect(!principal.hasSecondFactor)
    }

    @Test(arguments: ProviderSample.allCases)
    func theClaimsAreToldAsFirebaseTellsThem(sample: ProviderSample) throws {
        let token = sample.signed { $0.with("firebase", #"{"tenant":"t1"}"#).with("user_id", "\"admin\"") }
        let claims = try #require(try ProviderRig([sample]).principal(token)).claims.root
        let subject = sample == .microsoft ? ProviderSample.object : "user-1"
        #expect(claims["sub"]?.string == sample.uid)
        #expect(claims["user_id"]?.string == sample.uid)
        #expect(
            claims["firebase"]?.compact
                == Array(
                    #"{"identities":{"\#(sample.id)":["\#(subject)"],"email":["a@example.com"]},"sign_in_provider":"\#(sample.id)"}"#
                        .utf8))
    }

    @Test(arguments: ProviderSample.allCases)
    func withoutAuthTimeThereIsNoSessionAndIssuingCounts(sample: ProviderSample) throws {
        let standing = try #require(try ProviderRig([sample]).principal(sample.signed())).standing
        #expect(!standing.hasSession)
        #expect(standing.authTime == .unknown)
        // Microsoft writes `iat` 300 seconds before it issues a token, which cannot be later than now.
        let issuedAt = sample == .microsoft ? ManualClock.start : ManualClock.start - 100
        #expect(standing.validityTime.known?.seconds == issuedAt)
    }

    @Test(arguments: ProviderSample.allCases)
    func withAuthTimeTheSessionHasTheProvidersName(sample: ProviderSample) throws {
        let time = ManualClock.start - 50
        let principal = try #require(
            try ProviderRig([sample]).principal(sample.signed { $0.with("auth_time", "\(time)") }))
        #expect(principal.authTime?.seconds == time)
        #expect(principal.session == "\(sample.id):\(time)")
    }

    @Test("each flaw has its own reason", arguments: ProviderSample.allCases, ProviderFlaw.all)
    func flaws(sample: ProviderSample, flaw: ProviderFlaw) throws {
        let refusal = try ProviderRig([sample]).refusal(sample.signed(flaw.change))
        #expect(refusal == VerificationFailure(code: flaw.code, reason: flaw.reason))
    }

    @Test("E-09: a token without a usable subject", arguments: ProviderSample.allCases)
    func e09Subjects(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample])
        let tooLong = String(repeating: "a", count: 256)
        for value in [nil, "null", "7", "[]", "\"\"", "\"a\\u0000\"", "\"a\\u007f\"", "\"\(tooLong)\""] {
            let token = sample.signed { $0.with(sample.subjectClaim, value) }
            #expect(rig.reason(token) == sample.subjectFlaw, "\(value ?? "missing")")
        }
    }

    @Test("F-24: an issuer with a slash more is refused, in words that help", arguments: ProviderSample.allCases)
    func f24Slashes(sample: ProviderSample) throws {
        let token = sample.signed { $0.with("iss", "\"\(sample.issuer)/\"") }
        #expect(try ProviderRig([sample]).reason(token) == .issuerSlash)
    }

    @Test(
        "E-04: an issuer that is nearly the right one",
        arguments: ProviderSample.allCases, ["HTTPS", "prefix", "suffix", "case"])
    func e04NearIssuers(sample: ProviderSample, change: String) throws {
        let issuer =
            switch change {
            case "HTTPS": "HTTPS" + sample.issuer.dropFirst(5)
            case "prefix": "x" + sample.issuer
            case "suffix": sample.issuer + ".evil.example"
            default: sample.issuer.uppercased()
            }
        let reason = try ProviderRig([sample]).reason(sample.signed { $0.with("iss", "\"\(issuer)\"") })
        #expect(reason == .issuer)
    }

    @Test("a signature that does not fit is told before an expiry", arguments: ProviderSample.allCases)
    func forgeries(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample])
        let forged = sample == .yahoo ? TokenDraft.makeKey("key-1", .es256) : TokenDraft.forgedKey
        #expect(rig.reason(sample.draft.signed(by: forged)) == .signature)
        #expect(rig.reason(sample.draft.with("exp", "1").signed(by: forged)) == .signature)
        #expect(rig.authenticator.cache.count == 0)
    }

    @Test("aud is one string but for OpenID Connect's own", arguments: ProviderSample.allCases)
    func audienceLists(sample: ProviderSample) throws {
        let reason = try ProviderRig([sample]).reason(sample.signed { $0.with("aud", "[\"client-1\"]") })
        #expect(reason == (sample == .oidc ? nil : .audience))
    }

    @Test("E-20: azp may name an audience or an authorized party", arguments: ProviderSample.allCases)
    func authorizedParties(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample.provider { $0.authorizedParties = ["ios-app"] }])
        for party in ["client-1", "ios-app"] {
            #expect(rig.principal(sample.signed { $0.with("azp", "\"\(party)\"") }) != nil)
        }
        #expect(rig.reason(sample.signed { $0.with("azp", "\"web-app\"") }) == .authorizedParty)
        #expect(rig.reason(sample.signed { $0.with("aud", "\"ios-app\"") }) == .audience)
    }

    @Test("the configuration's algorithms take the place of the provider's", arguments: ProviderSample.allCases)
    func configuredAlgorithms(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample.provider { $0.algorithms = [.es384] }])
        #expect(rig.reason(sample.signed()) == .providerAlgorithm)
    }

    @Test("times within the skew pass; exp is not prolonged by it", arguments: ProviderSample.allCases)
    func skew(sample: ProviderSample) throws {
        let soon = "\(ManualClock.start + 5)"
        let token = sample.signed { $0.with("iat", soon).with("nbf", soon).with("auth_time", soon) }
        #expect(try ProviderRig([sample]).principal(token) != nil)
    }

    @Test("a second factor is what the configuration says", arguments: ProviderSample.allCases)
    func secondFactors(sample: ProviderSample) throws {
        let rig = try ProviderRig([
            sample.provider {
                $0.secondFactor.amr = ["mfa", "otp"]
                $0.secondFactor.acr = ["urn:two"]
                $0.secondFactor.acrs = ["c1", "c2"]
            }
        ])
        func used(_ claim: String, _ value: String) -> Bool? {
            rig.principal(sample.signed { $0.with(claim, value) })?.hasSecondFactor
        }
        #expect(used("amr", #"["pwd","otp"]"#) == true)
        #expect(used("acr", #""urn:two""#) == true)
        for amr in [#"["pwd"]"#, #""mfa""#, "[]", "null", #"[["mfa"]]"#, #"["MFA"]"#, "true"] {
            #expect(used("amr", amr) == false, "\(amr)")
        }
        #expect(used("acrs", #"["p1","c2"]"#) == true)
        for acrs in [#"["c3"]"#, #""c1""#, "[]", "null", #"[["c1"]]"#, #"["C1"]"#, #"["urn:two"]"#] {
            #expect(used("acrs", acrs) == false, "\(acrs)")
        }
        for acr in [#""urn:one""#, #"["urn:two"]"#, "1"] { #expect(used("acr", acr) == false, "\(acr)") }
    }

    @Test("a token counts in the header only", arguments: ProviderSample.allCases)
    func cookies(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample], firebase: .init(project: TokenDraft.project))
        let token = sample.signed()
        #expect(rig.principal(token) != nil)
        #expect(rig.refusal(token, .sessionCookie)?.code == .invalidSessionCookie)
    }

    @Test("E-13: only Apple's and LinkedIn's texts become Booleans", arguments: ProviderSample.allCases)
    func e13Booleans(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample])
        let isTold = sample == .apple || sample == .linkedin
        for text in ["true", "false"] {
            let claims = rig.principal(sample.signed { $0.with("email_verified", "\"\(text)\"") })?.claims.root
            #expect(claims?["email_verified"]?.bool == (isTold ? text == "true" : nil))
            #expect(claims?["email_verified"]?.string == (isTold ? nil : text))
        }
        for value in ["1", "\"True\"", "\"1\"", "null", "[\"true\"]"] {
            let claims = rig.principal(sample.signed { $0.with("email_verified", value) })?.claims.root
            #expect(claims?["email_verified"]?.compact == Array(value.utf8))
        }
        #expect(rig.principal(sample.signed())?.claims.root["email_verified"] == nil)
    }
}
