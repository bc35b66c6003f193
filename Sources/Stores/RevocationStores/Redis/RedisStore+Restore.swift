import GatewayCore
import Logging
import Revocation

/// The names of the records that the view has hashes of, as many as are kept.
struct KnownRecords {
    /// The most names. Each takes about 150 bytes.
    static let limit = 1_000_000

    private var keys: Set<ReplicaKey> = []

    var all: [ReplicaKey] { Array(keys) }

    mutating func note(_ key: ReplicaKey, isThere: Bool) {
        if !isThere { keys.remove(key) } else if keys.count < Self.limit { keys.insert(key) }
    }
}

/// A record to be written back.
struct LostRecord: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case user(UserRecord)
        /// A session that was revoked.
        case session(String)
    }

    let user: UserKey
    let content: Content

    /// Nil for what cannot be written back, such as a faulty record.
    init?(_ key: ReplicaKey, _ word: RecordWord, names: inout [UInt8]) {
        switch key.bytes.withUnsafeBytes({ RedisRecordKey(parsing: $0, names: &names) }) {
        case .user:
            guard case .record(let validSince, let disabled) = word.user,
                let name = String(validating: names, as: UTF8.self)
            else { return nil }
            user = UserKey(name: name)
            content = .user(UserRecord(validSince: validSince, disabled: disabled))
        case .session(let count):
            guard case .record(revoked: true, _, _) = word.session,
                let name = String(validating: names[..<count], as: UTF8.self),
                let session = String(validating: names[count...], as: UTF8.self)
            else { return nil }
            user = UserKey(name: name)
            content = .session(session)
        case nil: return nil
        }
    }
}

extension RedisStore {
    /// Writes lost records back: the later time wins, and disabled stays disabled. What fails is tried again later.
    func restore(_ records: [LostRecord]) async {
        var failures = 0
        for record in records {
            do throws(StoreError) {
                switch record.content {
                case .user(let user):
                    if let time = user.validSince { try await revoke(record.user, at: time.seconds, .before) }
                    if user.disabled { try await setDisabled(record.user, true) }
                // When it would have expired is not known: it stays.
                case .session(let session): try await revokeSession(record.user, session, expires: nil)
                }
            } catch {
                failures += 1
                if error.code == .closed || failures == 3 { break }
            }
        }
        logger.notice(
            "revocations: records were written back",
            metadata: ["records": "\(records.count)", "failures": "\(failures)"])
    }
}
