import NIOCore
package import Revocation
import Synchronization

/// A lookup of the owners of identities in an account store. Both the concurrent and the waiting lookups are bounded;
/// waiting ones run in order.
///
/// Lookups of the same identity are not shared: each request compares the result with a generation that it read before
/// its own lookup.
package final class StoredLinks: LinkLookup {
    private struct Question: Sendable {
        let link: IdentityLink
        let answer: @Sendable (LinkLookupResult) -> Void
    }

    private struct State {
        var running = 0
        var waiting = CircularBuffer<Question>()
    }

    private enum Admission {
        case runs
        case waits
        case refused
    }

    /// The maximum number of concurrent lookups.
    static let concurrency = 64
    /// The maximum number of waiting lookups. One more fails at once.
    static let waitingLimit = 1024

    private let accounts: any AccountStore
    private let state = Mutex(State())

    package init(_ accounts: any AccountStore) {
        self.accounts = accounts
    }

    package func lookUp(_ link: IdentityLink, answer: @escaping @Sendable (LinkLookupResult) -> Void) {
        let question = Question(link: link, answer: answer)
        switch admit(question) {
        case .runs: Task { await perform(question) }
        case .waits: break
        case .refused: answer(.failed(.overloaded))
        }
    }

    private func admit(_ question: Question) -> Admission {
        state.withLock { state in
            if state.running < Self.concurrency {
                state.running += 1
                return .runs
            }
            guard state.waiting.count < Self.waitingLimit else { return .refused }
            state.waiting.append(question)
            return .waits
        }
    }

    /// Performs a lookup, then the waiting ones.
    private func perform(_ first: Question) async {
        var next: Question? = first
        while let question = next {
            question.answer(await owner(of: question.link))
            next = state.withLock { state in
                let question = state.waiting.popFirst()
                if question == nil { state.running -= 1 }
                return question
            }
        }
    }

    private func owner(of link: IdentityLink) async -> LinkLookupResult {
        do throws(StoreError) {
            guard let user = try await accounts.owner(of: link) else { return .nobody }
            // A change between the two queries moves the link's counter, and the result is discarded.
            return .owner(try await accounts.account(user) ?? AccountRecord(user: user))
        } catch {
            return .failed(StoreFailure(error))
        }
    }
}

extension StoreFailure {
    /// Creates the failure of a request that depends on the operation.
    init(_ error: StoreError) {
        self =
            switch error.code {
            case .overloaded: .overloaded
            case .faultyRecord: .faultyRecord
            case .closed, .io, .cannotOpen: .unreachable
            default: .refused
            }
    }
}
