import JOSE
import Logging
import OutboundHTTP

/// The log of key set events.
struct KeySetLog: Sendable {
    let logger: Logger

    /// Logs one event of the set that comes from `source`.
    func write(_ event: KeySetEvent, source: String) {
        let line = KeySetLogLine(event)
        var metadata = line.metadata
        metadata["source"] = "\(source)"
        logger.log(level: line.level, line.message, metadata: metadata)
    }
}

/// The log record of an event: a static message, with all variable parts as metadata.
struct KeySetLogLine: Sendable {
    let level: Logger.Level
    let message: Logger.Message
    let metadata: Logger.Metadata

    private init(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        self.level = level
        self.message = message
        self.metadata = metadata
    }

    init(_ event: KeySetEvent) {
        switch event {
        case .loaded(let keyIDs, let lifetime):
            self.init(.info, "key set loaded", ["kids": Self.list(keyIDs), "lifetime": Self.seconds(lifetime)])
        case .changed(let added, let removed):
            self.init(.notice, "key set changed", ["added": Self.list(added), "removed": Self.list(removed)])
        case .unchanged(let lifetime):
            self.init(.debug, "key set refreshed", ["lifetime": Self.seconds(lifetime)])
        case .recovered(let failures):
            self.init(.notice, "key source recovered", ["failures": "\(failures)"])
        case .fetchFailed(let error, let inARow, let retryIn, let usableFor):
            self.init(error, inARow: inARow, retryIn: retryIn, usableFor: usableFor)
        case .gone(let failures):
            self.init(
                .error, "key set expired because its source was unavailable for too long", ["failures": "\(failures)"])
        case .skipped(let keys):
            self.init(.warning, "unusable keys in a key set", ["keys": Self.list(keys)])
        case .unknownKey:
            self.init(.debug, "key set requested for an unknown key")
        }
    }

    /// Creates a warning while the last good set is still usable, otherwise an error.
    private init(_ error: KeyFetchError, inARow: Int, retryIn: UInt64, usableFor: UInt64?) {
        var metadata: Logger.Metadata = [
            "reason": "\(error.code.rawValue)", "detail": "\(error.detail)", "failures": "\(inARow)",
            "retry_in": Self.seconds(retryIn),
        ]
        metadata["usable_for"] = usableFor.map(Self.seconds)
        self.init(usableFor == nil ? .error : .warning, "key set could not be fetched", metadata)
    }

    private static func seconds(_ nanoseconds: UInt64) -> Logger.MetadataValue {
        "\(nanoseconds / 1_000_000_000)s"
    }

    /// Returns the first 16 names, each truncated to 64 characters, because the source controls them and could flood
    /// the log.
    private static func list(_ names: [String]) -> Logger.MetadataValue {
        .array(names.prefix(16).map { "\($0.prefix(64))" })
    }

    private static func list(_ keys: [SkippedKey]) -> Logger.MetadataValue {
        .array(
            keys.prefix(16).map { key in
                .dictionary(["kid": "\((key.keyID ?? "").prefix(64))", "reason": "\(key.reason.prefix(200))"])
            })
    }
}

/// A logged event of one key set. Key IDs are public names; keys never appear.
enum KeySetEvent: Sendable {
    /// The first good set, or the first one after the previous set expired.
    case loaded(keyIDs: [String], lifetime: UInt64)
    /// A refresh returned different keys.
    case changed(added: [String], removed: [String])
    /// A refresh returned the same keys.
    case unchanged(lifetime: UInt64)
    /// A fetch succeeded after `failures` consecutive failures.
    case recovered(failures: Int)
    /// A fetch failed; the next one starts after `retryIn`. `usableFor` is the remaining lifetime of the last good set.
    case fetchFailed(KeyFetchError, inARow: Int, retryIn: UInt64, usableFor: UInt64?)
    /// The last good set exceeded its lifetime and `stale_for`.
    case gone(failures: Int)
    /// The set contains unusable keys; logged when they change.
    case skipped([SkippedKey])
    /// A token names a key that is not in the set, so the source is fetched again.
    case unknownKey
}
