import GatewayCore
package import Revocation
import Synchronization

/// The last sign-ins of users at this gateway, for operators, in bounded memory.
package final class RecentSignIns: Sendable {
    /// One sign-in.
    package struct SignIn: Sendable, Equatable {
        /// The purpose of the proof.
        package enum Purpose: String, Sendable {
            case signIn = "sign_in"
            case reauthentication = "reauthentication"
        }

        /// In seconds since 1970.
        package let time: Int64
        /// The provider. `nil` if the credential does not state one.
        package let provider: String?
        package let purpose: Purpose

        package init(time: Int64, provider: String?, purpose: Purpose) {
            self.time = time
            self.provider = provider
            self.purpose = purpose
        }
    }

    /// The maximum numbers of users, and of sign-ins of each. Of more users, the one that was added first is evicted.
    package static let userLimit = 4096
    package static let limit = 16

    private let users = Mutex(BoundedTable<UserKey, [SignIn]>(limit: RecentSignIns.userLimit))

    /// Creates an empty list.
    package init() {}

    /// Records a sign-in.
    package func record(_ signIn: SignIn, of user: UserKey) {
        users.withLock { users in
            users.set(Array((users[user] ?? []).suffix(Self.limit - 1)) + [signIn], for: user)
        }
    }

    /// Returns the sign-ins of a user, oldest first.
    package func signIns(of user: UserKey) -> [SignIn] { users.withLock { $0[user] ?? [] } }
}
