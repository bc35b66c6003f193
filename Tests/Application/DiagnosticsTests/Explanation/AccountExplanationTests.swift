import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Synchronization
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import Diagnostics
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures

/// `explain` with Firebase as a source of revocations.
@Suite struct AccountExplanationTests {
    private static func configuration(_ change: (inout Configuration.Route) -> Void) -> Configuration {
        var configuration = Given.configuration([Given.route("/a", change)])
        configuration.revocation.firebase = Configuration.FirebaseAccounts(serviceAccount: "unused")
        configuration.identity.providers = [.opaque()]
        return configuration
    }

    /// Explains a request of ada, who signed in 600 s ago.
    private func explain(
        _ evidence: AccountEvidence?, records: RecordEvidence = .nothingRecorded, token: String? = nil,
        _ change: (inout Configuration.Route) -> Void = { _ in }
    ) async throws -> (Explanation, looks: [String]) {
        let looks = Mutex<[String]>([])
        let source = AccountEvidenceSource { user in
            looks.withLock { $0.append(user.name) }
            return evidence ?? .irrelevant
        }
        let explainer = try Given.explainer(
            Self.configuration(change), records: records,
            opaqueTokens: Given.opaqueTokens(.answering(200, activeAnswer())),
            accounts: evidence == nil ? .none : source)
        let token = try token ?? Given.idToken { $0.signedIn(at: Given.now - 600) }
        let explanation = try await explainer.explain(ExplainedRequest(method: "GET", url: "/a", token: token))
        return (explanation, looks.withLock { $0 })
    }

    private static let passes: [AccountStatus.State] = [
        .good, .account(validSince: UnixTime(clamping: Given.now - 600), disabled: false),
    ]

    @Test(arguments: passes)
    func `a valid account is a step`(answer: AccountStatus.State) async throws {
        let (explanation, looks) = try await explain(.reported(answer, by: "a test"))
        #expect(explanation.code == .ok && looks == ["ada"])
        #expect(explanation.step("account")?.mark == .passed)
        #expect(explanation.step("account")?.detail.hasPrefix("not disabled") == true)
    }

    @Test(arguments: [
        (
            AccountStatus.State.account(validSince: nil, disabled: true), DecisionCode.userDisabled,
            "disabled in Firebase"
        ),
        (.account(validSince: UnixTime(clamping: Given.now - 599), disabled: false), .idTokenRevoked, "revoked since"),
        (.missing, .idTokenRevoked, "was deleted"), (.unavailable, .storeUnavailable, "on_store_failure: deny"),
    ])
    func `a denial by Firebase fails at the account`(
        answer: AccountStatus.State, code: DecisionCode, words: String
    ) async throws {
        let (explanation, _) = try await explain(.reported(answer, by: "a test"))
        #expect(explanation.code == code && explanation.failures == ["account"])
        #expect(explanation.step("account")?.detail.contains(words) == true)
    }

    @Test(arguments: [(Configuration.StoreFailurePolicy.deny, DecisionCode.storeUnavailable), (.allow, .ok)])
    func `the route decides if Firebase is unavailable`(
        policy: Configuration.StoreFailurePolicy, code: DecisionCode
    ) async throws {
        let (explanation, _) = try await explain(.failed("nobody answers")) { $0.onStoreFailure = policy }
        #expect(explanation.code == code)
        #expect(
            explanation.step("account")?.detail
                == "Firebase could not be queried: nobody answers; the route has on_store_failure: \(policy.rawValue)")
    }

    @Test func `without a lookup a permit is undetermined and a denial is not`() async throws {
        let (open, _) = try await explain(nil)
        #expect(open.code == nil && open.step("account")?.mark == .unknown)
        let (refused, _) = try await explain(nil) { $0.providers = ["apple.com"] }
        #expect(refused.code == .permissionDenied)
    }

    @Test(arguments: [(nil, .off), ("opaque-token", .replicated)] as [(String?, Configuration.RevocationMode)])
    func `a route without revocation and a user of a provider have no lookup`(
        token: String?, mode: Configuration.RevocationMode
    ) async throws {
        let (explanation, looks) = try await explain(.reported(.missing, by: "a test"), token: token) {
            $0.revocation = mode
        }
        #expect(explanation.code == .ok && looks == [])
        #expect(explanation.step("account")?.mark == .note)
    }

    @Test func `without Firebase as a source there is no such step`() async throws {
        let explainer = try Given.explainer(Given.configuration([Given.route("/a")]))
        let explanation = try await explainer.explain(
            ExplainedRequest(method: "GET", url: "/a", token: Given.idToken()))
        #expect(explanation.step("account") == nil)
    }
}

