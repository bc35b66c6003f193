import Authentication
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import NIOCore
import RequestPipeline
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import StoreFixtures

@Suite(.timeLimit(.minutes(5))) struct CallBodyTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    /// Malformed bodies, with a part of the detail of the response.
    private static let cases: [(endpoint: AccountEndpoint, text: String, detail: String)] = [
        (.signIn, "", "JSON object"), (.signIn, "[]", "JSON object"), (.signIn, "null", "JSON object"),
        (.signIn, "{", "JSON object"), (.signIn, #"{"provider":"a","provider":"b"}"#, "JSON object"),
        (.signIn, "{} {}", "JSON object"), (.signIn, "{}", "\"id_token\""),
        (.signIn, #"{"provider":"google.com"}"#, "\"id_token\""),
        (.signIn, #"{"id_token":"x"}"#, "\"provider\""),
        (.signIn, #"{"provider":"google.com","id_token":"x","access_token":"y"}"#, "\"access_token\""),
        (.signIn, #"{"provider":7,"id_token":"x"}"#, "\"provider\""),
        (.signIn, #"{"provider":"","id_token":"x"}"#, "\"provider\""),
        (.signIn, #"{"provider":"google.com","id_token":null}"#, "\"id_token\""),
        (.signIn, #"{"provider":"google.com","id_token":"x","nonce":1}"#, "\"nonce\""),
        (.signIn, #"{"provider":"google.com","id_token":"x","other":1}"#, "no other members"),
        (.signIn, #"{"pending_token":"x","provider":"google.com"}"#, "\"provider\""),
        (.signIn, #"{"pending_token":"x","user":{}}"#, "\"user\""),
        (.signIn, #"{"pending_token":true}"#, "\"pending_token\""), (.signIn, #"{"code":"x"}"#, "\"code_verifier\""),
        (.link, #"{"code_verifier":"x"}"#, "\"code\""), (.link, #"{"code":"x","code_verifier":"y"}"#, "43 to 128"),
        (.reauthenticate, #"{"code":"x","id_token":"y"}"#, "\"id_token\""),
        (
            .signIn, "{\"provider\":\"google.com\",\"id_token\":\"\(String(repeating: "x", count: 16_385))\"}",
            "\"id_token\""
        ),
        (
            .signIn, "{\"provider\":\(String(repeating: "[", count: 50))\(String(repeating: "]", count: 50))}",
            "JSON object"
        ),
        (.session, "{}", "\"id_token\""), (.session, #"{"id_token":[]}"#, "\"id_token\""),
        (.session, #"{"id_token":"x","provider":"a"}"#, "no other members"),
        (.reauthenticate, "{}", "\"id_token\""), (.reauthenticate, #"{"access_token":"x"}"#, "\"provider\""),
        (.reauthenticate, #"{"id_token":"x","nonce":"y"}"#, "\"provider\""),
        (.reauthenticate, #"{"pending_token":"x"}"#, "no other members"),
        (.link, "{}", "\"id_token\""), (.link, #"{"consent":"yes","pending_token":"x"}"#, "\"consent\""),
        (.link, #"{"id_token":"x"}"#, "\"provider\""), (.link, #"{"expires_in":300}"#, "no other members"),
        (.unlink, "{}", "\"provider\""), (.unlink, #"{"provider":["a"]}"#, "\"provider\""),
        (.deleteAccount, #"{"confirm":true}"#, "accepts none"), (.deleteAccount, "[]", "JSON object"),
        (.signOut, #"{"everywhere":1}"#, "\"everywhere\""), (.signOut, #"{"every":true}"#, "no other members"),
        (.nonce, #"{"purpose":"any"}"#, "\"purpose\""), (.nonce, #"{"purpose":null}"#, "\"purpose\""),
        (.nonce, #"{"for":"link"}"#, "no other members"),
    ]

    @Test(arguments: cases)
    func `a malformed body is rejected with the invalid member`(
        endpoint: AccountEndpoint, text: String, detail: String
    ) async throws {
        let caller = try await rig.session()
        let answer = await rig.call(endpoint, text: text, by: caller)
        #expect(answer.code == "request/malformed")
        #expect(answer.denial?.detail?.contains(detail) == true, "\(answer.denial?.detail ?? "")")
    }

    @Test(arguments: ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
    func `only application/json is accepted`(type: String) async throws {
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada), contentType: type)
        #expect(answer.code == "request/malformed")
        #expect(await rig.call(.nonce, text: "{}", contentType: type).code == "request/malformed")
        #expect(await rig.call(.nonce, text: "", contentType: type).code == "ok")
    }

    @Test func `L-01: a response contains nothing of the request`() async throws {
        let answer = await rig.call(.signIn, text: #"{"<script>":"secret-value"}"#)
        #expect(answer.denial?.detail?.contains("script") == false)
        #expect(!rig.log.text.contains("secret-value") && !rig.log.text.contains("script"))
    }
}

/// Records the counted networks and accounts, and rejects some of them.
final class NotedRates: CallRating {
    private let noted = Mutex<(networks: [PeerNetwork], accounts: [String])>(([], []))
    private let refusesNetworks: Bool
    private let refused: @Sendable (String) -> Bool

    init(refusesNetworks: Bool = false, refused: @escaping @Sendable (String) -> Bool = { _ in false }) {
        self.refusesNetworks = refusesNetworks
        self.refused = refused
    }

    var networks: [PeerNetwork] { noted.withLock { $0.networks } }
    var accounts: [String] { noted.withLock { $0.accounts } }

    func allow(network: PeerNetwork, now: UInt64) -> Int? {
        noted.withLock { $0.networks.append(network) }
        return refusesNetworks ? 11 : nil
    }

    func allow(user: UserKey, now: UInt64) -> Int? {
        noted.withLock { $0.accounts.append(user.name) }
        return refused(user.name) ? 22 : nil
    }
}

@Suite(.timeLimit(.minutes(5))) struct CallCountingTests {
    @Test(arguments: AccountEndpoint.allCases)
    func `every call except auth and events counts for its network`(endpoint: AccountEndpoint) async throws {
        let rates = NotedRates(refusesNetworks: true)
        let rig = try await AccountsRig(parts: { $0.rating = rates })
        let answer = await rig.call(endpoint, from: 7)
        let isCounted = !endpoint.isEvent && endpoint != .auth
        #expect(rates.networks == (isCounted ? [.version4(7)] : []))
        guard isCounted else { return }
        #expect(answer.code == "request/rate-limited" && answer.denial?.retryAfter == 11)
    }

    @Test func `a call counts for its accounts`() async throws {
        let rates = NotedRates()
        let rig = try await AccountsRig(parts: { $0.rating = rates })
        let caller = try await rig.session(.google, .ada)
        let link = "google.com:\(DevelopmentUser.ada.subject(at: "google.com"))"
        #expect(rates.accounts == [link])
        _ = await rig.call(
            .reauthenticate, try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }, by: caller)
        _ = await rig.call(.link, rig.gitHub(), by: caller)
        _ = await rig.call(.unlink, ["provider": "github.com"], by: caller)
        let token = try FirebaseToken.idToken(for: .grace, now: rig.now).signed(by: TokenDraft.key)
        _ = await rig.call(.session, ["id_token": .string(token)])
        #expect(rates.accounts.dropFirst() == [caller.uid, link, caller.uid, "github.com:583231", caller.uid, "grace"])
    }

    @Test func `the sign-in page counts for the account that it shows`() async throws {
        let rates = NotedRates(refused: { !$0.hasPrefix("google.com:") })
        let flow = try await FlowRig(
            settings: { $0.page = Configuration.Accounts.Page() }, parts: { $0.rating = rates })
        let signedIn = await flow.finish(try await flow.begin(), as: .ada)
        var browser = BrowserRequest()
        #expect(await flow.call(.page, browser).code == "ok", "without a session")
        browser.sessions = [try #require(signedIn.token)]
        let before = rates.accounts.count
        let answer = await flow.call(.page, browser)
        #expect(answer.code == "request/rate-limited" && answer.denial?.retryAfter == 22)
        let uid = try flow.rig.caller(signedIn).uid
        #expect(Array(rates.accounts.dropFirst(before)) == [uid])
    }

    @Test func `a call above the rate is rejected before its proof is used`() async throws {
        let rates = NotedRates(refused: { $0.hasPrefix("google.com:") })
        let rig = try await AccountsRig(parts: { $0.rating = rates })
        let nonce = try await rig.nonce()
        let body: JSONObject = [
            "provider": "google.com", "id_token": .string(try rig.idToken(.google, .ada, nonce: nonce)),
            "nonce": .string(nonce),
        ]
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "request/rate-limited" && answer.denial?.retryAfter == 22)
        #expect(try await rig.store.takeNonce(try AccountDenial.hash(Array(nonce.utf8))) == "any")
    }

    @Test func `a disabled event call is not found`() async throws {
        let rig = try await AccountsRig()
        #expect(await rig.code(.appleEvents) == "route/not-found")
    }
}

@Suite struct CallRatesTests {
    private static let start: UInt64 = .seconds(1000)

    /// The number of calls that pass at the same time.
    private func burst(_ allow: () -> Int?) -> Int {
        var count = 0
        while count < 100_000, allow() == nil { count += 1 }
        return count
    }

    @Test(arguments: [(120, 40), (20, 6), (15, 5), (3, 5), (1, 5), (100_000, 33_333)])
    func `a burst is a third of the calls of a minute, and at least five`(rate: Int, expected: Int) {
        let rates = CallRates(perAddress: rate, perAccount: rate)
        #expect(burst { rates.allow(user: "ada", now: Self.start) } == expected)
        #expect(burst { rates.allow(network: .version4(1), now: Self.start) } == expected)
    }

    @Test(arguments: [(120, 1), (20, 3), (7, 9), (1, 60)])
    func `a refusal contains the seconds until the next call`(rate: Int, seconds: Int) {
        let rates = CallRates(perAddress: 1, perAccount: rate)
        _ = burst { rates.allow(user: "ada", now: Self.start) }
        #expect(rates.allow(user: "ada", now: Self.start) == seconds)
        #expect(rates.allow(user: "ada", now: Self.start + .seconds(Double(seconds))) == nil)
    }

    @Test func `calls pass at the rate`() {
        let rates = CallRates(perAddress: 1, perAccount: 20)
        let passed = (0..<600).filter { rates.allow(user: "ada", now: Self.start + .seconds(Double($0))) == nil }
        // Ten minutes with 20 calls each, and the burst at the start.
        #expect(passed.count == 205)
    }

    @Test func `a bucket is full again after a third of a minute`() {
        let rates = CallRates(perAddress: 120, perAccount: 1)
        let network = PeerNetwork.version6(7)
        #expect(burst { rates.allow(network: network, now: Self.start) } == 40)
        #expect(burst { rates.allow(network: network, now: Self.start + .seconds(10)) } == 20)
        #expect(burst { rates.allow(network: network, now: Self.start + .seconds(30)) } == 40)
        #expect(burst { rates.allow(network: network, now: Self.start + .seconds(3000)) } == 40)
    }

    @Test func `a refused call does not count`() {
        let rates = CallRates(perAddress: 1, perAccount: 20)
        _ = burst { rates.allow(user: "ada", now: Self.start) }
        for _ in 0..<1000 { _ = rates.allow(user: "ada", now: Self.start + .seconds(2)) }
        #expect(rates.allow(user: "ada", now: Self.start + .seconds(3)) == nil)
    }

    @Test func `each network and each account of a tenant has its own bucket`() throws {
        let rates = CallRates(perAddress: 1, perAccount: 1)
        let networks = try ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1"].map {
            PeerNetwork(try SocketAddress(ipAddress: $0, port: 1))
        }
        for network in networks + [.unknown] {
            #expect(burst { rates.allow(network: network, now: Self.start) } == 5)
        }
        // Canonically equivalent names are different names.
        for account in ["ada", "Ada", "", "caf\u{e9}", "cafe\u{301}"] {
            #expect(burst { rates.allow(user: UserKey(account), now: Self.start) } == 5)
        }
        for tenant in ["acme-x1", "globex-y2"] {
            #expect(burst { rates.allow(user: UserKey(uid: "ada", tenant: tenant), now: Self.start) } == 5)
        }
    }

    @Test func `a clock that moves back adds no calls`() {
        let rates = CallRates(perAddress: 1, perAccount: 60)
        #expect(rates.allow(user: "ada", now: Self.start) == nil)
        #expect(burst { rates.allow(user: "ada", now: Self.start - 1) } == 18)
    }

    @Test func `of many concurrent calls only as many pass as the bucket holds`() async {
        let rates = CallRates(perAddress: 1, perAccount: 120)
        #expect(rates.allow(user: "ada", now: Self.start) == nil)
        let passed = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<100).count { _ in rates.allow(user: "ada", now: Self.start) == nil } }
            }
            return await group.reduce(0, +)
        }
        #expect(passed == 39)
    }
}
