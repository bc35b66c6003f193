import Authentication
import Authorization
import GatewayCore
import JOSE
import Revocation
import Synchronization

/// Providers and Identity Toolkit whose responses the test sends.
final class ScriptedProviders: OpaqueTokenChecking, FirebaseAccountLookup {
    struct Question: Sendable {
        let token: String
        let provider: Int
        let answer: @Sendable (OpaqueVerdict) -> Void
    }

    struct LookUp: Sendable {
        let uid: String
        let notBefore: UInt64
        let answer: @Sendable (AccountStatus) -> Void
    }

    private let asked = Mutex<[Question]>([])
    private let looked = Mutex<[LookUp]>([])

    var questions: [Question] { asked.withLock { $0 } }
    var lookUps: [LookUp] { looked.withLock { $0 } }

    func check(
        _ token: [UInt8], key: SHA256Digest, provider: Int, for network: PeerNetwork,
        answer: @escaping @Sendable (OpaqueVerdict) -> Void
    ) {
        let question = Question(token: String(decoding: token, as: UTF8.self), provider: provider, answer: answer)
        asked.withLock { $0.append(question) }
    }

    func lookUp(_ user: UserKey, notBefore: UInt64, answer: @escaping @Sendable (AccountStatus) -> Void) {
        looked.withLock { $0.append(LookUp(uid: user.uid, notBefore: notBefore, answer: answer)) }
    }
}

/// An account store whose responses the test sends.
final class ScriptedLinks: LinkLookup {
    struct Question: Sendable {
        let link: IdentityLink
        let answer: @Sendable (LinkLookupResult) -> Void
    }

    private let asked = Mutex<[Question]>([])

    var questions: [Question] { asked.withLock { $0 } }

    func lookUp(_ link: IdentityLink, answer: @escaping @Sendable (LinkLookupResult) -> Void) {
        asked.withLock { $0.append(Question(link: link, answer: answer)) }
    }
}
