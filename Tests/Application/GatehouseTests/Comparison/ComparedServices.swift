@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures
import JOSE
import Synchronization

@testable import Accounts
@testable import Authentication
@testable import Authorization
@testable import Diagnostics
@testable import Gatehouse
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import OutboundHTTP
@testable import Revocation

/// Providers, Identity Toolkit and the owners of identities, with fixed responses for a worker and an explainer.
final class ComparedServices: OpaqueTokenChecking, FirebaseAccountLookup, LinkLookup, AccountServing {
    private let configuration: Configuration
    private let clock = Mutex<GatewayClock?>(nil)

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    func connect(to clock: GatewayClock) { self.clock.withLock { $0 = clock } }

    private var monotonic: UInt64 { clock.withLock { $0?.monotonic() } ?? 0 }

    var lookups: RemoteLookups {
        var lookups = RemoteLookups()
        if configuration.identity.providers.contains(where: { $0.opaqueTokens != nil }) { lookups.opaqueTokens = self }
        if configuration.revocation.firebase != nil { lookups.accounts = self }
        guard configuration.accounts != nil else { return lookups }
        lookups.calls = self
        lookups.links = self
        lookups.linkGenerations = LinkGenerations()
        return lookups
    }

    static func keys() throws -> KeyEvidenceSource {
        let set = try FetchedKeySet(TokenDraft.keys, maxAge: 60)
        return KeyEvidenceSource { .fetched(set, of: $0) }
    }

    // MARK: - Opaque tokens

    /// The response of the introspection endpoint, by the token.
    private static func introspection(_ token: String) -> (status: Int, body: String) {
        switch token {
        case "opaque-active": (200, activeAnswer(#""scope":"read""#))
        case "opaque-expired": (200, activeAnswer(#""exp":\#(ManualClock.start)"#))
        case "opaque-foreign": (200, #"{"active":true,"sub":"alice","aud":"other"}"#)
        case "opaque-signed-in":
            (200, activeAnswer(#""scope":"admin read","auth_time":\#(ManualClock.start - 100)"#))
        case "opaque-broken": (500, "")
        case "opaque-nameless": (200, #"{"active":true,"aud":"api"}"#)
        default: (200, #"{"active":false}"#)
        }
    }

    private static func judgement(of token: [UInt8], _ provider: Configuration.Provider) -> Judgement {
        guard let check = provider.tokenCheck else { return .failed(LookupFailure(.invalidURL)) }
        let (status, body) = introspection(String(decoding: token, as: UTF8.self))
        let reply = OutboundResponse(status: status, retryAfter: nil, body: Array(body.utf8))
        return ProvenResponse.judge(reply, by: check, now: ManualClock.start, clockSkew: 5)
    }

    var opaqueEvidence: OpaqueEvidenceSource { OpaqueEvidenceSource { Self.judgement(of: $0, $1) } }

    func check(
        _ token: [UInt8], key: SHA256Digest, provider: Int, for network: PeerNetwork,
        completion: @escaping @Sendable (OpaqueVerdict) -> Void
    ) {
        let until = monotonic + 60_000_000_000
        let providers = configuration.identity.providers.filter { $0.opaqueTokens != nil }
        switch Self.judgement(of: token, providers[provider]) {
        case .accepted(let identity): completion(.accepted(identity, freshUntil: until))
        case .refused(let failure): completion(.refused(failure, until: until))
        case .failed(let failure): completion(.unavailable(why: failure.kind.rawValue, retryAfter: 1, until: until))
        }
    }

    // MARK: - Firebase accounts

    /// The state of an account, by the uid.
    private static func account(_ uid: String) -> AccountStatus.State {
        switch uid {
        case "fb-disabled": .account(validSince: nil, disabled: true)
        case "fb-revoked": .account(validSince: UnixTime(clamping: ManualClock.start - 50), disabled: false)
        case "fb-same-second": .account(validSince: UnixTime(clamping: ManualClock.start - 100), disabled: false)
        case "fb-deleted": .missing
        case "fb-unavailable": .unavailable
        default: .account(validSince: nil, disabled: false)
        }
    }

    var accountEvidence: AccountEvidenceSource {
        AccountEvidenceSource { .reported(Self.account($0.uid), by: "a test") }
    }

    func lookUp(_ user: UserKey, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void) {
        completion(AccountStatus(state: Self.account(user.uid), queriedAt: monotonic))
    }

    // MARK: - Owners, account calls

    /// The owner of an identity, by its subject.
    private static func owner(_ link: IdentityLink) -> LinkLookupResult {
        switch link.subject {
        case "linked": .owner(AccountRecord(uid: "ada", created: 1))
        case "unreadable": .failed(.unreachable)
        default: .unowned
        }
    }

    var ownerEvidence: OwnerEvidenceSource {
        OwnerEvidenceSource { link in
            switch Self.owner(link) {
            case .unowned: .unowned("a test")
            case .owner(let account): .owner(account, from: "a test")
            case .failed: .unknown("a test")
            }
        }
    }

    func lookUp(_ link: IdentityLink, completion: @escaping @Sendable (LinkLookupResult) -> Void) {
        completion(Self.owner(link))
    }

    func serve(_ call: AccountCall, completion: @escaping @Sendable (AccountReply) -> Void) { completion(.done()) }
}
