import GatewayCore
import JOSE
import OutboundHTTP

/// The state machine of one key set: when its source is fetched, and how the results change the set.
///
/// A pure value: events and the monotonic time in, actions out. It rests in one of two phases:
///
///     start ──> fetching ──(good set)───> resting until refresh_at of its lifetime ──> fetching ...
///                  └──────(any failure)─> resting for the backoff, after each failure ─> fetching ...
///
/// It also holds the last good set until its lifetime and `stale_for` are over. A failure never changes the set.
struct KeySetMachine: Sendable {
    enum Event: Sendable {
        case start
        /// The deadline was reached. A tick at any other time is harmless.
        case tick
        /// A request names a key that is not in the set, or needs a set that is missing.
        case unknownKeyRequested
        /// An operator requested a fetch.
        case refreshRequested
        case fetched(FetchedKeySet)
        case fetchFailed(KeyFetchError)
    }

    enum Action: Sendable {
        /// Start the fetch. Exactly one `fetched` or `fetchFailed` follows.
        case fetch
        case publish(KeySetView)
        case log(KeySetEvent)
    }

    enum Phase: Sendable, Equatable {
        case idle
        case resting(until: UInt64)
        case fetching
    }

    /// The last good set.
    struct Held: Sendable {
        let keys: KeySet
        let algorithms: Set<Algorithm>?
        let identities: Set<KeyIdentity>
        let fetchedAt: UInt64
        let lifetime: UInt64
        let usableUntil: UInt64
    }

    let timing: KeySetTiming
    private(set) var phase = Phase.idle
    private(set) var held: Held?
    private(set) var generation: UInt64 = 0
    private(set) var isLoaded = false
    private(set) var cooldownUntil: UInt64 = 0
    private(set) var completedFetches: UInt64 = 0
    private(set) var failures: UInt64 = 0
    private(set) var failuresInARow = 0
    private(set) var lastError: KeyFetchError?
    private var jitter: KeyJitter
    private var nextGeneration: UInt64
    private var skipped: [SkippedKey] = []

    /// Creates a machine.
    ///
    /// - Parameters:
    ///   - seed: The seed of the jitter.
    ///   - firstGeneration: The generation of the first set; not 0. Later generations increase from it.
    init(timing: KeySetTiming, seed: UInt64, firstGeneration: UInt64 = 1) {
        self.timing = timing
        jitter = KeyJitter(seed: seed)
        nextGeneration = firstGeneration
    }

    /// Creates a machine that takes over the set of another machine of the same source. The set gets a new generation,
    /// so that tokens verified under the previous one are verified again.
    init(timing: KeySetTiming, seed: UInt64, firstGeneration: UInt64, inheriting other: KeySetMachine) {
        self.init(timing: timing, seed: seed, firstGeneration: firstGeneration)
        guard other.held != nil else { return }
        held = other.held
        isLoaded = other.isLoaded
        skipped = other.skipped
        advanceGeneration()
    }

    /// Handles `event` and returns the actions to perform, in this order.
    mutating func handle(_ event: Event, now: UInt64) -> [Action] {
        switch event {
        case .start: return phase == .idle ? beginFetch(now: now) : []
        case .tick: return tick(now: now)
        case .unknownKeyRequested: return unknownKeyRequested(now: now)
        case .refreshRequested: return isResting ? beginFetch(now: now) : []
        case .fetched(let fetched): return phase == .fetching ? accept(fetched, now: now) : []
        case .fetchFailed(let error): return phase == .fetching ? fail(error, now: now) : []
        }
    }

    /// When a `tick` is needed. `nil` if only a fetch result or a request can change the state.
    var deadline: UInt64? {
        guard case .resting(let next) = phase else { return held?.usableUntil }
        return min(next, held?.usableUntil ?? .max)
    }

    /// The view for workers.
    var view: KeySetView {
        KeySetView(
            keys: held?.keys, algorithms: held?.algorithms, generation: generation, isLoaded: isLoaded,
            lastFetchSucceeded: lastFetchSucceeded,
            isFetching: phase == .fetching, completedFetches: completedFetches, usableUntil: held?.usableUntil ?? 0,
            cooldownUntil: cooldownUntil, nextFetchAt: nextFetchAt)
    }

    var lastFetchSucceeded: Bool { completedFetches > 0 && failuresInARow == 0 }

