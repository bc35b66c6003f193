import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Tokens of several Firebase projects in one gateway.
@Suite struct ProjectVerifierTests {
    private static let other = "other-app"

    private static func firebase(
        _ projects: [String] = [other], tenant: Configuration.TenantPolicy = .none
    ) -> Configuration.Firebase {
        var firebase = Configuration.Firebase(project: TokenDraft.project)
        firebase.tenant = tenant
        firebase.furtherProjects = projects.map { Configuration.FirebaseProject(id: $0) }
        return firebase
    }

    private static func token(of project: String, _ kind: CredentialKind = .idToken) -> TokenDraft {
        let host = kind == .idToken ? "securetoken.google.com" : "session.firebase.google.com"
        let draft = kind == .idToken ? TokenDraft.idToken() : TokenDraft.sessionCookie()
        return draft.with("iss", "\"https://\(host)/\(project)\"").with("aud", "\"\(project)\"")
    }

    private func user(_ token: String, _ rig: ProviderRig, _ kind: CredentialKind = .idToken) throws -> UserKey {
        guard case .verified(let entry) = rig.outcome(token, kind) else {
            throw TestFailure("refused: \(String(describing: rig.refusal(token, kind)))")
        }
        return entry.principal.user
    }

    /// The project in the key of the first project's users, and of the other's.
    private static let names = [(TokenDraft.project, nil), (other, other)] as [(String, String?)]

    @Test(arguments: [CredentialKind.idToken, .sessionCookie])
    func `the verifier is selected by the exact issuer, and users of two projects differ`(
        _ kind: CredentialKind
    ) throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase())
        for (project, name) in Self.names {
            let token = Self.token(of: project, kind).signed()
            for _ in 0..<2 {
                #expect(try user(token, rig, kind) == UserKey(uid: "user-1", tenant: nil, project: name))
            }
        }
        #expect(rig.hits == 2)
        #expect(rig.principal(ProviderSample.apple.signed())?.user.project == nil)
    }

    @Test func `with one project the name is the uid`() throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase([]))
        #expect(try user(TokenDraft.idToken().signed(), rig) == "user-1")
    }

    @Test func `issuer and audience must be of the same project`() throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase())
        let token = Self.token(of: Self.other)
        #expect(rig.reason(token.with("aud", "\"\(TokenDraft.project)\"").signed()) == .audience)
        #expect(rig.reason(TokenDraft.idToken().with("aud", "\"\(Self.other)\"").signed()) == .audience)
        #expect(rig.reason(token.with("aud", "[\"\(Self.other)\"]").signed()) == .audience)
        // An ID token is not a session cookie of any project.
        #expect(rig.refusal(token.signed(), .sessionCookie)?.reason == .issuer)
    }

    @Test func `the log names a project that is not configured, if there are several`() throws {
        let token = Self.token(of: "third-app").signed()
        let failure = try #require(try ProviderRig([.apple], firebase: Self.firebase()).refusal(token))
        #expect(failure.code == .invalidIDToken && failure.reason == .issuer && failure.project == "third-app")
        #expect(
            failure.text
                == "iss is not the expected issuer: a token of the project third-app, which is not configured")
        let single = try #require(try ProviderRig([.apple], firebase: Self.firebase([])).refusal(token))
        #expect(single.text == "iss is not the expected issuer")
    }

    @Test(arguments: ["", "a b", "a\\u000ab", "a/b", "apple.com"])
    func `text that is not a project id is not logged`(_ project: String) throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase())
        let failure = rig.refusal(Self.token(of: project).signed())
        #expect(failure?.reason == .issuer && failure?.project == nil)
    }

    @Test func `each project has its own tenants, which are part of the name`() throws {
        var firebase = Self.firebase(tenant: .only("acme-x1"))
        firebase.furtherProjects[0].tenant = .anyOf(["acme-x1", "globex-y2"])
        let rig = try ProviderRig([.apple], firebase: firebase)
        func token(_ project: String, _ tenant: String?) -> String {
            let member = tenant.map { #"{"tenant":"\#($0)"}"# } ?? "{}"
            return Self.token(of: project).with("firebase", member).signed()
        }
        #expect(try user(token(TokenDraft.project, "acme-x1"), rig) == "user-1")
        for tenant in ["acme-x1", "globex-y2"] {
            #expect(
                try user(token(Self.other, tenant), rig) == UserKey(uid: "user-1", tenant: tenant, project: Self.other))
        }
        for (project, tenant) in [(TokenDraft.project, "globex-y2"), (TokenDraft.project, nil), (Self.other, nil)] {
            #expect(rig.refusal(token(project, tenant))?.code == .tenantMismatch)
        }
    }

    @Test func `with a list of tenants in one project the tenant is part of the name`() throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase([], tenant: .anyOf(["acme-x1"])))
        let token = TokenDraft.idToken().with("firebase", #"{"tenant":"acme-x1"}"#).signed()
        #expect(try user(token, rig) == UserKey(uid: "user-1", tenant: "acme-x1"))
        #expect(rig.refusal(TokenDraft.idToken().signed())?.code == .tenantMismatch)
    }

    @Test func `all projects share the sources of keys`() throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase(["b", "c"]))
        #expect(rig.sources.count == 3)
    }
}
