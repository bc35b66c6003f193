import Authentication
import Revocation
import Synchronization

/// An account store that says who owns an identity when the test tells it to.
final class ScriptedLinks: LinkLookup {
    struct Question: Sendable {
        let link: IdentityLink
        let answer: @Sendable (LinkAnswer) -> Void
    }

    private let asked = Mutex<[Question]>([])

    var questions: [Question] { asked.withLock { $0 } }

    func look(_ link: IdentityLink, answer: @escaping @Sendable (LinkAnswer) -> Void) {
        asked.withLock { $0.append(Question(link: link, answer: answer)) }
    }
}
