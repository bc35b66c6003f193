import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

/// The codes of apps: one use, one minute, one verifier and one purpose.
@Suite(.timeLimit(.minutes(5))) struct AppCodeTests {
    private let flow: FlowRig
    private let app = FlowRig.App()

    init() async throws { flow = try await FlowRig.withApps() }

    @Test func `O-30: a code counts once, also with 50 calls at once`() async throws {
        let code = try await flow.code(of: app)
        let answers = await withTaskGroup(of: CallAnswer.self) { group in
            for _ in 0..<50 { group.addTask { await flow.redeem(.signIn, code, app.verifier) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.token != nil } == 1)
        #expect(answers.count { $0.code == "auth/invalid-credential" && $0.token == nil } == 49)
    }

    @Test func `O-03: a callback gives one code`() async throws {
        let begun = try await flow.begin(app)
        _ = try flow.code(in: await flow.finish(begun))
        #expect(await flow.finish(begun).page != nil)
    }

    @Test(arguments: [(59, "ok"), (60, "auth/invalid-credential"), (61, "auth/invalid-credential")])
    func `O-30: a code lasts one minute`(age: Int, result: String) async throws {
        let code = try await flow.code(of: app)
        flow.rig.time.advance(seconds: Double(age))
        #expect(await flow.redeem(.signIn, code, app.verifier).code == result)
    }

    @Test func `O-30: a code is found and used up with its own verifier only`() async throws {
        let code = try await flow.code(of: app)
        for verifier in [FlowRig.App().verifier, app.challenge, app.verifier + "a", String(app.verifier.dropLast())] {
            #expect(await flow.redeem(.signIn, code, verifier).code == "auth/invalid-credential")
        }
        let malformed = [
            "", String(repeating: "a", count: 42), String(repeating: "a", count: 129), app.verifier + " ",
            app.verifier + "\u{e9}", app.verifier + "+", "\(app.verifier)\u{0}",
        ]
        for verifier in malformed {
            #expect(await flow.redeem(.signIn, code, verifier).code == "request/malformed")
        }
        for body in [
            ["code": .string(code)], ["code_verifier": .string(app.verifier)],
            ["code": .null, "code_verifier": .string(app.verifier)],
        ] as [JSONObject] {
            #expect(await flow.rig.call(.signIn, body).code == "request/malformed")
        }
        #expect(await flow.redeem(.signIn, code, app.verifier).code == "ok")
    }

    @Test func `O-01: the code of another user's flow does not sign an app in`() async throws {
        let attackers = try await flow.code(of: FlowRig.App(), as: .dennis)
        _ = try await flow.begin(app)
        let answer = await flow.redeem(.signIn, attackers, app.verifier)
        #expect(answer.code == "auth/invalid-credential" && answer.token == nil)
    }

    @Test(arguments: ["sign-in", "link", "reauthenticate"])
    func `O-30: a code serves its purpose only`(purpose: String) async throws {
        let caller = try await flow.appSession()
        let endpoints: [AccountEndpoint] = [.signIn, .link, .reauthenticate]
        for endpoint in endpoints where "\(endpoint.name)" != purpose {
            let code = try await flow.code(of: app, purpose: purpose)
            #expect(await flow.redeem(endpoint, code, app.verifier, by: caller).code == "auth/invalid-credential")
        }
        let code = try await flow.code(of: app, purpose: purpose)
        for endpoint in endpoints where "\(endpoint.name)" == purpose {
            #expect(await flow.redeem(endpoint, code, app.verifier, by: caller).code == "ok", "\(flow.rig.log.text)")
        }
    }

    @Test(arguments: ["provider", "id_token", "access_token", "nonce", "pending_token", "user"])
    func `a code is presented alone`(member: String) async throws {
        let more: JSONObject = [member: "x"]
        #expect(await flow.redeem(.signIn, RandomText.nonce(), app.verifier, more).code == "request/malformed")
    }

    @Test func `O-08: values of flows, sessions and apps do not stand in for each other`() async throws {
        let open = try await flow.begin(app)
        let code = try await flow.code(of: app)
        for value in [code, app.challenge, app.verifier] {
            let session = await flow.callback("google.com", "state=x", bindings: [], session: value)
            #expect(session.page != nil, "not a session")
            let state = await flow.callback("google.com", "state=\(value)&code=c", bindings: [open.binding])
            #expect(state.page != nil, "not a state")
            #expect(await flow.rig.code(.signIn, ["pending_token": .string(value)]) == "auth/invalid-credential")
            #expect(await flow.result(value, bindings: [open.binding]).code == "request/malformed", "not a result")
        }
        let session = try #require(await flow.finish(try await flow.begin()).token)
        #expect(await flow.redeem(.signIn, session, app.verifier).code == "request/malformed")
        for value in [open.state, open.binding, open.parameters["nonce"] ?? "", app.challenge] {
            #expect(await flow.redeem(.signIn, value, app.verifier).code == "auth/invalid-credential")
        }
        #expect(await flow.redeem(.signIn, code, app.verifier).code == "ok", "the code is not used up")
    }

    @Test func `O-26: codes of before a deletion have no effect after it`() async throws {
        let caller = try await flow.appSession()
        let signIn = try await flow.code(of: app)
        let link = try await flow.code(of: app, "github.com", as: .linus, purpose: "link")
        flow.rig.time.advance(seconds: 1)
        #expect(await flow.rig.code(.deleteAccount, by: caller) == "ok")
        #expect(await flow.redeem(.signIn, signIn, app.verifier).code == "auth/id-token-revoked")
        #expect(await flow.redeem(.link, link, app.verifier, by: caller).code == "auth/session-cookie-revoked")
        #expect(try await flow.rig.store.account(caller.user) == nil)
        for link in [
            IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com")),
            IdentityLink(provider: "github.com", subject: "583231"),
        ] {
            #expect(try await flow.rig.store.owner(of: link) == nil)
        }
    }

    @Test func `O-27: a code of an app or provider that is not configured any more has no effect`() async throws {
        let codes = [try await flow.code(of: app), try await flow.code(of: app)]
        let other = try await FlowRig.withApps(["com.example.other:/callback"], store: flow.rig.store)
        #expect(await other.redeem(.signIn, codes[0], app.verifier).code == "auth/invalid-credential")
        let apps = [try Configuration.AppURL(parsing: FlowRig.App.url)]
        let store = flow.rig.store
        let without = try await AccountsRig(
            settings: {
                $0.publicURL = FlowRig.origin
                $0.apps = apps
            },
            parts: { parts in
                parts.store = store
                parts.flows = CodeFlows(
                    parts.settings, FlowRig.providers.filter { $0.id != "google.com" }, transport: FakeTransport(),
                    clock: parts.clock)
            })
        let body: JSONObject = ["code": .string(codes[1]), "code_verifier": .string(app.verifier)]
        #expect(await without.code(.signIn, body) == "auth/invalid-credential")
        #expect(without.log.text.contains("not configured any more"))
    }
}
