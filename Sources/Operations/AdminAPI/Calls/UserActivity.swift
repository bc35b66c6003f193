package import GatewayCore

/// The last denials and sign-ins of a user at this gateway, in the admin API.
package struct UserActivity: Sendable, Equatable {
    /// One denied request, or several equal ones in succession.
    package struct Denial: Sendable, Equatable {
        /// When the last of them ended, in seconds since 1970.
        package var time: Int64
        package let code: DecisionCode
        /// The phase that denied the request.
        package let phase: DecisionPhase
        /// The pattern of the route. `nil` without one.
        package let route: String?
        package var count: UInt64 = 1

        /// Creates a denial.
        package init(time: Int64, code: DecisionCode, phase: DecisionPhase, route: String?) {
            self.time = time
            self.code = code
            self.phase = phase
            self.route = route
        }

        /// Returns whether another denial differs only in its time.
        package func isLike(_ other: Denial) -> Bool {
            code == other.code && phase == other.phase && route == other.route
        }
    }

    /// One sign-in with the gateway's accounts.
    package struct SignIn: Sendable, Equatable {
        package let time: Int64
        /// The provider. `nil` if it is unknown.
        package let provider: String?
        /// `sign_in` or `reauthentication`.
        package let kind: String

        /// Creates a sign-in.
        package init(time: Int64, provider: String?, kind: String) {
            self.time = time
            self.provider = provider
            self.kind = kind
        }
    }

    /// The maximum number of listed denials.
    static let limit = 16

    /// When the memory began, in seconds since 1970.
    package let since: Int64
    /// Newest first.
    package let denials: [Denial]
    package let signIns: [SignIn]

    /// Creates the activity of a user, from lists in any order.
    package init(since: Int64, denials: [Denial], signIns: [SignIn]) {
        self.since = since
        self.denials = Array(denials.sorted { $0.time > $1.time }.prefix(Self.limit))
        self.signIns = signIns.sorted { $0.time > $1.time }
    }
}
