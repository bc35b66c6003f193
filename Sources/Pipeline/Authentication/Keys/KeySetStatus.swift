package import JOSE
package import OutboundHTTP

/// The operational state of one key set, for `/readyz`, `/v1/keys` and metrics. It never contains key material.
package struct KeySetStatus: Sendable {
    /// The URL of the set, without user, password and query.
    package let source: String
    /// Whether the set was fetched at least once since the start.
    package let isLoaded: Bool
    /// Whether it verifies tokens now.
    package let isUsable: Bool
    /// Whether it still verifies tokens although its lifetime has ended, because its source is unreachable.
    package let isStale: Bool
    /// The IDs of the usable keys, sorted.
    package let keyIDs: [String]
    /// The thumbprints of the usable keys (RFC 7638) in base64url, with their IDs, sorted by these.
    package let thumbprints: [(keyID: String?, thumbprint: String)]
    /// The unusable keys, each with the reason.
    package let skipped: [SkippedKey]
    /// The view's generation.
    package let generation: UInt64
    /// Seconds since the set was fetched. `nil` without a set.
    package let age: UInt64?
    /// The set's lifetime at the time of the fetch, in seconds. `nil` without a set.
    package let lifetime: UInt64?
    /// Seconds until the set expires if its source stays unreachable. `nil` without a set.
    package let usableFor: UInt64?
    /// Whether a fetch is running.
    package let isFetching: Bool
    /// Seconds until the next scheduled fetch. `nil` while a fetch is running and before the first one.
    package let nextFetchIn: UInt64?
    /// The number of completed fetches since the start, successful or not.
    package let fetches: UInt64
    /// The number of failed fetches since the start.
    package let failures: UInt64
    /// The number of consecutive failures since the last success.
    package let failuresInARow: Int
    /// The reason why the last fetch failed. `nil` if it succeeded.
    package let lastError: KeyFetchError?
}

extension KeySetMachine {
    /// Returns the state at `now` of the set that comes from `source`.
    func status(source: String, now: UInt64) -> KeySetStatus {
        let isUsable = view.isUsable(now: now)
        let age = held.map { now > $0.fetchedAt ? now - $0.fetchedAt : 0 }
        return KeySetStatus(
            source: source, isLoaded: isLoaded, isUsable: isUsable,
            isStale: isUsable && (age ?? 0) > (held?.lifetime ?? 0),
            keyIDs: held.map { $0.identities.compactMap(\.keyID).sorted() } ?? [], thumbprints: thumbprints,
            skipped: held?.keys.skipped ?? [],
            generation: generation, age: age.map(Self.seconds), lifetime: (held?.lifetime).map(Self.seconds),
            usableFor: held.map { Self.seconds($0.usableUntil > now ? $0.usableUntil - now : 0) },
            isFetching: phase == .fetching, nextFetchIn: nextFetchIn(now: now), fetches: completedFetches,
            failures: failures, failuresInARow: failuresInARow, lastError: lastError)
    }

    private var thumbprints: [(keyID: String?, thumbprint: String)] {
        (held?.identities ?? []).map { (keyID: $0.keyID, thumbprint: Base64URL.encode($0.thumbprint)) }
            .sorted { ($0.keyID ?? "", $0.thumbprint) < ($1.keyID ?? "", $1.thumbprint) }
    }

    private func nextFetchIn(now: UInt64) -> UInt64? {
        guard case .resting(let next) = phase else { return nil }
        return Self.seconds(next > now ? next - now : 0)
    }

    private static func seconds(_ nanoseconds: UInt64) -> UInt64 {
        nanoseconds / 1_000_000_000
    }
}
