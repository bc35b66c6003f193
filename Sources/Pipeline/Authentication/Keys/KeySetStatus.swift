package import JOSE
package import OutboundHTTP

/// What an operator may know of one key set: for `/readyz`, `/v1/keys` and metrics. Never key material.
package struct KeySetStatus: Sendable {
    /// Where the set comes from, without user, password and query.
    package let source: String
    /// Whether it was read at least once since the start.
    package let isLoaded: Bool
    /// Whether it verifies tokens now.
    package let isUsable: Bool
    /// Whether it verifies tokens although its lifetime is over, because its source is down.
    package let isStale: Bool
    /// The ids of the usable keys, sorted.
    package let keyIDs: [String]
    /// The keys that cannot be used, each with the reason.
    package let skipped: [SkippedKey]
    /// The view's generation.
    package let generation: UInt64
    /// Seconds since the set was read; nil without one.
    package let age: UInt64?
    /// The lifetime that it was given then, in seconds; nil without one.
    package let lifetime: UInt64?
    /// Seconds until it is gone if the source stays down; nil without one.
    package let usableFor: UInt64?
    /// Whether a fetch runs now.
    package let isFetching: Bool
    /// Seconds until the next fetch starts of itself; nil while one runs and before the first.
    package let nextFetchIn: UInt64?
    /// How many fetches ended since the start, well or not.
    package let fetches: UInt64
    /// How many of them failed.
    package let failures: UInt64
    /// How many failed since the last that succeeded.
    package let failuresInARow: Int
    /// Why the last fetch failed; nil if it succeeded.
    package let lastError: KeyFetchError?
}

extension KeySetMachine {
    /// The state at `now`, of the set that comes from `source`.
    func status(source: String, now: UInt64) -> KeySetStatus {
        let isUsable = view.isUsable(now: now)
        let age = held.map { now > $0.fetchedAt ? now - $0.fetchedAt : 0 }
        return KeySetStatus(
            source: source, isLoaded: isLoaded, isUsable: isUsable,
            isStale: isUsable && (age ?? 0) > (held?.lifetime ?? 0),
            keyIDs: held.map { $0.identities.compactMap(\.keyID).sorted() } ?? [], skipped: held?.keys.skipped ?? [],
            generation: generation, age: age.map(Self.seconds), lifetime: (held?.lifetime).map(Self.seconds),
            usableFor: held.map { Self.seconds($0.usableUntil > now ? $0.usableUntil - now : 0) },
            isFetching: phase == .fetching, nextFetchIn: nextFetchIn(now: now), fetches: completedFetches,
            failures: failures, failuresInARow: failuresInARow, lastError: lastError)
    }

    private func nextFetchIn(now: UInt64) -> UInt64? {
        guard case .resting(let next) = phase else { return nil }
        return Self.seconds(next > now ? next - now : 0)
    }

    private static func seconds(_ nanoseconds: UInt64) -> UInt64 {
        nanoseconds / 1_000_000_000
    }
}
