import Synchronization
package import GatewayCore

/// A message about a change of an account that another system has to learn.
///
/// It is written in the same step as the change, and delivered at least once. Its ID is never used again.
package struct OutboxMessage: Sendable, Hashable {
    /// The kinds of messages. Raw values are part of the store's contract and of the admin API.
    package enum Kind: String, Sendable, CaseIterable {
        /// A token that is revoked at its provider.
        case revocation
        /// An event for the application's webhook.
        case event
    }

    /// The destination of events.
    package static let webhook = "webhook"

    /// 32 hexadecimal digits, `-`, and a number.
    package let id: String
    package let kind: Kind
    /// The provider of a token, or `webhook`.
    package let destination: String
    package let queued: UnixTime
    /// A JSON object with `uid`, `project` and `tenant` if the user has one, `time`, and further members of the kind.
    package let body: String

    /// Creates a message.
    package init(id: String, kind: Kind, destination: String, queued: UnixTime, body: String) {
        self.id = id
        self.kind = kind
        self.destination = destination
        self.queued = queued
        self.body = body
    }
}

/// The result of polling the outbox.
package struct OutboxPoll: Sendable, Equatable {
    /// Whether the caller has the lease.
    package var isHolder: Bool
    /// Messages that are due, earliest first. Empty without the lease.
    package var messages: [OutboxMessage]
    /// The store's time, in seconds since 1970.
    package var now: UnixTime
    /// The number of messages that wait, without parked ones.
    package var count: Int
    /// The age of the oldest waiting message in seconds. `nil` if none waits.
    package var age: Int64?
    /// The number of parked messages.
    package var parked: Int

    /// Creates a result.
    package init(
        isHolder: Bool, messages: [OutboxMessage] = [], now: UnixTime, count: Int = 0, age: Int64? = nil,
        parked: Int = 0
    ) {
        self.isHolder = isHolder
        self.messages = messages
        self.now = now
        self.count = count
        self.age = age
        self.parked = parked
    }
}

/// The outbox: a durable queue of messages, which all gateways of a store share, and the tokens that its messages
/// revoke.
///
/// A facet of a store, beside `Store`. `release`, `releaseAll` and `deleteAccount` add messages in the same step that
/// removes the identities or the account, so that neither is without the other.
package protocol OutboxStore: Sendable {
    /// Determines the messages that are added.
    var outbox: OutboxSwitch { get }

    /// Keeps a sealed token of an identity until the identity is unlinked, if it is linked to the user. An access token
    /// does not replace a refresh token.
    func keepToken(_ token: KeptToken, of link: IdentityLink, for user: UserKey) async throws(StoreError)

    /// Acquires or renews the lease of the outbox, unless another gateway has it, and returns due messages to its
    /// holder. Removes messages that were parked for longer than `OutboxSwitch.retention`.
    ///
    /// - Parameters:
    ///   - holder: The name of the caller, which is unique.
    ///   - lease: The duration of the lease, in seconds.
    ///   - limit: The maximum number of returned messages.
    func pollOutbox(by holder: String, lease: Int64, limit: Int) async throws(StoreError) -> OutboxPoll

    /// Removes a message that was delivered.
    func removeMessage(_ message: OutboxMessage) async throws(StoreError)

    /// Makes a waiting message due later.
    ///
    /// - Parameter seconds: 1 to `OutboxSwitch.longestDelay`.
    func postponeMessage(_ message: OutboxMessage, by seconds: Int64) async throws(StoreError)

    /// Parks a message: it is not delivered before an operator retries it.
    func parkMessage(_ message: OutboxMessage) async throws(StoreError)

    /// Releases the lease, if the caller has it.
    func releaseOutbox(of holder: String) async throws(StoreError)

    /// Returns parked messages, oldest first.
    func parkedMessages(limit: Int) async throws(StoreError) -> [OutboxMessage]

    /// Makes at most `limit` parked messages due, oldest first. Returns their number.
    func retryMessages(limit: Int) async throws(StoreError) -> Int

    /// Removes at most `limit` parked messages, oldest first. Returns their number.
    func discardMessages(limit: Int) async throws(StoreError) -> Int
}

