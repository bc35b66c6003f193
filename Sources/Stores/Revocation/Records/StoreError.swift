/// The reason that an operation of the store failed.
package struct StoreError: Error, Sendable, Equatable {
    /// The kind of error. The list can grow.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name in logs and metrics.
        package let description: String

        package init(description: String) {
            self.description = description
        }

        /// A uid that is empty, longer than 128 characters or has control characters, or an invalid tenant or project.
        /// An error of the caller.
        package static let invalidUID = Code(description: "invalid-uid")
        /// A session name that is empty, longer than 256 bytes, or has control characters or leading zeros. An error
        /// of the caller.
        package static let invalidSession = Code(description: "invalid-session")
        /// A time that is negative or not in seconds, or a lifetime out of bounds. An error of the caller.
        package static let invalidTime = Code(description: "invalid-time")
        /// An invalid identity, address, name, purpose or name of a setting. An error of the caller.
        package static let invalidAccount = Code(description: "invalid-account")
        /// The account has the maximum number of links. An error of the caller.
        package static let tooManyLinks = Code(description: "too-many-links")
        /// The stored record of this user, session, account or link is invalid. Other records are not affected.
        package static let faultyRecord = Code(description: "faulty-record")
        /// Another process, or another store of this process, has opened the file.
        package static let inUse = Code(description: "in-use")
        /// The file is not a store or has a newer version, or the server is not Redis or has an older version.
        package static let incompatible = Code(description: "incompatible")
        /// The file is damaged.
        package static let corrupt = Code(description: "corrupt")
        /// The file cannot be opened or created, or the server rejects the credentials.
        package static let cannotOpen = Code(description: "cannot-open")
        /// The disk is full, or the file or the server's memory has reached its limit.
        package static let full = Code(description: "full")
        /// The file, its file system or the server does not permit writes.
        package static let readOnly = Code(description: "read-only")
        /// The file was renamed, replaced or deleted after it was opened.
        package static let moved = Code(description: "moved")
        /// Too many writes are pending.
        package static let overloaded = Code(description: "overloaded")
        /// The store was closed.
        package static let closed = Code(description: "closed")
        /// An operation that is expected never to fail, such as hashing, failed. Nothing was stored.
        package static let internalFailure = Code(description: "internal-failure")
        /// Reading or writing failed. The write may be in the storage, unless the message excludes it.
        package static let io = Code(description: "io")
    }

    /// The kind of error, for code.
    package let code: Code
    /// The problem and its remedy, for people. Contains no uid and no session.
    package let message: String

    /// Creates an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension StoreError: CustomStringConvertible {
    /// The code and the message.
    package var description: String { "\(code): \(message)" }
}

extension StoreError {
    static func invalidUID() -> StoreError {
        StoreError(
            .invalidUID, "a uid has 1 to \(StoreBounds.maximumUIDLength) characters, none of them a control character")
    }

    static func invalidTenant() -> StoreError {
        StoreError(
            .invalidUID, "a tenant has 1 to \(UserKey.maximumTenantSize) letters, digits, hyphens and underscores"
        )
    }

    static func invalidProject() -> StoreError {
        StoreError(
            .invalidUID, "a project is the id of a Firebase project, of at most \(UserKey.maximumProjectSize) bytes")
    }

    static func invalidSession() -> StoreError {
        StoreError(
            .invalidSession, "a session has 1 to \(StoreBounds.maximumSessionSize) bytes, without control characters")
    }

    static func paddedSession() -> StoreError {
        StoreError(.invalidSession, "a session that is a time is written without leading zeros")
    }

    package static func invalidTime(_ time: Int64) -> StoreError {
        StoreError(
            .invalidTime,
            "\(time) is not a time from 0 to \(StoreBounds.maximumTime); write seconds since 1970, not milliseconds")
    }

    package static func faultySession() -> StoreError {
        .faultyRecord(repair: "revoke the session; its user must sign in again")
    }

    static func invalidLifetime(_ lifetime: Int64) -> StoreError {
        StoreError(.invalidTime, "\(lifetime) is not a lifetime from 1 to \(StoreBounds.maximumLifetime) seconds")
    }

    static func invalidPurpose() -> StoreError {
        StoreError(.invalidAccount, "a nonce's purpose has 1 to \(StoreBounds.maximumPurposeSize) letters a to z and -")
    }

    package static func faultyRecord(repair: String) -> StoreError {
        StoreError(.faultyRecord, "the stored record is invalid; \(repair)")
    }

    package static func readOnly() -> StoreError {
        StoreError(.readOnly, "the store's file is read-only; make it and its folder writable")
    }

    package static func closed() -> StoreError {
        StoreError(.closed, "the store was closed")
    }
}