/// Lookups in Identity Toolkit.
@Suite struct AccountQueryTests {
    private func lookUp(
        _ transport: FakeTransport, _ user: UserKey = "ada", tenant: Configuration.TenantPolicy = .none
    ) async throws -> AccountEvidence {
        var project = Configuration.FirebaseProject(id: "my-app")
        project.tenant = tenant
        let key = try AccountRig.key.get()
        let json = Authorization.ServiceAccount.file(pem: key.pem())
        let query = AccountQuery(
            settings: Configuration.FirebaseAccounts(serviceAccount: "unused"), project: project,
            credential: .serviceAccount(try Authorization.ServiceAccount(json: json, name: "sa.json")),
            clock: Given.clock)
        return await query.evidence(about: user, transport)
    }

    private func transport(token: (Int, String) = (200, Self.token), account: (Int, String)) -> FakeTransport {
        let transport = FakeTransport()
        transport.always { question in
            let (status, body) = question.url.hasSuffix("/token") ? token : account
            return .success(OutboundResponse(status: status, retryAfter: nil, body: Array(body.utf8)))
        }
        return transport
    }

    private static let token = #"{"access_token":"secret-at","expires_in":3600,"token_type":"Bearer"}"#

    @Test func `an account is looked up with an access token`() async throws {
        let transport = transport(account: (200, #"{"users":[{"localId":"ada","disabled":true}]}"#))
        guard case .reported(let answer, let source) = try await lookUp(transport) else { return #expect(Bool(false)) }
        #expect(answer == .account(validSince: nil, disabled: true, FirebaseAccount(uid: "ada")))
        #expect(source.hasPrefix("https://identitytoolkit.googleapis.com/"))
        #expect(transport.calls.last?.request.field("authorization") == "Bearer secret-at")
        #expect(transport.count == 2)
    }

    @Test(arguments: [
        (Configuration.TenantPolicy.none, "my-app/accounts"), (.only("t-1"), "my-app/tenants/t-1/accounts"),
    ])
    func `the lookup names the tenant`(tenant: Configuration.TenantPolicy, path: String) async throws {
        let transport = transport(account: (200, "{}"))
        guard case .reported(.missing, _) = try await lookUp(transport, tenant: tenant) else {
            return #expect(Bool(false))
        }
        #expect(transport.calls.last?.request.url.contains("/projects/\(path):lookup") == true)
    }

    @Test(arguments: [
        (UserKey(uid: "ada", tenant: "t-2"), "my-app/tenants/t-2/accounts"),
        (UserKey(uid: "ada", tenant: "t-2", project: "my-app"), "my-app/tenants/t-2/accounts"),
        (UserKey(uid: "ada", tenant: nil, project: "my-app"), "my-app/accounts"),
    ])
    func `the lookup names the tenant of the user key`(user: UserKey, path: String) async throws {
        let transport = transport(account: (200, "{}"))
        guard case .reported(.missing, _) = try await lookUp(transport, user, tenant: .only("t-1")) else {
            return #expect(Bool(false))
        }
        #expect(transport.calls.last?.request.url.contains("/projects/\(path):lookup") == true)
    }

    @Test func `a failure is reported without secrets`() async throws {
        for (transport, words) in [
            (
                transport(token: (400, ""), account: (200, "{}")),
                "no access token from https://oauth2.example/token: own_credentials (400)"
            ),
            (
                transport(account: (500, "")),
                "no usable response from \(Configuration.FirebaseAccounts.defaultLookupURL): status (500)"
            ),
        ] {
            guard case .failed(let why) = try await lookUp(transport) else { return #expect(Bool(false)) }
            #expect(why.contains(words) && !why.contains("secret-at"))
        }
    }

    @Test func `the account is read from the configured endpoint`() async throws {
        let provider = try await DevelopmentProvider.start()
        let folder = try TemporaryFolder()
        let account = try provider.makeServiceAccount().write(toDirectory: folder.path("account"))
        provider.updateAccount("linus") { $0.isDisabled = true }
        var configuration = Given.configuration([Given.route("/a")])
        configuration.revocation.firebase = Configuration.FirebaseAccounts(serviceAccount: account)
        configuration.revocation.firebase?.lookupURL = provider.url(.accountsLookup)
        let evidence = await AccountEvidenceSource.live(configuration, clock: .system).lookUp?("linus")
        await provider.stop()
        guard case .reported(.account(validSince: _, disabled: true, _), _)? = evidence else {
            Issue.record("\(String(describing: evidence))")
            return
        }
    }

    @Test func `an unreadable key file is reported`() async throws {
        var configuration = Given.configuration([Given.route("/a")])
        configuration.revocation.firebase = Configuration.FirebaseAccounts(serviceAccount: "/nowhere/sa.json")
        let source = AccountEvidenceSource.live(configuration, clock: Given.clock)
        guard case .failed(let why)? = await source.lookUp?("ada") else { return #expect(Bool(false)) }
        #expect(why.contains("/nowhere/sa.json"))
    }
}
