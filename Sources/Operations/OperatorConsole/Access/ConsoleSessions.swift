import GatewayCore
import JOSE
import Revocation
import Synchronization

/// The sessions of the console, in bounded memory of this process: a restart ends all of them.
///
/// A session has two limits: without activity it ends after ``idleLimit``, and in any case after ``absoluteLimit``.
/// Times are monotonic nanoseconds.
package final class ConsoleSessions: Sendable {
    /// The time after which a session without activity ends: 30 minutes.
    package static let idleLimit: UInt64 = 1_800_000_000_000
    /// The time after which a session ends: 8 hours.
    package static let absoluteLimit: UInt64 = 28_800_000_000_000
    /// The maximum number of sessions of a role. One more ends a session of the identity with the most sessions of the
    /// role, the one without activity for the longest time. So viewers cannot end the sessions of operators, nor an
    /// identity those of others. All sessions of tokens count as one identity.
    package static let maximumPerRole = 32

    /// A signed-in browser.
    package struct Session: Sendable {
        /// The role at the sign-in. If the session has an identity, the configuration decides at each request.
        package var role: OperatorRole
        /// The name that the operator stated, for the audit log. It is not verified. `nil` without one.
        package let name: String?
        /// The identity that signed in at a provider. `nil` for a session of a token.
        package let identity: OperatorIdentity?
        /// The name of the session in the audit log. It does not grant access.
        package let label: String
        /// The value that each change must repeat.
        package let csrfToken: String
        fileprivate let startedAt: UInt64
        fileprivate var usedAt: UInt64

        fileprivate func isOver(now: UInt64) -> Bool {
            now > startedAt && now - startedAt > absoluteLimit || now > usedAt && now - usedAt > idleLimit
        }
    }

    /// By the hash of the identifier, so that the time of a search reveals nothing about identifiers.
    private let sessions = Mutex<[SHA256Digest: Session]>([:])

    package init() {}

    /// Begins a session.
    ///
    /// - Returns: The identifier for the cookie, 192 random bits, and the session. `nil` if libcrypto cannot hash.
    package func begin(
        role: OperatorRole, name: String?, identity: OperatorIdentity? = nil, now: UInt64
    ) -> (id: String, session: Session)? {
        let id = RandomText.nonce()
        guard let key = Self.key(of: id) else { return nil }
        let session = Session(
            role: role, name: name, identity: identity, label: String(RandomText.name().prefix(8)),
            csrfToken: RandomText.nonce(), startedAt: now, usedAt: now)
        sessions.withLock { sessions in
            sessions = sessions.filter { !$0.value.isOver(now: now) }
            let others = sessions.filter { $0.value.role == role }
            if others.count >= Self.maximumPerRole {
                let counts = others.values.reduce(into: [IdentityLink?: Int]()) {
                    $0[$1.identity?.link, default: 0] += 1
                }
                let oldest = others.min { one, other in
                    let (count, next) = (counts[one.value.identity?.link] ?? 0, counts[other.value.identity?.link] ?? 0)
                    return count == next ? one.value.usedAt < other.value.usedAt : count > next
                }
                if let oldest { sessions[oldest.key] = nil }
            }
            sessions[key] = session
        }
        return (id, session)
    }

    /// Returns the session of an identifier. `nil` if it is unknown or over.
    ///
    /// - Parameter isActivity: Whether the operator caused the request, so that the session is not idle.
    package func session(_ id: String, isActivity: Bool, now: UInt64) -> Session? {
        guard RandomText.isNonce(id), let key = Self.key(of: id) else { return nil }
        return sessions.withLock { sessions in
            guard let session = sessions[key] else { return nil }
            guard !session.isOver(now: now) else {
                sessions[key] = nil
                return nil
            }
            if isActivity { sessions[key]?.usedAt = now }
            return session
        }
    }

    /// Ends a session.
    package func end(_ id: String) {
        guard let key = Self.key(of: id) else { return }
        sessions.withLock { $0[key] = nil }
    }

    private static func key(of id: String) -> SHA256Digest? { SHA256Hasher()?.hash(Array(id.utf8)) }
}