    /// 0 if no fetch is planned.
    var nextFetchAt: UInt64 {
        guard case .resting(let next) = phase else { return 0 }
        return next
    }

    private var isResting: Bool {
        guard case .resting = phase else { return false }
        return true
    }
}

extension KeySetMachine {
    private mutating func beginFetch(now: UInt64) -> [Action] {
        phase = .fetching
        return [.fetch, .publish(view)]
    }

    private mutating func tick(now: UInt64) -> [Action] {
        let gone = dropOutlived(now: now)
        if case .resting(let next) = phase, now >= next { return gone + beginFetch(now: now) }
        return gone.isEmpty ? [] : gone + [.publish(view)]
    }

    /// Starts a fetch. A running fetch also serves this request, and does not count against the cool-down.
    private mutating func unknownKeyRequested(now: UInt64) -> [Action] {
        guard isResting, now >= cooldownUntil else { return [] }
        cooldownUntil = now &+ timing.cooldown
        return [.log(.unknownKey)] + beginFetch(now: now)
    }

    private mutating func dropOutlived(now: UInt64) -> [Action] {
        guard let held, now >= held.usableUntil else { return [] }
        self.held = nil
        advanceGeneration()
        return [.log(.gone(failures: failuresInARow))]
    }

    private mutating func accept(_ fetched: FetchedKeySet, now: UInt64) -> [Action] {
        let lifetime = timing.lifetime(maxAge: fetched.maxAge)
        var events: [KeySetEvent] = failuresInARow > 0 ? [.recovered(failures: failuresInARow)] : []
        events.append(hold(fetched, lifetime: lifetime, now: now))
        if fetched.keys.skipped != skipped {
            skipped = fetched.keys.skipped
            if !skipped.isEmpty { events.append(.skipped(skipped)) }
        }
        isLoaded = true
        completedFetches += 1
        failuresInARow = 0
        lastError = nil
        phase = .resting(until: now &+ timing.refreshDelay(lifetime: lifetime, jitter: &jitter))
        return events.map { .log($0) } + [.publish(view)]
    }

    private mutating func fail(_ error: KeyFetchError, now: UInt64) -> [Action] {
        let gone = dropOutlived(now: now)
        completedFetches += 1
        failures += 1
        failuresInARow += 1
        lastError = error
        let delay = timing.retryDelay(failures: failuresInARow, jitter: &jitter)
        phase = .resting(until: now &+ delay)
        let usableFor = held.map { $0.usableUntil - now }
        let event = KeySetEvent.fetchFailed(error, inARow: failuresInARow, retryIn: delay, usableFor: usableFor)
        return gone + [.log(event), .publish(view)]
    }

    /// Replaces the held keys. The generation changes only if the keys or the allowed algorithms differ.
    private mutating func hold(_ fetched: FetchedKeySet, lifetime: UInt64, now: UInt64) -> KeySetEvent {
        let identities = KeyIdentity.all(of: fetched.keys)
        let (previous, previousAlgorithms) = (held?.identities, held?.algorithms)
        held = Held(
            keys: fetched.keys, algorithms: fetched.algorithms, identities: identities, fetchedAt: now,
            lifetime: lifetime,
            usableUntil: now &+ lifetime &+ timing.staleFor)
        guard identities != previous || fetched.algorithms != previousAlgorithms else {
            return .unchanged(lifetime: lifetime)
        }
        advanceGeneration()
        guard let previous else { return .loaded(keyIDs: Self.names(identities), lifetime: lifetime) }
        return .changed(
            added: Self.names(identities.subtracting(previous)), removed: Self.names(previous.subtracting(identities)))
    }

    private mutating func advanceGeneration() {
        generation = nextGeneration
        nextGeneration += 1
    }

    private static func names(_ identities: Set<KeyIdentity>) -> [String] {
        identities.map { $0.keyID ?? "" }.sorted()
    }
}

/// The identity of a key: two sets with equal identities verify the same tokens.
struct KeyIdentity: Sendable, Hashable {
    let keyID: String?
    let thumbprint: [UInt8]
    let algorithms: Set<Algorithm>
    let issuer: String?

    /// Returns the identities of all keys of a set, regardless of their order.
    static func all(of keys: KeySet) -> Set<KeyIdentity> {
        Set(
            keys.keys.map {
                KeyIdentity(
                    keyID: $0.keyID, thumbprint: $0.thumbprint, algorithms: $0.algorithms, issuer: $0.issuer)
            })
    }
}
