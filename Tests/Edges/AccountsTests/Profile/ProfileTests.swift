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

/// `GET account` and `PATCH account`.
@Suite(.timeLimit(.minutes(5))) struct ProfileTests {
    private static let picture = "https://pictures.example/me.png?size=1"
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test func `a user reads the profile and the sign-in methods`() async throws {
        let caller = try await rig.session()
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "ok")
        rig.time.advance(seconds: 3_600)
        let answer = await rig.call(.account, by: caller)
        let text = answer.text
        #expect(
            text == #"{"uid":"\#(caller.uid)","created_at":\#(rig.now - 3_600),"email":"ada@example.com","#
                + #""email_verified":true,"name":"Ada Lovelace","picture":"https://example.com/ada.png","#
                + #""providers":["github.com","google.com"],"managed_by":"gateway"}"#)
        #expect(answer.cookie == nil, "the session states the profile")
    }

    @Test func `a Firebase user reads the profile of the token and cannot change it here`() async throws {
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        let answer = await rig.call(.account, by: caller)
        #expect(answer.string("managed_by") == "firebase" && answer.string("uid") == caller.uid)
        #expect(answer.string("email") == "ada@example.com" && answer.json?["email_verified"]?.bool == true)
        #expect(await rig.code(.account, ["name": "Bob"], by: caller) == "auth/operation-not-allowed")
        let record = try await rig.store.account(caller.user)
        #expect(record?.name == nil)
    }

    @Test func `a change applies to the calling session with the response, and to others when they read`() async throws
    {
        let caller = try await rig.session()
        let other = try await rig.session()
        let answer = await rig.call(.account, ["name": "  Ada King ", "picture": .string(Self.picture)], by: caller)
        #expect(answer.string("name") == "Ada King" && answer.string("picture") == Self.picture)
        let changed = try rig.caller(answer)
        #expect(changed.session == caller.session, "the session keeps its name")
        #expect(changed.origin?.link == caller.origin?.link && changed.startedAt == caller.startedAt)
        #expect(changed.authTime == caller.authTime && changed.endsAt == caller.endsAt)
        let claims = try #require(answer.claims)
        #expect(claims["name"]?.string == "Ada King" && claims["picture"]?.string == Self.picture)
        #expect(claims["email"]?.string == "ada@example.com" && claims["firebase"] != nil)
        // A session that read the profile has it. One that did not has the earlier one.
        #expect(other.claims.root["name"]?.string == "Ada Lovelace")
        let read = await rig.call(.account, by: other)
        #expect(read.claims?["name"]?.string == "Ada King" && read.claims?["picture"]?.string == Self.picture)
        #expect(await rig.call(.account, by: changed).cookie == nil)
        // So does a session that begins later, and one whose name changes.
        #expect(try await rig.session().claims.root["name"]?.string == "Ada King")
        let proof = try await rig.proof(.google, .ada)
        let rotated = await rig.call(.reauthenticate, proof, by: other)
        #expect(rotated.claims?["name"]?.string == "Ada King")
    }

    @Test func `null removes a part for good, and other parts stay`() async throws {
        let caller = try await rig.session()
        let answer = await rig.call(.account, ["name": nil, "picture": nil], by: caller)
        #expect(answer.json?["name"]?.kind == .null && answer.json?["picture"]?.kind == .null)
        let claims = try #require(answer.claims)
        #expect(claims["name"] == nil && claims["picture"] == nil)
        // The provider's values do not return with the next sign-in.
        let next = try await rig.session()
        #expect(next.claims.root["name"] == nil && next.claims.root["picture"] == nil)
        #expect(await rig.call(.account, ["name": "Bob"], by: next).json?["picture"]?.kind == .null)
    }

    @Test func `an unacceptable profile is refused with the member's name and changes nothing`() async throws {
        let caller = try await rig.session()
        let long = "https://pictures.example/" + String(repeating: "a", count: 1_000)
        let bodies: [JSONObject] = [
            [:], ["display_name": "Bob"], ["name": "Bob", "email": "bob@example.com"], ["name": 1], ["name": ""],
            ["name": "  "], ["name": "\u{200D}"], ["name": "a\u{0}b"], ["name": "a\nb"], ["name": "a\u{202E}b"],
            ["name": "a\u{2066}b"], ["name": "a\u{200F}b"], ["name": "a\u{FEFF}b"], ["name": "a\u{2028}b"],
            ["name": "a\u{E000}b"], ["name": .string(String(repeating: "a", count: 257))], ["picture": true],
            ["picture": ""], ["picture": "http://pictures.example/a"], ["picture": "//pictures.example/a"],
            ["picture": "javascript:alert(1)"], ["picture": "data:image/png;base64,AA"], ["picture": "https://"],
            ["picture": "https://a@pictures.example/"], ["picture": "https://pictures.example/\u{e9}"],
            ["picture": "https://pictures.example/ a"], ["picture": "https://pictures.example/\"onload="],
            ["picture": "https://pictures.example/<b>"], ["picture": .string(long)],
        ]
        for body in bodies {
            let code = await rig.code(.account, body, by: caller)
            #expect(code == "request/malformed", "\(body.text)")
        }
        let account = try #require(try await rig.store.account(caller.user))
        #expect(account.name == "Ada Lovelace" && account.chosen == [])
        // Letters of all scripts, combining marks, and the joiners that some of them need.
        for name in ["\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}", "A\u{308}", "\u{1F468}\u{200D}\u{1F4BB}"] {
            let answer = await rig.call(.account, ["name": .string(name)], by: caller)
            #expect(answer.string("name")?.isExactly(name) == true)
        }
    }

    @Test(arguments: ["\u{3164}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{2800}", "\u{FE0F}", "\u{34F}", "\u{1D159}"])
    func `a name needs a visible character`(blank: String) async throws {
        let caller = try await rig.session()
        for name in [blank, "\(blank) \(blank)", "\u{200D}\(blank)"] {
            let code = await rig.code(.account, ["name": .string(name)], by: caller)
            #expect(code == "request/malformed")
        }
        let answer = await rig.call(.account, ["name": .string("\(blank)B")], by: caller)
        #expect(answer.string("name")?.isExactly("\(blank)B") == true)
    }

    @Test func `I-01: a change needs a recent sign-in, and reading does not`() async throws {
        let caller = try await rig.session()
        rig.time.advance(seconds: 301)
        #expect(await rig.code(.account, ["name": "Bob"], by: caller) == "auth/requires-recent-login")
        #expect(await rig.code(.account, by: caller) == "ok")
        #expect(await rig.code(.account) == "auth/missing-credential")
        #expect(await rig.code(.account, ["name": "Bob"]) == "auth/missing-credential")
        let stranger = try #require(Principal(try ProviderIdentity.made(authTime: rig.now), hasher: try .required()))
        #expect(await rig.code(.account, by: stranger) == "auth/operation-not-allowed")
    }

    @Test func `a revoked session and a deleted account have no profile`() async throws {
        let (first, second) = (try await rig.session(), try await rig.session())
        #expect(await rig.code(.signOut, by: first) == "ok")
        for body in [nil, ["name": "Bob"]] as [JSONObject?] {
            #expect(await rig.code(.account, body, by: first) == "auth/session-cookie-revoked")
        }
        #expect(await rig.code(.deleteAccount, by: second) == "ok")
        for body in [nil, ["name": "Bob"]] as [JSONObject?] {
            #expect(await rig.code(.account, body, by: second) == "auth/session-cookie-revoked")
        }
        #expect(try await rig.store.account(second.user) == nil)
    }

    @Test func `a profile that does not fit into a cookie prevents no sign-in`() async throws {
        let filler = String(repeating: "f", count: 700)
        let body = try await rig.proof(.google, .ada) { $0.setting("filler", to: .string(filler)) }
        let caller = try rig.caller(try await rig.signIn(body))
        let name = String(repeating: "\u{1F600}", count: 256)
        let picture = "https://pictures.example/" + String(repeating: "a", count: 990)
        let change: JSONObject = ["name": .string(name), "picture": .string(picture)]
        let answer = await rig.call(.account, change, by: caller)
        #expect(answer.string("name") == name && answer.cookie == nil)
        let next = try rig.caller(
            try await rig.signIn(try await rig.proof(.google, .ada) { $0.setting("filler", to: .string(filler)) }))
        #expect(next.claims.root["name"]?.string == "Ada Lovelace")
        #expect(await rig.call(.account, by: next).string("name") == name)
        let proof = try await rig.proof(.google, .ada)
        #expect(await rig.code(.reauthenticate, proof, by: next) == "ok")
    }
}