/// A sealed token of a user at a provider.
package struct KeptToken: Sendable, Equatable {
    /// The prefix of refresh tokens. Access tokens have another letter.
    package static let refreshPrefix = "r:"
    private static let accessPrefix = "a:"
    /// The maximum size of the text, in bytes.
    package static let maximumSize = 8_192

    /// The prefix of the kind, and the sealed token.
    package let text: String

    /// Creates a text. `nil` if it is too long.
    package init?(isRefreshToken: Bool, sealed: String) {
        text = (isRefreshToken ? Self.refreshPrefix : Self.accessPrefix) + sealed
        guard text.utf8.count <= Self.maximumSize else { return nil }
    }

    /// Returns the sealed token in a text. `nil` for another text.
    package static func sealed(in text: String) -> String? {
        for prefix in [refreshPrefix, accessPrefix] where text.utf8.starts(with: prefix.utf8) {
            return String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        }
        return nil
    }
}

/// The policy of a store for the messages of its outbox. A reload of the configuration replaces it.
package final class OutboxSwitch: Sendable {
    package struct Policy: Sendable {
        /// The maximum number of messages, with parked ones.
        package let limit: Int
        /// Whether events for the webhook are added.
        package let sendsEvents: Bool
        /// Called after messages were added, with the number of those that were not accepted.
        package let added: @Sendable (_ dropped: Int) -> Void

        /// Creates a policy.
        package init(limit: Int, sendsEvents: Bool, added: @escaping @Sendable (_ dropped: Int) -> Void) {
            (self.limit, self.sendsEvents, self.added) = (limit, sendsEvents, added)
        }
    }

    /// The maximum delay of a waiting message, in seconds.
    package static let longestDelay: Int64 = 3_600
    /// The time after which a parked message is removed: 30 days, in seconds.
    package static let retention: Int64 = 2_592_000

    private let policy = Mutex<Policy?>(nil)
    private let dropped = Atomic<UInt64>(0)

    package init() {}

    /// The current policy. `nil` if no messages are added.
    package var current: Policy? { policy.withLock { $0 } }

    /// The number of messages of this gateway that the outbox did not accept.
    package var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

    /// Sets the policy. `nil` if no messages are added.
    package func set(_ policy: Policy?) {
        self.policy.withLock { $0 = policy }
    }

    /// Records the messages of an acknowledged change.
    package func record(added: Int, dropped: Int) {
        guard added > 0 || dropped > 0 else { return }
        self.dropped.add(UInt64(max(dropped, 0)), ordering: .relaxed)
        current?.added(dropped)
    }
}

/// The deliveries of a gateway, and the state of the outbox as of the last poll.
package struct OutboxStatus: Sendable, Equatable {
    /// The numbers of deliveries of one kind of messages, by result.
    package struct Counts: Sendable, Equatable {
        package var delivered: UInt64 = 0
        package var failed: UInt64 = 0
        package var parked: UInt64 = 0

        package init() {}
    }

    package var revocations = Counts()
    package var events = Counts()
    /// The number of waiting messages, and the age of the oldest one in seconds. `nil` if none waits.
    package var count = 0
    package var age: Int64?
    /// The number of parked messages.
    package var parked = 0
    /// Whether this gateway has the lease.
    package var isHolder = false
    /// The reason of the last failure. `nil` after a success.
    package var failing: String?
    /// The number of messages that the outbox did not accept.
    package var dropped: UInt64 = 0

    package init() {}

    /// The counts of a kind.
    package subscript(kind kind: OutboxMessage.Kind) -> Counts {
        get { kind == .revocation ? revocations : events }
        set { if kind == .revocation { revocations = newValue } else { events = newValue } }
    }
}
