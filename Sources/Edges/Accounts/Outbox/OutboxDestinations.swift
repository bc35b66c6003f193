package import GatewayConfiguration
package import GatewayCore
import JOSE
package import NIOCore
import OutboundHTTP
import Revocation
import TextCoding

/// The destinations of messages in one configuration: the revocation endpoints of providers, and the webhook.
package struct OutboxDestinations: Sendable {
    /// The timeout of each request. `OutboxBounds.deadline` is the one of a delivery.
    static let timeout = Duration.seconds(10)
    private static let limits = JSONLimits(size: 65_536, depth: 4, members: 256)

    private let flows: CodeFlows?
    private let webhook: Configuration.Webhook?
    private let transport: any OutboundTransport
    private let clock: GatewayClock

    /// Creates the destinations. Call `shutdown` before releasing them.
    package init(
        flows: CodeFlows?, webhook: Configuration.Webhook?, group: any EventLoopGroup, clock: GatewayClock
    ) {
        self.init(
            flows: flows, webhook: webhook,
            transport: OutboundHTTPClient(
                group: group, connections: OutboxBounds.concurrency, longest: Self.timeout,
                connect: .seconds(5), retriesClosed: false),
            clock: clock)
    }

    init(
        flows: CodeFlows?, webhook: Configuration.Webhook?, transport: any OutboundTransport, clock: GatewayClock
    ) {
        self.flows = flows
        self.webhook = webhook
        self.transport = transport
        self.clock = clock
    }

    /// Closes the connections. Pending requests fail.
    package func shutdown() async { await transport.shutdown() }

    /// Delivers a message once.
    func deliver(_ message: OutboxMessage) async -> OutboxResult {
        guard let document = try? JSONDocument(Array(message.body.utf8), limits: Self.limits) else {
            return .rejected(.rejected, "the message is not JSON")
        }
        switch message.kind {
        case .revocation: return await revoke(document.root, at: message.destination)
        case .event:
            let result = await send(message, document.root)
            // The event has the address of a person and a proof of it, which are of no use after an hour.
            guard case .rejected(_, let failure) = result, WebhookEvent.hasLink(document.root) else { return result }
            return .discarded(failure)
        }
    }

    private func send(_ message: OutboxMessage, _ content: JSONValue) async -> OutboxResult {
        guard let webhook else { return .rejected(.configuration, "no webhook is configured") }
        guard !WebhookEvent.hasExpired(content, now: clock.now()) else {
            return .rejected(.expired, "the link in the event has expired")
        }
        let event = WebhookEvent(message, content)
        guard let request = event?.request(to: webhook, at: UnixTime(clamping: clock.now())) else {
            return .rejected(.rejected, "the message is not an event")
        }
        return WebhookEvent.result(of: await transport.send(request, within: Self.timeout), now: clock.now())
    }

    private func revoke(_ body: JSONValue, at id: String) async -> OutboxResult {
        guard let flows, let provider = try? flows.provider(id), provider.revokesTokens else {
            return .rejected(.configuration, "the configuration revokes no tokens of this provider")
        }
        guard let subject = body["subject"]?.string, let text = body["token"]?.string else {
            return .rejected(.rejected, "the message contains no token")
        }
        guard let token = flows.tokens?.open(text, of: IdentityLink(provider: id, subject: subject)) else {
            return .rejected(.tokenKey, "no key of accounts.token_keys opens the token")
        }
        guard token.clientID.utf8.elementsEqual(provider.clientID.utf8) else {
            return .rejected(.configuration, "the token belongs to another client than the configured one")
        }
        let revocation = TokenRevocation(provider: provider, token: token)
        do {
            let (url, usesBasic) = try await flows.directory.revocation(of: provider)
            let request = try revocation.request(to: url, usesBasic: usesBasic, now: UnixTime(clamping: clock.now()))
            return revocation.result(of: await transport.send(request, within: Self.timeout), now: clock.now())
        } catch let failure as FlowFailure {
            return .failed(OutboxResult.Failure(failure.reason))
        } catch {
            return .failed(OutboxResult.Failure("\(error)"))
        }
    }
}

