extension ProviderService {
    /// Answers `POST /introspect` (RFC 7662).
    func introspect(_ request: ReceivedRequest) -> Answer {
        guard request.method == "POST" else { return .notAllowed("POST") }
        guard let form = FormFields(bodyOf: request) else { return .oauthError("invalid_request") }
        switch Self.client(of: request, form) {
        case .invalid: return .oauthError("invalid_request")
        case .known(let credentials, let way):
            let client = opaque.client(for: .introspected)
            guard credentials == BasicCredentials(user: client.id, password: client.secret),
                client.accepts.contains(way)
            else { return .invalidClient }
        case .none: return .invalidClient
        }
        guard let token = form["token"], !token.isEmpty else { return .oauthError("invalid_request") }
        return .secretJSON(.object(opaque.ask(token, .introspected)?.answer ?? ["active": false]))
    }

    private enum ClientOfRequest {
        case none
        case known(BasicCredentials, DevelopmentClient.Authentication)
        /// More than one way at a time (RFC 6749 section 2.3).
        case invalid
    }

    private static func client(of request: ReceivedRequest, _ form: FormFields) -> ClientOfRequest {
        let isInBody = form["client_secret"] != nil
        guard request.value(of: "Authorization") != nil else {
            guard let id = form["client_id"], let secret = form["client_secret"] else { return .none }
            return .known(BasicCredentials(user: id, password: secret), .post)
        }
        guard !isInBody else { return .invalid }
        return BasicCredentials(request)?.formDecoded.map { .known($0, .basic) } ?? .none
    }
}

extension Answer {
    /// An error of OAuth (RFC 6749 section 5.2).
    static func oauthError(_ code: String, _ description: String? = nil, status: Int = 400) -> Answer {
        var error: JSONObject = ["error": .string(code)]
        error["error_description"] = description.map(JSON.string)
        return .secretJSON(.object(error), status: status)
    }

    fileprivate static var invalidClient: Answer {
        var answer = oauthError("invalid_client", status: 401)
        answer.fields.append(("WWW-Authenticate", "Basic realm=\"introspection\""))
        return answer
    }

    /// JSON that nobody may keep.
    static func secretJSON(_ value: JSON, status: Int = 200) -> Answer {
        var answer = json(value, status: status)
        answer.fields += [("Cache-Control", "no-store"), ("Pragma", "no-cache")]
        return answer
    }

    static func notAllowed(_ method: String) -> Answer {
        var answer = json(["error": .string("the method must be \(method)")], status: 405)
        answer.fields.append(("Allow", method))
        return answer
    }
}
