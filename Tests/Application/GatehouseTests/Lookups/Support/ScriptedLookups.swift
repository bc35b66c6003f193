import Authentication
import Authorization
import GatewayCore
import JOSE
import Revocation
import Synchronization

/// Providers and Identity Toolkit whose responses the test sends.
final class ScriptedProviders: OpaqueTokenChecking, FirebaseAccountLookup {
    struct Query: Sendable {
        let token: String
        let provider: Int
        let resolve: @Sendable (OpaqueVerdict) -> Void
    }

    struct LookUp: Sendable {
        let uid: String
        let notBefore: UInt64
        let resolve: @Sendable (AccountStatus) -> Void
    }

    private let received = Mutex<[Query]>([])
    private let receivedLookUps = Mutex<[LookUp]>([])

    var queries: [Query] { received.withLock { $0 } }
    var lookUps: [LookUp] { receivedLookUps.withLock { $0 } }

    func check(
        _ token: [UInt8], key: SHA256Digest, provider: Int, for network: PeerNetwork,
        completion: @escaping @Sendable (OpaqueVerdict) -> Void
    ) {
        let query = Query(token: String(decoding: token, as: UTF8.self), provider: provider, resolve: completion)
        received.withLock { $0.append(query) }
    }

    func lookUp(_ user: UserKey, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void) {
        receivedLookUps.withLock { $0.append(LookUp(uid: user.uid, notBefore: notBefore, resolve: completion)) }
    }
}

/// An account store whose responses the test sends.
final class ScriptedLinks: LinkLookup {
    struct Query: Sendable {
        let link: IdentityLink
        let resolve: @Sendable (LinkLookupResult) -> Void
    }

    private let received = Mutex<[Query]>([])

    var queries: [Query] { received.withLock { $0 } }

    func lookUp(_ link: IdentityLink, completion: @escaping @Sendable (LinkLookupResult) -> Void) {
        received.withLock { $0.append(Query(link: link, resolve: completion)) }
    }
}
