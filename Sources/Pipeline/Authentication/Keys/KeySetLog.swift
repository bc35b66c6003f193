import JOSE
import Logging
import OutboundHTTP

/// Writes what happens to key sets into the log.
struct KeySetLog: Sendable {
    let logger: Logger

    /// One line for `event` of the set that comes from `source`.
    func write(_ event: KeySetEvent, source: String) {
        let line = KeySetLogLine(event)
        var metadata = line.metadata
        metadata["source"] = "\(source)"
        logger.log(level: line.level, line.message, metadata: metadata)
    }
}

/// An event as the log has it: a static message, everything that varies as metadata.
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
            self.init(.error, "key set is gone: its source was down for too long", ["failures": "\(failures)"])
        case .skipped(let keys):
            self.init(.warning, "keys left out of a key set", ["keys": Self.list(keys)])
        case .unknownKey:
            self.init(.debug, "key set asked for because of a key that it has not")
        }
    }

    /// A warning while the last good set still counts, an error when none does.
    private init(_ error: KeyFetchError, inARow: Int, retryIn: UInt64, usableFor: UInt64?) {
        var metadata: Logger.Metadata = [
            "reason": "\(error.code.rawValue)", "detail": "\(error.detail)", "failures": "\(inARow)",
            "retry_in": Self.seconds(retryIn),
        ]
        metadata["usable_for"] = usableFor.map(Self.seconds)
        self.init(usableFor == nil ? .error : .warning, "key set could not be read", metadata)
    }

    private static func seconds(_ nanoseconds: UInt64) -> Logger.MetadataValue {
        "\(nanoseconds / 1_000_000_000)s"
    }

    /// The first 16 names, each cut to 64 characters: a source chooses them, and so may not flood the log.
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

/// What is worth a line in the log about one key set. Key ids are public names; keys themselves never appear.
enum KeySetEvent: Sendable {
    /// The first good set, or the first after the last one was gone.
    case loaded(keyIDs: [String], lifetime: UInt64)
    /// A refresh brought other keys.
    case changed(added: [String], removed: [String])
    /// A refresh brought the same keys.
    case unchanged(lifetime: UInt64)
    /// A fetch succeeded after so many failures in a row.
    case recovered(failures: Int)
    /// A fetch failed; the next one starts after `retryIn`. `usableFor` is what the last good set has left.
    case fetchFailed(KeyFetchError, inARow: Int, retryIn: UInt64, usableFor: UInt64?)
    /// The last good set outlived its lifetime and `stale_for`.
    case gone(failures: Int)
    /// Keys of the set that cannot be used; told when they change.
    case skipped([SkippedKey])
    /// A token names a key that the set has not, and the source is asked for it.
    case unknownKey
}
