import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

/// Checks of the tokens of every provider.
@Suite struct ProviderTokenTests {
    @Test(arguments: ProviderSample.allCases)
    func `a valid token names its user`(sample: ProviderSample) throws {
        let principal = try #require(try ProviderRig([sample]).principal(sample.signed()))
        #expect(principal.uid == sample.uid)
        #expect(principal.kind == .idToken)
        #expect(principal.signInProvider == sample.id)
        #expect(principal.expiresAt.seconds == ManualClock.start + 3500)
        #expect(!principal.facts.isFirebase)
        #expect(!principal.hasSecondFactor)
    }

    @Test(arguments: ProviderSample.allCases)
    func `the claims have the form of Firebase`(sample: ProviderSample) throws {
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
    func `without auth_time there is no session, and the issue time is used`(sample: ProviderSample) throws {
        let facts = try #require(try ProviderRig([sample]).principal(sample.signed())).facts
        #expect(!facts.hasSession)
        #expect(facts.authTime == .unknown)
        // Microsoft writes an `iat` 300 seconds before the issue of a token, which is not later than the current time.
        let issuedAt = sample == .microsoft ? ManualClock.start : ManualClock.start - 100
        #expect(facts.validityTime.known?.seconds == issuedAt)
    }

    @Test(arguments: ProviderSample.allCases)
    func `with auth_time the session has the name of the provider`(sample: ProviderSample) throws {
        let time = ManualClock.start - 50
        let principal = try #require(
            try ProviderRig([sample]).principal(sample.signed { $0.with("auth_time", "\(time)") }))
        #expect(principal.authTime?.seconds == time)
        #expect(principal.session == "\(sample.id):\(time)")
    }

    @Test(arguments: ProviderSample.allCases, ProviderFlaw.all)
    func `each flaw has its own reason`(sample: ProviderSample, flaw: TokenFlaw) throws {
        #expect(try ProviderRig([sample]).refusal(sample.signed(flaw.change)) == flaw.failure)
    }

    @Test(arguments: ProviderSample.allCases)
    func `E-09: a token without a usable subject is rejected`(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample])
        let tooLong = String(repeating: "a", count: 256)
        for value in [nil, "null", "7", "[]", "\"\"", "\"a\\u0000\"", "\"a\\u007f\"", "\"\(tooLong)\""] {
            let token = sample.signed { $0.with(sample.subjectClaim, value) }
            #expect(rig.reason(token) == sample.subjectFailure, "\(value ?? "missing")")
        }
    }

    @Test(arguments: ProviderSample.allCases)
    func `F-24: an issuer with a slash at the end has its own reason`(sample: ProviderSample) throws {
        let token = sample.signed { $0.with("iss", "\"\(sample.issuer)/\"") }
        #expect(try ProviderRig([sample]).reason(token) == .issuerSlash)
    }

    @Test(arguments: ProviderSample.allCases, ["HTTPS", "prefix", "suffix", "case"])
    func `E-04: an issuer that resembles the right one is rejected`(sample: ProviderSample, change: String) throws {
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

    @Test(arguments: ProviderSample.allCases)
    func `a bad signature is reported before an expired token`(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample])
        let forged = sample == .yahoo ? TokenDraft.makeKey("key-1", .es256) : TokenDraft.forgedKey
        #expect(rig.reason(sample.draft.signed(by: forged)) == .signature)
        #expect(rig.reason(sample.draft.with("exp", "1").signed(by: forged)) == .signature)
        #expect(rig.authenticator.cache.count == 0)
    }

    @Test(arguments: ProviderSample.allCases)
    func `aud is one string except for OpenID Connect providers`(sample: ProviderSample) throws {
        let reason = try ProviderRig([sample]).reason(sample.signed { $0.with("aud", "[\"client-1\"]") })
        #expect(reason == (sample == .oidc ? nil : .audience))
    }

    @Test(arguments: ProviderSample.allCases)
    func `E-20: azp may name an audience or an authorized party`(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample.provider { $0.authorizedParties = ["ios-app"] }])
        for party in ["client-1", "ios-app"] {
            #expect(rig.principal(sample.signed { $0.with("azp", "\"\(party)\"") }) != nil)
        }
        #expect(rig.reason(sample.signed { $0.with("azp", "\"web-app\"") }) == .authorizedParty)
        #expect(rig.reason(sample.signed { $0.with("aud", "\"ios-app\"") }) == .audience)
    }

    @Test(arguments: ProviderSample.allCases)
    func `configured algorithms replace those of the provider`(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample.provider { $0.algorithms = [.es384] }])
        #expect(rig.reason(sample.signed()) == .providerAlgorithm)
    }

    @Test(arguments: ProviderSample.allCases)
    func `times within the skew are accepted`(sample: ProviderSample) throws {
        let soon = "\(ManualClock.start + 5)"
        let token = sample.signed { $0.with("iat", soon).with("nbf", soon).with("auth_time", soon) }
        #expect(try ProviderRig([sample]).principal(token) != nil)
    }

    @Test(arguments: ProviderSample.allCases)
    func `the configuration defines the second factor`(sample: ProviderSample) throws {
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

    @Test(arguments: ProviderSample.allCases)
    func `a token is accepted in the header only`(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample], firebase: .init(project: TokenDraft.project))
        let token = sample.signed()
        #expect(rig.principal(token) != nil)
        #expect(rig.refusal(token, .sessionCookie)?.code == .invalidSessionCookie)
    }

    @Test(arguments: ProviderSample.allCases)
    func `E-13: only strings of Apple and LinkedIn become Booleans`(sample: ProviderSample) throws {
        let rig = try ProviderRig([sample])
        let isText = sample == .apple || sample == .linkedin
        for text in ["true", "false"] {
            let claims = rig.principal(sample.signed { $0.with("email_verified", "\"\(text)\"") })?.claims.root
            #expect(claims?["email_verified"]?.bool == (isText ? text == "true" : nil))
            #expect(claims?["email_verified"]?.string == (isText ? nil : text))
        }
        for value in ["1", "\"True\"", "\"1\"", "null", "[\"true\"]"] {
            let claims = rig.principal(sample.signed { $0.with("email_verified", value) })?.claims.root
            #expect(claims?["email_verified"]?.compact == Array(value.utf8))
        }
        #expect(rig.principal(sample.signed())?.claims.root["email_verified"] == nil)
    }
}
