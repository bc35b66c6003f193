internal import NIOConcurrencyHelpers

/// The user and password of a connection. The description contains no password.
public struct RedisCredentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The ACL user. `nil` for the user `default`.
    public var username: String?
    /// The password, or the token of a managed service.
    public var password: String

    /// Creates credentials.
    public init(username: String? = nil, password: String) {
        self.username = username
        self.password = password
    }

    /// The user.
    public var description: String { username ?? "default" }

    /// An empty mirror, so that `dump` does not show the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Credentials that change while links use them.
///
/// Open connections authenticate again with new credentials, in the order of their commands, so that no command is
/// lost. A link without credentials does not connect.
public final class RenewedCredentials: Sendable {
    private struct State {
        var current: RedisCredentials?
        var failure: String?
        var links: [UInt64: @Sendable () -> Void] = [:]
        var nextNumber: UInt64 = 0
        var rejected: (@Sendable () -> Void)?
    }

    private let state = NIOLockedValueBox(State())

    /// Creates credentials that are not known yet.
    public init() {}

    /// The last credentials. `nil` before the first, and after they expired.
    public var current: RedisCredentials? { state.withLockedValue { $0.current } }

    /// The reason that there are no newer credentials. `nil` if the last renewal succeeded.
    var failure: String? { state.withLockedValue { $0.failure } }

    /// Replaces the credentials. Authenticates no connection again if they are the same.
    public func renew(_ credentials: RedisCredentials) {
        let links = state.withLockedValue { state in
            state.failure = nil
            guard state.current != credentials else { return state.links.filter { _ in false } }
            state.current = credentials
            return state.links
        }
        for authenticate in links.values { authenticate() }
    }

    /// Records that a renewal failed.
    ///
    /// - Parameters:
    ///   - reason: The reason for operators, without secrets.
    ///   - hasExpired: Whether servers reject the current credentials by now. Links then open no connections before the
    ///     next renewal. Open connections are not changed.
    public func renewalFailed(_ reason: String, hasExpired: Bool) {
        state.withLockedValue { state in
            state.failure = reason
            if hasExpired { state.current = nil }
        }
    }

    /// Sets the function that is called, on any thread, when a server rejects the current credentials.
    public func onRejection(_ body: (@Sendable () -> Void)?) {
        state.withLockedValue { $0.rejected = body }
    }

    func reject() {
        state.withLockedValue { $0.rejected }?()
    }

    /// Adds a link. `authenticate` is called on any thread.
    func join(_ authenticate: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLockedValue { state in
            state.nextNumber += 1
            state.links[state.nextNumber] = authenticate
            return state.nextNumber
        }
    }

    func leave(_ number: UInt64) {
        state.withLockedValue { $0.links[number] = nil }
    }
}
