internal import JOSE
internal import Synchronization

/// The consumed App Check tokens.
final class ConsumedTokens: Sendable {
    /// The maximum number of tokens. Further ones are not consumed.
    static let mostTokens = 65_536

    private let consumed = Mutex<Set<[UInt8]>>([])

    /// Consumes a token by its ID. Returns whether it was consumed before. `nil` if there are too many.
    func consume(_ id: String) -> Bool? {
        consumed.withLock { consumed in
            let id = Array(id.utf8)
            guard !consumed.contains(id) else { return true }
            guard consumed.count < Self.mostTokens else { return nil }
            consumed.insert(id)
            return false
        }
    }
}

extension ProviderService {
    /// The accepted scopes. One of them is sufficient.
    private static let scopes = ["cloud-platform", "firebase"].map { "https://www.googleapis.com/auth/\($0)" }

    /// Responds to `POST /v1beta/projects/{project}:verifyAppCheckToken`. A token is consumed by its `jti`, or as a
    /// whole without one.
    func consumeAppToken(_ request: ReceivedRequest) -> Response {
        guard request.method == "POST" else { return .notAllowed("POST") }
        guard let token = request.authorization(scheme: "bearer"), let grant = accessTokens.grant(token, now: now())
        else { return .google(.unauthenticated) }
        guard grant.scopes.contains(where: Self.scopes.contains) else { return .google(.permissionDenied) }
        guard request.bodyText != nil, let body = JSONObject(parsing: request.bodyPrefix),
            let text = (body["app_check_token"] ?? body["appCheckToken"])?.string
        else { return .google(.invalidArgument) }
        guard let id = appTokenID(text) else { return .google(.permissionDenied) }
        switch consumedTokens.consume(id) {
        case nil: return .google(.unavailable)
        case false: return .json([:])
        case true: return .json(["alreadyConsumed": true])
        }
    }

    /// Returns the ID of a token that this provider signed. `nil` for another one.
    private func appTokenID(_ text: String) -> String? {
        let keys = state.withLock { $0.keys }[.idToken]
        guard let token = try? UnverifiedJWS(text), let jwk = keys.first(where: { $0.keyID == token.keyID })?.jwk,
            let key = try? KeySet(jwkSet: Array("{\"keys\":[\(jwk)]}".utf8)).keys.first,
            let verified = token.verify(with: key, algorithm: .rs256)
        else { return nil }
        return verified.payload.root["jti"]?.string ?? text
    }
}
