import AdminAPI
import GatewayCore
import Revocation

/// The last denials of users on one event loop, for operators, in bounded memory: about 200 KB and the names.
struct RecentDenials {
    /// The maximum numbers of users, and of denials of each. Of more users, the one that was added first is evicted.
    static let userLimit = 256
    static let limit = 16

    private var users = BoundedTable<UserKey, [UserActivity.Denial]>(limit: RecentDenials.userLimit)

    /// Records a denial. Equal denials in succession are counted.
    mutating func record(_ denial: UserActivity.Denial, of user: UserKey) {
        var denials = users[user] ?? []
        if let last = denials.last, last.isLike(denial) {
            denials[denials.count - 1].time = denial.time
            denials[denials.count - 1].count &+= denial.count
        } else {
            if denials.count == Self.limit { denials.removeFirst() }
            denials.append(denial)
        }
        users.set(denials, for: user)
    }

    /// Returns the denials of a user, oldest first.
    func denials(of user: UserKey) -> [UserActivity.Denial] { users[user] ?? [] }
}
