import Authentication
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

@Suite(.timeLimit(.minutes(5))) struct ExportTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test func `an export has the data of the account, without unlinked identities`() async throws {
        let caller = try await rig.session()
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "ok")
        #expect(await rig.code(.unlink, ["provider": "github.com"], by: caller) == "ok")
        #expect(await rig.code(.reauthenticate, try await rig.proof(.google, .ada), by: caller) == "ok")
        let answer = await rig.call(.exportAccount, by: caller)
        let text = answer.text
        let google = DevelopmentUser.ada.subject(at: "google.com")
        #expect(
            text == #"{"uid":"\#(caller.uid)","created_at":\#(rig.now),"email":"ada@example.com","#
                + #""email_verified":true,"email_from":"google.com","name":"Ada Lovelace","picture":null,"#
                + #""valid_since":null,"disabled":false,"#
                + #""identities":[{"provider":"google.com","subject":"\#(google)","#
                + #""valid_since":null,"disabled":false}],"#
                + #""session":{"signed_in_at":\#(rig.now),"authenticated":false},"#
                + #""sessions":[{"id":"\#(answer.json?["sessions"]?.elements.first { _ in true }?["id"]?.string ?? "")","#
                + #""started_at":\#(rig.now),"last_used_at":\#(rig.now),"ends_at":\#(rig.now + 432_000),"#
                + #""provider":"google.com","proof":"confirmed","user_agent":null,"current":true}]}"#)
        #expect(answer.cookie == nil)
    }

    @Test func `I-01: an export needs a recent sign-in, also at an account of another system`() async throws {
        let caller = try await rig.session()
        let firebase = try rig.caller(firebase: .idToken(for: .grace, now: rig.now))
        #expect(await rig.call(.exportAccount, by: firebase).string("uid") == firebase.uid)
        rig.time.advance(seconds: 301)
        #expect(await rig.code(.exportAccount, by: caller) == "auth/requires-recent-login")
        #expect(await rig.code(.exportAccount) == "auth/missing-credential")
        let stranger = try #require(Principal(try ProviderIdentity.made(authTime: rig.now), hasher: try .required()))
        #expect(await rig.code(.exportAccount, by: stranger) == "auth/operation-not-allowed")
    }

    @Test func `O-26: a deleted account has no export`() async throws {
        let caller = try await rig.session()
        #expect(await rig.code(.deleteAccount, by: caller) == "ok")
        #expect(await rig.code(.exportAccount, by: caller) == "auth/session-cookie-revoked")
    }
}