/// The revocation of a token at its provider.
struct TokenRevocation {
    private static let limits = JSONLimits(size: 65_536, depth: 8, members: 256)

    let provider: FlowProvider
    let token: GrantedToken

    /// Returns the request: RFC 7009, with the differences of Google and GitHub.
    func request(to url: String, usesBasic: Bool, now: UnixTime) throws(AccountDenial) -> OutboundRequest {
        if provider.kind == .github { return try gitHubRequest(to: url) }
        var form: [UInt8] = []
        var fields: [(name: String, value: String)] = [("content-type", "application/x-www-form-urlencoded")]
        FormEncoding.append("token", token.text.utf8, to: &form)
        if provider.kind != .google {
            let hint = token.isRefreshToken ? "refresh_token" : "access_token"
            FormEncoding.append("token_type_hint", hint.utf8, to: &form)
            if let authorization = try provider.authenticate(&form, usesBasic: usesBasic, now: now) {
                fields.append(("authorization", authorization))
            }
        }
        return OutboundRequest(method: .post, url: url, fields: fields, body: form)
    }

    /// Returns the deletion of the app's authorization by the user.
    private func gitHubRequest(to url: String) throws(AccountDenial) -> OutboundRequest {
        guard case .secret(let secret) = provider.authentication else {
            throw AccountDenial(.internalError, reason: "no client secret")
        }
        let authorization = secret.withBytes { BasicCredentials.field(name: provider.clientID.utf8, secret: $0) }
        return OutboundRequest(
            method: .delete, url: url,
            fields: [
                ("authorization", authorization), ("content-type", "application/json"),
                ("accept", "application/vnd.github+json"),
            ],
            body: ObjectText.object { $0.add("access_token", token.text) })
    }

    /// Returns the result of a response. A token that the provider does not know cannot be revoked any more.
    func result(of result: Result<OutboundResponse, LookupFailure>, now: Int64) -> OutboxResult {
        switch result {
        case .failure(let failure): return OutboxResult(failure)
        case .success(let response):
            let status = response.status
            switch status {
            case 200..<300: return .delivered
            case 404 where provider.kind == .github:
                return .unknownToken(OutboxResult.Failure("status 404", status: status))
            case 400: return rejection(Self.error(in: response))
            case 410, 413, 415, 422: return .rejected(.rejected, "status \(status)", status: status)
            default:
                return OutboxResult(LookupFailure(response, ownCredentials: [401, 403], now: now), status: status)
            }
        }
    }

    /// The error codes that are logged (RFC 6749 section 5.2, RFC 7009 section 2.2.1). Another one may contain a part
    /// of the request.
    private static let codes = [
        "invalid_token", "invalid_client", "unauthorized_client", "unsupported_token_type", "invalid_request",
        "invalid_grant",
    ]

    private func rejection(_ code: String?) -> OutboxResult {
        let code = code.flatMap { code in Self.codes.first { $0.utf8.elementsEqual(code.utf8) } }
        let failure = OutboxResult.Failure(code ?? "status 400", status: 400)
        switch code {
        case "invalid_token": return .unknownToken(failure)
        case "invalid_client", "unauthorized_client": return .failed(failure)
        default: return .rejected(.rejected, failure)
        }
    }

    private static func error(in response: OutboundResponse) -> String? {
        (try? JSONDocument(response.body, limits: limits))?.root["error"]?.string
    }
}

extension OutboxResult {
    /// Creates the result of a failed request.
    ///
    /// - Parameter status: The status of the response. `nil` without one.
    init(_ failure: LookupFailure, status: Int? = nil) {
        let reason = failure.kind == .status ? "status \(failure.detail)" : failure.kind.rawValue
        self = .failed(
            Failure(reason, status: status), retryAfter: failure.retryAfter.map { Int64($0) },
            concernsAll: failure.concernsAll)
    }

    static func rejected(_ reason: ParkedMessage.Reason, _ text: String, status: Int? = nil) -> OutboxResult {
        .rejected(reason, Failure(text, status: status))
    }
}
