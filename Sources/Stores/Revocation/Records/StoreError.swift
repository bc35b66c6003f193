/// Why the store could not do what was asked.
package struct StoreError: Error, Sendable, Equatable {
    /// What went wrong, for programs. The list can grow.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as logs and metrics spell it.
        package let description: String

        package init(description: String) {
            self.description = description
        }

        /// A uid that is empty, longer than 128 characters or has control characters, or a malformed tenant. The caller's fault.
        package static let invalidUID = Code(description: "invalid-uid")
        /// A session name that is empty, longer than 256 bytes, has control characters or zeros before a number. The caller's fault.
        package static let invalidSession = Code(description: "invalid-session")
        /// A time that is negative or not in seconds, or a lifetime out of bounds. The caller's fault.
        package static let invalidTime = Code(description: "invalid-time")
        /// An identity, an address, a name, a purpose or the name of a setting that the store does not accept. The caller's fault.
        package static let invalidAccount = Code(description: "invalid-account")
        /// The account has as many links as it may. The caller's fault.
        package static let tooManyLinks = Code(description: "too-many-links")
        /// The stored record of this user, session, account or link is invalid; others are not concerned.
        package static let faultyRecord = Code(description: "faulty-record")
        /// Another process, or another store of this one, has the file.
        package static let inUse = Code(description: "in-use")
        /// The file is not a store, or of a newer version; the server is no Redis, or of an older version.
        package static let incompatible = Code(description: "incompatible")
        /// The file is damaged.
        package static let corrupt = Code(description: "corrupt")
        /// The file cannot be opened or made; the server does not let the gateway in.
        package static let cannotOpen = Code(description: "cannot-open")
        /// The disk is full, or the file or the server's memory reached its bound.
        package static let full = Code(description: "full")
        /// The file, its file system or the server does not allow writing.
        package static let readOnly = Code(description: "read-only")
        /// The file is not where it was opened: it was renamed, replaced or deleted.
        package static let moved = Code(description: "moved")
        /// More writes wait than the store is willing to hold.
        package static let overloaded = Code(description: "overloaded")
        /// The store was closed.
        package static let closed = Code(description: "closed")
        /// Something that cannot fail did, such as hashing. Nothing was stored.
        package static let internalFailure = Code(description: "internal-failure")
        /// Reading or writing failed; the write may or may not be in the storage. The message tells where it is not.
        package static let io = Code(description: "io")
    }

    /// What went wrong, for programs.
    package let code: Code
    /// What went wrong and what to do, for people. Holds no uid and no session.
    package let message: String

    /// An error with its explanation.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension StoreError: CustomStringConvertible {
    /// The code and the explanation.
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

    static func invalidSession() -> StoreError {
        StoreError(
            .invalidSession, "a session has 1 to \(StoreBounds.maximumSessionSize) bytes, without control characters")
    }

    static func paddedSession() -> StoreError {
        StoreError(.invalidSession, "a session that is a time is spelled without zeros before it")
    }

    package static func invalidTime(_ time: Int64) -> StoreError {
        StoreError(
            .invalidTime,
            "\(time) is not a time from 0 to \(StoreBounds.maximumTime); give seconds since 1970, not milliseconds")
    }

    package static func faultySession() -> StoreError {
        .faultyRecord(repair: "revoke the session; its user signs in anew")
    }

    static func invalidLifetime(_ lifetime: Int64) -> StoreError {
        StoreError(.invalidTime, "\(lifetime) is no lifetime from 1 to \(StoreBounds.maximumLifetime) seconds")
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
