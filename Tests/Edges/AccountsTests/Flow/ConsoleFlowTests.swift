import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import SecurityRules
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

/// The sign-in of operators to the console: the same checks as for every flow, with separate records.
@Suite(.timeLimit(.minutes(5))) struct ConsoleFlowTests {
    private static let redirectURI = "https://ops.example/gate/console/callback"

    private let flow: FlowRig
    private let console: ConsoleFlow

    init() async throws {
        flow = try await FlowRig()
        console = try #require(ConsoleFlow(flow.rig.parts))
    }

    private func visit(
        _ query: String = "", bindings: [String] = [], provider: String = "google.com",
        redirectURI: String = Self.redirectURI
    ) -> ConsoleFlow.Visit {
        ConsoleFlow.Visit(
            provider: provider, redirectURI: redirectURI, query: Array(query.utf8), bindings: bindings,
            network: .version4(1), requestID: "request-1")
    }

    private func begin(_ provider: String = "google.com") async throws -> FlowRig.Begun {
        let (url, binding) = try await console.start(visit(provider: provider))
        let query = try #require(url.firstIndex(of: "?").map { url[$0...].dropFirst() })
        return FlowRig.Begun(url: url, parameters: FlowRig.parameters(query), binding: binding)
    }

    /// Returns the reason that a response is no sign-in. `nil` if it is one.
    private func failure(_ visit: ConsoleFlow.Visit) async -> ConsoleFlow.Failure? {
        do throws(ConsoleFlow.Failure) {
            _ = try await console.finish(visit) { _ in true }
            return nil
        } catch {
            return error
        }
    }

    /// Signs a user in at Google.
    private func signIn(_ user: DevelopmentUser = .ada) async throws -> ConsoleFlow.SignIn {
        let begun = try await begin()
        flow.prepare(begun, "google.com", user)
        return try await console.finish(visit(begun.response(), bindings: [begun.binding])) { _ in true }
    }

    private func isRevoked(_ signIn: ConsoleFlow.SignIn) -> Bool {
        console.isRevoked(signIn.identity.link, account: signIn.account, since: signIn.time)
    }

    private var tokenCalls: [OutboundRequest] {
        flow.transport.calls.map(\.request).filter { $0.url.hasSuffix("/token") }
    }

    @Test func `a sign-in proves the verified address, and begins no account and no session`() async throws {
        let begun = try await begin()
        #expect(begun.parameters["redirect_uri"] == Self.redirectURI)
        #expect(begun.parameters["code_challenge_method"] == "S256" && begun.parameters["nonce"]?.count == 32)
        flow.prepare(begun, "google.com", .ada)
        let signIn = try await console.finish(visit(begun.response(), bindings: [begun.binding])) { _ in true }
        let identity = signIn.identity
        #expect(identity.address == "ada@example.com" && identity.link.provider == "google.com")
        let form = FlowRig.parameters(try #require(tokenCalls.first).bodyText)
        #expect(form["redirect_uri"] == Self.redirectURI)
        let verifier = try #require(form["code_verifier"])
        let challenge = Base64URL.encode(try AccountDenial.hash(Array(verifier.utf8)).bytes)
        #expect(challenge == begun.parameters["code_challenge"])
        let owner = try await flow.rig.store.owner(of: identity.link)
        #expect(owner == nil && signIn.account == nil)
    }

    @Test func `an identity without permission is refused, and leaves no record`() async throws {
        let begun = try await begin()
        flow.prepare(begun, "google.com", .ada)
        await #expect(throws: ConsoleFlow.Failure.notPermitted(address: "ada@example.com")) {
            try await console.finish(visit(begun.response(), bindings: [begun.binding])) { identity in
                identity.address != "ada@example.com"
            }
        }
        let link = IdentityLink(
            provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        // A recorded sign-in would move the revocation to the start of its session.
        let earlier = flow.rig.time.now - 60
        let record = try await flow.rig.store.revoke(UserKey(link), at: earlier, .everything)
        #expect(record.validSince == UnixTime(clamping: earlier))
    }

    @Test func `O-01: a foreign state, another browser, and no binding begin no session`() async throws {
        let attacker = try await begin()
        let victim = try await begin()
        flow.prepare(attacker, "google.com", .ada)
        for bindings in [[], [victim.binding], [String(repeating: "0", count: 32)], ["x"]] {
            #expect(await failure(visit(attacker.response(), bindings: bindings)) == .expired)
        }
        for made in ["", "state=x&code=c", "state=\(String(repeating: "A", count: 32))&code=c", "state=%ff", "a=1&a=2"]
        {
            #expect(await failure(visit(made, bindings: [victim.binding])) == .expired)
        }
        #expect(tokenCalls.isEmpty)
    }

    @Test func `O-03: a response counts once`() async throws {
        let begun = try await begin()
        flow.prepare(begun, "google.com", .ada)
        let visit = visit(begun.response(), bindings: [begun.binding])
        _ = try await console.finish(visit) { _ in true }
        #expect(await failure(visit) == .expired)
        #expect(tokenCalls.count == 1)
    }

    @Test func `O-02: a flow lasts ten minutes`() async throws {
        let begun = try await begin()
        flow.prepare(begun, "google.com", .ada)
        flow.rig.time.advance(seconds: 601)
        #expect(await failure(visit(begun.response(), bindings: [begun.binding])) == .expired)
    }

    @Test func `O-04: neither callback takes a response to the other's flow`() async throws {
        let ours = try await begin()
        flow.prepare(ours, "google.com", .ada)
        let answer = await flow.callback("google.com", ours.response(), bindings: [ours.binding])
        #expect(answer.page != nil && answer.cookie == nil)
        let theirs = try await flow.begin()
        flow.prepare(theirs, "google.com", .ada)
        #expect(await failure(visit(theirs.response(), bindings: [theirs.binding])) == .expired)
        #expect(tokenCalls.isEmpty)
    }

    @Test func `O-04: a flow that began at another provider or address ends`() async throws {
        flow.replies.set(".well-known", 200, FlowDiscoveryTests.document())
        let crossed = try await begin("google.com")
        flow.prepare(crossed, "google.com", .ada)
        let elsewhere = visit(crossed.response(), bindings: [crossed.binding], provider: "oidc.corp")
        #expect(await failure(elsewhere) == .rejected)
        let moved = try await begin("google.com")
        flow.prepare(moved, "google.com", .ada)
        let other = visit(
            moved.response(), bindings: [moved.binding], redirectURI: "https://ops.example/console/callback")
        #expect(await failure(other) == .rejected)
        #expect(tokenCalls.isEmpty)
    }

    @Test(arguments: ["code=c&iss=https://evil.example", "error=server_error&iss=https://evil.example", "code="])
    func `O-05: another issuer and an invalid code end the flow`(rest: String) async throws {
        let begun = try await begin()
        let response = visit("state=\(begun.state)&\(rest)", bindings: [begun.binding])
        #expect(await failure(response) == .rejected)
        #expect(tokenCalls.isEmpty)
    }

    @Test(arguments: [
        ("access_denied", ConsoleFlow.Failure.cancelled), ("server_error", .unavailable), ("x", .rejected),
    ])
    func `an error of the provider ends the flow`(code: String, failure: ConsoleFlow.Failure) async throws {
        let begun = try await begin()
        let response = visit("state=\(begun.state)&error=\(code)", bindings: [begun.binding])
        #expect(await self.failure(response) == failure)
    }

    @Test func `the token of another flow is rejected`() async throws {
        let (one, other) = (try await begin(), try await begin())
        flow.prepare(one, "google.com", .ada)
        #expect(await failure(visit(other.response(), bindings: [other.binding])) == .rejected)
    }

    @Test(arguments: [
        DevelopmentUser.grace, .ada.withEmail("\u{430}da@example.com"), .ada.withEmail("ada@example.com."),
        .ada.withEmail("x@y@example.com"), .margaret,
    ])
    func `O-22: an address that proves nothing is none`(user: DevelopmentUser) async throws {
        let begun = try await begin()
        flow.prepare(begun, "google.com", user)
        #expect(await failure(visit(begun.response(), bindings: [begun.binding])) == .unverified)
    }

    @Test func `O-22: an address of another domain that Google verified some time ago is none`() async throws {
        var user = DevelopmentUser.ada
        user.hostedDomain = nil
        let begun = try await begin()
        flow.prepare(begun, "google.com", user)
        #expect(await failure(visit(begun.response(), bindings: [begun.binding])) == .unverified)
        let identity = try await signIn(user.withEmail("ada@gmail.com")).identity
        #expect(identity.address == "ada@gmail.com")
    }

    @Test func `O-22: an address that GitHub verified some time ago is none`() async throws {
        let begun = try await begin("github.com")
        flow.prepare(begun, "github.com", DevelopmentUser.linus.withEmail("ada@example.com"))
        let response = visit(begun.response(), bindings: [begun.binding], provider: "github.com")
        #expect(await failure(response) == .unverified)
    }

    @Test func `a disabled identity does not sign in`() async throws {
        let begun = try await begin()
        flow.prepare(begun, "google.com", .ada)
        let subject = DevelopmentUser.ada.subject(at: "google.com")
        try await flow.rig.store.setDisabled(
            UserKey(IdentityLink(provider: "google.com", subject: subject)), true)
        #expect(await failure(visit(begun.response(), bindings: [begun.binding])) == .rejected)
    }

    @Test func `a revocation after the sign-in ends it, and one before it does not`() async throws {
        let store = flow.rig.store
        let first = try await signIn()
        #expect(!isRevoked(first))
        try await store.revoke(UserKey(first.identity.link), at: flow.rig.time.now)
        #expect(isRevoked(first))
        flow.rig.time.advance(seconds: 1)
        let second = try await signIn()
        #expect(!isRevoked(second) && isRevoked(first))
        try await store.setDisabled(UserKey(second.identity.link), true)
        #expect(isRevoked(second))
    }

    @Test func `a sign-in ends with the account to which its identity was linked`() async throws {
        let store = flow.rig.store
        let begun = try await flow.begin()
        flow.prepare(begun, "google.com", .ada)
        _ = await flow.callback("google.com", begun.response(), bindings: [begun.binding])
        let signIn = try await signIn()
        let account = try #require(signIn.account)
        #expect(!isRevoked(signIn))
        try await store.setDisabled(account, true)
        #expect(isRevoked(signIn))
        let again = try await begin()
        flow.prepare(again, "google.com", .ada)
        #expect(await failure(visit(again.response(), bindings: [again.binding])) == .rejected)
        try await store.setDisabled(account, false)
        #expect(!isRevoked(signIn))
        _ = try await store.deleteAccount(account, unlessChangedFrom: nil)
        #expect(isRevoked(signIn))
    }

    @Test func `the variable of a sign-in has the identity and the provider's claims`() async throws {
        let identity = try await signIn().identity
        let condition =
            "uid == '\(identity.link.name)' && provider == 'google' && auth.token.email == 'ada@example.com' "
            + "&& token.email_verified"
        let (compiled, warnings) = try RuleValueExpression.condition(RuleSource(condition, name: "test"))
        #expect(warnings.isEmpty && RuleEvaluator().isTrue(compiled, auth: identity.auth.value))
    }

    @Test func `an unknown provider, and an outage of its token endpoint, are no sign-in`() async throws {
        await #expect(throws: ConsoleFlow.Failure.rejected) { try await console.start(visit(provider: "oidc.none")) }
        let begun = try await begin()
        flow.replies.set("/token", 500, "")
        #expect(await failure(visit(begun.response(), bindings: [begun.binding])) == .unavailable)
    }

    @Test func `the budget of flows bounds the store`() async throws {
        var failure: ConsoleFlow.Failure?
        for _ in 0..<300 where failure == nil {
            do throws(ConsoleFlow.Failure) { _ = try await console.start(visit()) } catch { failure = error }
        }
        #expect(failure != nil)
        let begun = try? await flow.begin()
        #expect(begun != nil, "the sign-ins of users have a budget of their own")
    }
}
