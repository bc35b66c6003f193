import Accounts
import GatewayCore
import JOSE

/// The response to a call.
struct CallAnswer: Sendable {
    let reply: AccountReply

    /// `ok`, or the code of the denial.
    var code: String { denial.map { "\($0.code.wire)" } ?? "ok" }

    var denial: Denial? {
        guard case .refused(let denial, _) = reply else { return nil }
        return denial
    }

    var isAccepted: Bool {
        guard case .accepted = reply else { return false }
        return true
    }

    /// Whether a security event was stored.
    var isStored: Bool {
        guard case .eventStored = reply else { return false }
        return true
    }

    /// The code of the rejection of a security event.
    var rejection: SecurityEventError.Code? {
        guard case .eventRejected(let error) = reply else { return nil }
        return error.code
    }

    var cookie: SessionCookie? {
        switch reply {
        case .json(_, let cookie), .done(let cookie), .refused(_, let cookie): cookie
        case .redirect(_, let cookies):
            cookies.lazy.compactMap { if case .session(let cookie) = $0 { cookie } else { nil } }.first
        case .accepted, .eventStored, .eventRejected, .authorization, .page, .onward, .signInPage: nil
        }
    }

    /// The address of a redirect, or of the provider for a page to navigate to.
    var location: String? {
        switch reply {
        case .redirect(let location, _), .authorization(let location, _): location
        default: nil
        }
    }

    /// The binding of flows that a response sets.
    var binding: String? {
        switch reply {
        case .authorization(_, let binding): binding
        case .redirect(_, let cookies):
            cookies.lazy.compactMap { if case .binding(let binding) = $0 { binding } else { nil } }.first
        default: nil
        }
    }

    /// The text of the page that leads a browser onward.
    var onward: String? {
        guard case .onward(let bytes) = reply else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text of an error page.
    var page: String? {
        guard case .page(let bytes) = reply else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    var token: String? {
        guard case .set(let token, _)? = cookie else { return nil }
        return token
    }

    /// The JSON text of the response, or the members of the denial.
    var text: String {
        switch reply {
        case .json(let text, _): String(decoding: text, as: UTF8.self)
        case .refused(let denial, _): "{\(String(decoding: denial.members ?? [], as: UTF8.self))}"
        case .eventRejected(let error): String(decoding: error.body, as: UTF8.self)
        case .done, .accepted, .eventStored, .redirect, .authorization, .page, .onward, .signInPage: ""
        }
    }

    var json: JSONValue? { try? JSONDocument(Array(text.utf8), limits: .keySet).root }

    func string(_ name: String) -> String? { json?[name]?.string }

    var uid: String? { string("uid") }
    var isNew: Bool? { json?["is_new_user"]?.bool }
    var pending: String? { string("pending_token") }
    var providers: [String]? { json?["providers"]?.elements.compactMap(\.string) }

    /// The claims of the cookie.
    var claims: JSONValue? { token.flatMap { try? UnverifiedJWS($0) }?.payload.root }
}
