package import GatewayCore

/// A message about a change of an account that another system has to learn.
///
/// It is written in the same step as the change, and delivered at least once. Its ID is never used again. The messages
/// of one destination are a queue of their own, with its own bounds and its own lease.
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

/// A message that is not delivered before an operator or a change of the configuration makes it wait again.
package struct ParkedMessage: Sendable, Hashable {
    /// Why a message is parked. Raw values are part of the store's contract and of the admin API.
    package enum Reason: String, Sendable, CaseIterable {
        /// No key of `accounts.token_keys` opens the token.
        case tokenKey = "token_key"
        /// The configuration has no such destination, or another client than that of the token.
        case configuration
        /// The destination rejected the message for good, or the message is invalid.
        case rejected
        /// The delivery failed for three days.
        case expired

        /// The reasons that another configuration can remove.
        package static let configurable: Set<Reason> = [.tokenKey, .configuration]
    }

    package let message: OutboxMessage
    package let reason: Reason

    package init(message: OutboxMessage, reason: Reason) {
        (self.message, self.reason) = (message, reason)
    }
}

/// The result of polling the queue of one destination.
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
    /// All destinations that have messages, or had a poll.
    package var destinations: Set<String>

    /// Creates a result.
    package init(
        isHolder: Bool, messages: [OutboxMessage] = [], now: UnixTime, count: Int = 0, age: Int64? = nil,
        parked: Int = 0, destinations: Set<String> = []
    ) {
        self.isHolder = isHolder
        self.messages = messages
        self.now = now
        self.count = count
        self.age = age
        self.parked = parked
        self.destinations = destinations
    }
}

/// The outbox: durable queues of messages, one for each destination, which all gateways of a store share, and the
/// tokens that its messages revoke.
///
/// A facet of a store, beside `Store`. `release`, `releaseAll` and `deleteAccount` add messages in the same step that
/// removes the identities or the account, so that neither is without the other.
package protocol OutboxStore: Sendable {
    /// Determines the messages that are added.
    var outbox: OutboxSwitch { get }

    /// Keeps a sealed token of an identity until the identity is unlinked, if it is linked to the user.
    ///
    /// A refresh token replaces all earlier tokens. An access token replaces an earlier access token; beside an earlier
    /// refresh token, both are kept, because Google issues a refresh token only at the first consent. The removal of
    /// the identity adds a message for each.
    func keepToken(_ token: KeptToken, of link: IdentityLink, for user: UserKey) async throws(StoreError)

    /// Counts a removal that a user requested.
    ///
    /// - Returns: `false` if the user has requested more than `OutboxSwitch.removalsPerDay` within 24 hours.
    func countRemoval(by user: UserKey) async throws(StoreError) -> Bool

    /// Counts a link that the application sends to an address, whichever user requested it.
    ///
    /// - Returns: `false` if more than `OutboxSwitch.linksPerHour` links to the address were requested within an hour.
    func countLink(to email: String) async throws(StoreError) -> Bool

    /// Acquires or renews the lease of a destination, unless another gateway has it, and returns due messages to its
    /// holder. Removes messages that were parked for longer than `OutboxSwitch.retention`.
    ///
    /// - Parameters:
    ///   - destination: The destination, of which the store remembers the name.
    ///   - holder: The name of the caller, which is unique.
    ///   - lease: The duration of the lease, in seconds.
    ///   - limit: The maximum number of returned messages.
    func pollOutbox(
        of destination: String, by holder: String, lease: Int64, limit: Int
    ) async throws(StoreError) -> OutboxPoll

    /// Removes a message that was delivered.
    func removeMessage(_ message: OutboxMessage) async throws(StoreError)

    /// Makes a waiting message due later.
    ///
    /// - Parameter seconds: 1 to `OutboxSwitch.longestDelay`.
    func postponeMessage(_ message: OutboxMessage, by seconds: Int64) async throws(StoreError)

    /// Parks a message.
    func parkMessage(_ message: OutboxMessage, for reason: ParkedMessage.Reason) async throws(StoreError)

    /// Releases the lease of a destination, if the caller has it.
    func releaseOutbox(of destination: String, by holder: String) async throws(StoreError)

    /// Returns parked messages of a destination, oldest first.
    func parkedMessages(of destination: String, limit: Int) async throws(StoreError) -> [ParkedMessage]

    /// Makes at most `limit` parked messages of a destination due, oldest first. Returns their number.
    ///
    /// - Parameter reasons: Why they are parked.
    func retryMessages(
        of destination: String, parkedFor reasons: Set<ParkedMessage.Reason>, limit: Int
    ) async throws(StoreError) -> Int

    /// Removes at most `limit` parked messages of a destination, oldest first. Returns their number.
    func discardMessages(of destination: String, limit: Int) async throws(StoreError) -> Int
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
