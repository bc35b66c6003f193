internal import TextCoding

extension ProviderService {
    /// Responds to `POST /introspect` (RFC 7662).
    func introspect(_ request: ReceivedRequest) -> Response {
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
        return .secretJSON(.object(opaque.lookUp(token, .introspected)?.response ?? ["active": false]))
    }

    private enum ClientOfRequest {
        case none
        case known(BasicCredentials, DevelopmentClient.Authentication)
        /// Several methods at once (RFC 6749 section 2.3).
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

    /// Responds to `POST /applications/{client_id}/token`, GitHub's token check.
    ///
    /// 404 is the response for an unknown token and for a token of another application.
    func checkGitHubToken(_ request: ReceivedRequest) -> Response {
        guard request.method == "POST" else { return .notAllowed("POST") }
        guard request.value(of: "User-Agent")?.isEmpty == false else {
            return .gitHub(
                403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header")
        }
        let client = opaque.client(for: .gitHub)
        let named = request.path.split(separator: "/").dropFirst().first.flatMap {
            PercentEncoding.decodedText($0.utf8)
        }
        guard BasicCredentials(request) == BasicCredentials(user: client.id, password: client.secret),
            named == client.id
        else { return .gitHub(401, "Bad credentials") }
        guard request.bodyText != nil, let body = JSONObject(parsing: request.bodyPrefix) else {
            return .gitHub(400, "Problems parsing JSON")
        }
        guard let text = body["access_token"]?.string, !text.isEmpty else { return .gitHub(422, "Validation Failed") }
        guard let token = opaque.lookUp(text, .gitHub), token.clientID == client.id else {
            return .gitHub(404, "Not Found")
        }
        return .json(.object(token.response))
    }

    /// Responds to `GET /debug_token?input_token=T&access_token=APPID|APPSECRET`.
    ///
    /// The response for an unknown token is 200 with `is_valid` false.
    func debugFacebookToken(_ request: ReceivedRequest) -> Response {
        guard request.method == "GET" else { return .notAllowed("GET") }
        let client = opaque.client(for: .facebook)
        guard let query = request.query, query["access_token"] == "\(client.id)|\(client.secret)" else {
            return .facebookError(190, "Invalid OAuth access token signature.")
        }
        guard let text = query["input_token"], !text.isEmpty else {
            return .facebookError(100, "(#100) The parameter input_token is required")
        }
        guard let token = opaque.lookUp(text, .facebook) else {
            return .json([
                "data": [
                    "error": ["code": 190, "message": "Invalid OAuth access token."], "is_valid": false, "scopes": [],
                ]
            ])
        }
        guard token.clientID == client.id else {
            return .facebookError(100, "(#100) The App_id in the input_token did not match the Viewing App")
        }
        return .json(.object(token.response))
    }
}

extension Response {
    /// Returns an OAuth error (RFC 6749 section 5.2).
    static func oauthError(_ code: String, _ description: String? = nil, status: Int = 400) -> Response {
        var error: JSONObject = ["error": .string(code)]
        error["error_description"] = description.map(JSON.string)
        return .secretJSON(.object(error), status: status)
    }

    fileprivate static var invalidClient: Response {
        var response = oauthError("invalid_client", status: 401)
        response.fields.append(("WWW-Authenticate", "Basic realm=\"introspection\""))
        return response
    }

    /// Returns JSON that must not be cached.
    static func secretJSON(_ value: JSON, status: Int = 200) -> Response {
        var response = json(value, status: status)
        response.fields += [("Cache-Control", "no-store"), ("Pragma", "no-cache")]
        return response
    }

    static func notAllowed(_ method: String) -> Response {
        var response = json(["error": .string("the method must be \(method)")], status: 405)
        response.fields.append(("Allow", method))
        return response
    }

    fileprivate static func gitHub(_ status: Int, _ message: String) -> Response {
        .json(
            [
                "message": .string(message), "documentation_url": "https://docs.github.com/rest",
                "status": .string("\(status)"),
            ], status: status)
    }

    fileprivate static func facebookError(_ code: Int64, _ message: String) -> Response {
        .json(
            ["error": ["message": .string(message), "type": "OAuthException", "code": .integer(code)]], status: 400)
    }
}
