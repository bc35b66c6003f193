import GatewayCore
import JOSE
import OutboundHTTP
import TextCoding

/// The redemption of an authorization code (RFC 6749 section 4.1.3).
///
/// A code is valid once, so that no request is repeated. All requests of one callback share a timeout of ten seconds.
/// Redirects are not followed, and a response has at most 1 MiB.
struct TokenExchange: Sendable {
    /// The timeout of all requests of one callback, in nanoseconds.
    static let timeout: UInt64 = 10_000_000_000
    /// The maximum size of a response, in bytes.
    package static let sizeLimit = 1 << 20
    private static let limits = JSONLimits(size: sizeLimit, depth: 32, members: 16_384)

    let provider: FlowProvider
    let transport: any OutboundTransport
    let clock: GatewayClock
    private let deadline: UInt64

    init(provider: FlowProvider, transport: any OutboundTransport, clock: GatewayClock) {
        self.provider = provider
        self.transport = transport
        self.clock = clock
        deadline = clock.monotonic() + Self.timeout
    }

    /// The tokens of a response.
    struct Tokens: Sendable {
        let idToken: String?
        let accessToken: String?
        let refreshToken: String?
        let scopes: [String]
    }

    /// Redeems the code of a flow at the endpoint of its record.
    func redeem(_ code: String, of record: FlowRecord) async throws -> Tokens {
        let (body, authorization) = try form(code, record)
        var fields: [(name: String, value: String)] = [("content-type", "application/x-www-form-urlencoded")]
        if let authorization { fields.append(("authorization", authorization)) }
        let response = try await send(
            OutboundRequest(method: .post, url: record.endpoints.token, fields: fields, body: body))
        let document = try? JSONDocument(response.body, limits: Self.limits)
        let root = document?.root
        // Some providers report errors with the status 200.
        if let error = root?["error"], error.kind != .null, (200..<500).contains(response.status) {
            throw Self.failure(error)
        }
        guard response.status == 200 else {
            throw FlowFailure.unavailable("the token endpoint: status \(response.status)")
        }
        guard let root, root.kind == .object else {
            throw FlowFailure.unavailable("the token endpoint: no JSON object")
        }
        return Tokens(
            idToken: root["id_token"]?.string, accessToken: root["access_token"]?.string,
            refreshToken: root["refresh_token"]?.string,
            scopes: root["scope"]?.string?.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init) ?? [])
    }

    /// Fetches a document with the access token.
    func document(at url: String, accessToken: String) async throws -> JSONDocument {
        guard (1...8_192).contains(accessToken.utf8.count), accessToken.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw FlowFailure.unavailable("an access token that cannot be sent") }
        let response = try await send(
            OutboundRequest(method: .get, url: url, fields: [("authorization", "Bearer \(accessToken)")]))
        guard response.status == 200 else { throw FlowFailure.unavailable("the profile: status \(response.status)") }
        guard let document = try? JSONDocument(response.body, limits: Self.limits) else {
            throw FlowFailure.unavailable("the profile: no JSON")
        }
        return document
    }

    private func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        let now = clock.monotonic()
        guard now < deadline else { throw FlowFailure.unavailable("timed out") }
        switch await transport.send(request, within: .nanoseconds(Int64(clamping: deadline - now))) {
        case .success(let response): return response
        case .failure(let failure): throw FlowFailure.unavailable("\(failure.kind.rawValue) \(failure.detail)")
        }
    }

    /// Returns the body and, for HTTP Basic, the value of `Authorization`.
    private func form(_ code: String, _ record: FlowRecord) throws -> ([UInt8], String?) {
        var body: [UInt8] = []
        FormEncoding.append("grant_type", "authorization_code".utf8, to: &body)
        FormEncoding.append("code", code.utf8, to: &body)
        FormEncoding.append("redirect_uri", record.redirectURI.utf8, to: &body)
        if let verifier = record.verifier { FormEncoding.append("code_verifier", verifier.utf8, to: &body) }
        let authorization = try provider.authenticate(
            &body, usesBasic: record.endpoints.usesBasic, now: UnixTime(clamping: clock.now()))
        return (body, authorization)
    }

    /// The codes by which providers reject the client rather than the code.
    private static let ownErrors = ["invalid_client", "unauthorized_client", "incorrect_client_credentials"]

    private static func failure(_ error: JSONValue) -> FlowFailure {
        let code = error.string ?? "an error"
        let shown = "the token endpoint: \(ForeignText.shown(code))"
        if ownErrors.contains(where: { $0.utf8.elementsEqual(code.utf8) }) { return .misconfigured(shown) }
        let isTemporary = ["temporarily_unavailable", "server_error"].contains { $0.utf8.elementsEqual(code.utf8) }
        return isTemporary ? .unavailable(shown) : .rejected(shown)
    }
}

extension FlowProvider {
    /// Adds the client's ID and its secret to a form.
    ///
    /// - Returns: The value of `Authorization` if the secret is sent as HTTP Basic instead.
    func authenticate(_ form: inout [UInt8], usesBasic: Bool, now: UnixTime) throws(AccountDenial) -> String? {
        FormEncoding.append("client_id", clientID.utf8, to: &form)
        switch authentication {
        case .signed(let secret): FormEncoding.append("client_secret", try secret.text(now: now).utf8, to: &form)
        case .secret(let secret) where usesBasic:
            // RFC 6749 section 2.3.1: both are form-encoded first.
            let id = PercentEncoding.encoded(clientID.utf8)
            return secret.withBytes { BasicCredentials.field(name: id, secret: PercentEncoding.encoded($0)) }
        case .secret(let secret): secret.withBytes { FormEncoding.append("client_secret", $0, to: &form) }
        }
        return nil
    }
}
