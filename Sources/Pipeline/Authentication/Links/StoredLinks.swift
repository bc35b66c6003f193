import NIOCore
package import Revocation
import Synchronization

/// A lookup of the owners of identities in an account store. Both the concurrent and the waiting lookups are bounded;
/// waiting ones run in order.
///
/// Lookups of the same identity are not shared: each request compares the result with a generation that it read before
/// its own lookup.
package final class StoredLinks: LinkLookup {
    private struct Query: Sendable {
        let link: IdentityLink
        let completion: @Sendable (LinkLookupResult) -> Void
    }

    private struct State {
        var running = 0
        var waiting = CircularBuffer<Query>()
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
    /// Whether a Firebase user's link counts only after the account lists it, with its evidence.
    private let requiresListing: Bool
    private let state = Mutex(State())

    /// Creates the lookup.
    ///
    /// - Parameter requiresListing: Whether a Firebase user's link counts only after the account lists it. In Redis, an
    ///   interrupted call can leave a link that the account does not list, and whose evidence is therefore unknown.
    package init(_ accounts: any AccountStore, requiresListing: Bool = false) {
        self.accounts = accounts
        self.requiresListing = requiresListing
    }

    package func lookUp(_ link: IdentityLink, completion: @escaping @Sendable (LinkLookupResult) -> Void) {
        let query = Query(link: link, completion: completion)
        switch admit(query) {
        case .runs: Task { await perform(query) }
        case .waits: break
        case .refused: completion(.failed(.overloaded))
        }
    }

    private func admit(_ query: Query) -> Admission {
        state.withLock { state in
            if state.running < Self.concurrency {
                state.running += 1
                return .runs
            }
            guard state.waiting.count < Self.waitingLimit else { return .refused }
            state.waiting.append(query)
            return .waits
        }
    }

    /// Performs a lookup, then the waiting ones.
    private func perform(_ first: Query) async {
        var next: Query? = first
        while let query = next {
            query.completion(await owner(of: query.link))
            next = state.withLock { state in
                let query = state.waiting.popFirst()
                if query == nil { state.running -= 1 }
                return query
            }
        }
    }

    private func owner(of link: IdentityLink) async -> LinkLookupResult {
        do throws(StoreError) {
            guard let user = try await accounts.owner(of: link) else { return .unowned }
            // A change between the two queries moves the link's counter, and the result is discarded.
            let account = try await accounts.account(user) ?? AccountRecord(user: user)
            let isListed = account.links[link.provider]?.utf8.elementsEqual(link.subject.utf8) == true
            guard !requiresListing || account.created != nil || isListed else { return .failed(.faultyRecord) }
            return .owner(account)
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
