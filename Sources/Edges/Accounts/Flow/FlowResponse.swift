import GatewayCore
import JOSE

/// The response of a provider to an authorization request, in a query or a form.
struct FlowResponse: Sendable {
    private static let limits = JSONLimits(size: 2 * FlowFields.maximumSize, depth: 4, members: 16)

    /// The maximum size of a code, in bytes.
    static let maximumCode = 4_096
    /// The maximum size of any other text in a posted form, in bytes.
    private static let maximumText = 512

    var state: String?
    var code: String?
    var issuer: String?
    var error: String?
    /// The display name that Apple sends at the first sign-in only. It is not signed.
    var name: String?

    /// Creates a response without fields.
    init() {}

    init(_ fields: FlowFields) throws(AccountDenial) {
        state = fields["state"]
        code = fields["code"]
        issuer = fields["iss"]
        error = fields["error"]
    }

    /// Whether no text is longer than a provider's own.
    var hasBounds: Bool {
        (code?.utf8.count ?? 0) <= Self.maximumCode
            && [issuer, error, name].allSatisfy { ($0?.utf8.count ?? 0) <= Self.maximumText }
    }

    /// The JSON text.
    var text: String {
        var text = ObjectText()
        text.add("state", state)
        text.add("code", code)
        text.add("iss", issuer)
        text.add("error", error)
        text.add("name", name)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Parses the JSON text.
    init?(text: String) {
        guard let root = (try? JSONDocument(Array(text.utf8), limits: Self.limits))?.root else { return nil }
        state = root["state"]?.string
        code = root["code"]?.string
        issuer = root["iss"]?.string
        error = root["error"]?.string
        name = root["name"]?.string
    }
}

/// The reasons to end a flow that are neither the provider's fault nor a denial of the account.
enum FlowError: Error, Equatable {
    /// The user refused.
    case cancelled
    /// The provider needs the user, although the app asked it not to show anything.
    case loginRequired
    /// The provider has a temporary problem.
    case unavailable
    /// The provider rejected the request for another reason.
    case refused(String)
    /// The session of the request is not the one that started the flow.
    case sessionChanged

    /// Creates the error of a provider's `error`.
    init(provider error: String) {
        switch error {
        case "access_denied", "user_cancelled_authorize", "user_cancelled_login": self = .cancelled
        case "login_required", "interaction_required", "consent_required", "account_selection_required":
            self = .loginRequired
        case "temporarily_unavailable", "server_error": self = .unavailable
        default: self = .refused(error)
        }
    }
}
