import GatewayCore
import JOSE

/// What providers said of tokens not long ago, in bounded memory, as a pure value.
///
/// A verdict belongs to the entry of the configuration whose endpoint, client and audiences it was found with, and to the token's hash,
/// both compared as they are: nothing is joined into one text. What counts and what does not have bounds of their own, so that a flood of
/// unknown tokens pushes out nobody's.
struct VerdictTable {
    /// The most verdicts that tokens count.
    static let acceptedLimit = 12_288
    /// The most verdicts that tokens do not count, or that their provider gave no answer to be believed.
    static let refusedLimit = 4096

    struct Key: Hashable {
        let provider: Int
        let token: SHA256Digest
    }

    private var accepted = BoundedTable<Key, OpaqueVerdict>(limit: acceptedLimit)
    private var refused = BoundedTable<Key, OpaqueVerdict>(limit: refusedLimit)

    var acceptedCount: Int { accepted.count }
    var refusedCount: Int { refused.count }

    /// The verdict, as long as it holds.
    mutating func verdict(for key: Key, now: UInt64) -> OpaqueVerdict? {
        if let verdict = accepted[key] {
            if now < verdict.holdsUntil { return verdict }
            accepted.remove(key)
        }
        if let verdict = refused[key] {
            if now < verdict.holdsUntil { return verdict }
            refused.remove(key)
        }
        return nil
    }

    /// Keeps a verdict in the place of an earlier one; one that holds no longer only ends that.
    mutating func keep(_ verdict: OpaqueVerdict, for key: Key, now: UInt64) {
        let holds = now < verdict.holdsUntil
        if case .accepted = verdict, holds { accepted.set(verdict, for: key) } else { accepted.remove(key) }
        if case .accepted = verdict { refused.remove(key) } else if holds { refused.set(verdict, for: key) }
    }
}

extension OpaqueVerdict {
    var holdsUntil: UInt64 {
        switch self {
        case .accepted(_, let until), .refused(_, let until), .unavailable(_, _, let until): until
        }
    }
}
