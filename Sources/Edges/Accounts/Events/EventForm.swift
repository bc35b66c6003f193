import RequestPipeline

/// The forms of events that are taken.
enum EventForm: Sendable {
    /// Apple's server-to-server notifications.
    case appleNotification
    /// OpenID Connect Back-Channel Logout 1.0 section 2.4.
    case logoutToken

    /// The `typ` that such a token may have besides JWT and none, in lower case.
    var type: String {
        switch self {
        case .appleNotification: "secevent+jwt"
        case .logoutToken: "logout+jwt"
        }
    }

    /// How long a token without `exp` counts after `iat`, in seconds; nil: it must have one.
    var lifeWithoutExpiry: Int64? {
        switch self {
        case .appleNotification: nil
        // The claim came with an erratum, so that older providers' tokens have none.
        case .logoutToken: 600
        }
    }
}
