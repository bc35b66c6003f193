package import GatewayConfiguration
package import GatewayCore
import JOSE
package import Logging
package import Revocation
import RequestPipeline
import TextCoding

/// Calls of providers that are authenticated by a secret of the app: Facebook's callbacks, and GitHub's webhook.
///
/// A repeated call has the same effect. The effect of an old Facebook call ends nothing that began after it.
package struct ProviderCallbacks: Sendable {
    private static let facebook = Configuration.Provider.Kind.facebook.rawValue
    private static let gitHub = Configuration.Provider.Kind.github.rawValue
    private static let limits = JSONLimits(size: AccountEndpoint.bodyLimit, depth: 16, members: 2_048)
    /// The maximum age of a signed request of Facebook, in seconds.
    private static let maximumAge: Int64 = 86_400

    private let facebookSecret: Secret?
    private let deletionStatusURL: String?
    private let gitHubSecret: Secret?
    private let store: any GatewayStore
    private let clock: GatewayClock
    private let logger: Logger
    private let auditLogger: Logger

    /// Creates the endpoints. `nil` if no provider has a secret for them.
    package init?(
        _ identity: Configuration.Identity, store: any GatewayStore, clock: GatewayClock, logger: Logger,
        auditLogger: Logger? = nil
    ) {
        let facebook = identity.providers.first { $0.kind == .facebook }
        facebookSecret = facebook?.opaqueTokens?.clientSecret
        deletionStatusURL = facebook?.deletionStatusURL
        gitHubSecret = identity.providers.first { $0.kind == .github }?.webhookSecret
        (self.store, self.clock, self.logger) = (store, clock, logger)
        self.auditLogger = auditLogger ?? logger
        if facebookSecret == nil, gitHubSecret == nil { return nil }
    }

    package func serve(_ call: AccountCall) async -> AccountReply {
        do throws(AccountDenial) {
            switch call.endpoint {
            case .facebookDeauthorization: return try await deauthorize(call)
            case .facebookDeletion: return try await delete(call)
            case .gitHubEvents: return try await takeGitHubEvent(call)
            default: throw AccountDenial(.routeNotFound)
            }
        } catch {
            logger.log(
                level: error.denial.code.status < 500 ? .info : .warning, "event refused",
                metadata: [
                    "code": "\(error.denial.code.wire)", "reason": "\(error.reason ?? "")",
                    "request_id": "\(call.requestID)",
                ])
            return .refused(error.denial)
        }
    }

    // MARK: - Facebook

    /// The user removed the app: the credentials and sessions of the identity end.
    private func deauthorize(_ call: AccountCall) async throws(AccountDenial) -> AccountReply {
        let request = try signedRequest(of: call)
        let effect = EventEffect(request.link, at: request.issued, now: clock.now())
        do throws(StoreError) {
            log("deauthorize", Self.facebook, owner: try await effect.make(in: store), call)
        } catch {
            throw AccountDenial(event: error)
        }
        return .accepted
    }

    /// The user asks for the deletion of the data: the identity is unlinked, or its account deleted if it has no other.
    private func delete(_ call: AccountCall) async throws(AccountDenial) -> AccountReply {
        guard let deletionStatusURL else { throw AccountDenial(.routeNotFound) }
        let request = try signedRequest(of: call)
        do throws(StoreError) {
            let effect = EventEffect(request.link, at: request.issued, now: clock.now())
            if let owner = try await effect.make(in: store) {
                let account = try await store.account(owner)
                // A repeated call does not delete an account that was created since.
                if account?.created.map({ $0 <= request.issued }) ?? true {
                    if case .last = try await store.release(provider: request.link.provider, of: owner) {
                        _ = try await store.deleteAccount(owner, unlessChangedFrom: nil)
                    }
                    log("delete", Self.facebook, owner: owner, call)
                }
            }
        } catch {
            throw AccountDenial(event: error)
        }
        let separator = deletionStatusURL.contains("?") ? "&" : "?"
        return .json(
            ObjectText.object { response in
                response.add("url", "\(deletionStatusURL)\(separator)code=\(request.code)")
                response.add("confirmation_code", request.code)
            })
    }

    private struct SignedRequest {
        let link: IdentityLink
        let issued: UnixTime
        /// A code that is the same for each repetition of the request.
        let code: String
    }

    /// Verifies the form's `signed_request`: base64url of an HMAC-SHA256, a dot, and base64url of a JSON object.
    private func signedRequest(of call: AccountCall) throws(AccountDenial) -> SignedRequest {
        guard let facebookSecret else { throw AccountDenial(.routeNotFound) }
        guard call.contentType.utf8.elementsEqual("application/x-www-form-urlencoded".utf8),
            let text = FormEncoding.value(of: "signed_request", in: call.body)
        else { throw .malformed("Send one form field \"signed_request\".") }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let signature = Base64URL.decode(Array(parts[0])),
            let payload = Base64URL.decode(Array(parts[1]))
        else { throw .event("signed_request is not two parts in base64url") }
        let code = facebookSecret.withBytes { HMACSHA256.authenticate(Array(parts[1]), secret: $0) }
        guard let code, ConstantTime.equals(code, signature) else { throw .event("the signature does not match") }
        guard let root = (try? JSONDocument(payload, limits: Self.limits))?.root,
            root["algorithm"]?.string?.uppercased() == "HMAC-SHA256", let user = root["user_id"]?.string,
            let issued = root["issued_at"]?.integer.flatMap({ UnixTime($0) })
        else { throw .event("not a request with algorithm, user_id and issued_at") }
        guard (-300...Self.maximumAge).contains(issued.age(at: clock.now())) else { throw .event("an old request") }
        let link = IdentityLink(provider: Self.facebook, subject: user)
        guard (try? StoreBounds.check(link)) != nil else { throw .event("an invalid user_id") }
        let digest = try AccountDenial.hash(payload)
        return SignedRequest(link: link, issued: issued, code: HexDigits.text(of: Array(digest.bytes.prefix(16))))
    }

    // MARK: - GitHub

    /// Only the webhook about a revoked authorization has an effect: the credentials and sessions of the identity end.
    private func takeGitHubEvent(_ call: AccountCall) async throws(AccountDenial) -> AccountReply {
        guard let gitHubSecret else { throw AccountDenial(.routeNotFound) }
        guard call.contentType.utf8.elementsEqual("application/json".utf8) else {
            throw .malformed("Send the event with Content-Type: application/json.")
        }
        let code = gitHubSecret.withBytes { HMACSHA256.authenticate(call.body, secret: $0) }
        guard let code, let signature = call.webhook?.signature,
            ConstantTime.equals(Array("sha256=\(HexDigits.text(of: code))".utf8), signature)
        else { throw .event("the signature does not match") }
        guard call.webhook?.event.elementsEqual("github_app_authorization".utf8) == true else { return .accepted }
        guard let root = (try? JSONDocument(call.body, limits: Self.limits))?.root,
            root["action"]?.equals("revoked") == true, let user = root["sender"]?["id"]?.integer, user > 0
        else { throw .event("not a revocation with a sender") }
        let link = IdentityLink(provider: Self.gitHub, subject: "\(user)")
        let now = clock.now()
        do throws(StoreError) {
            let owner = try await EventEffect(link, at: UnixTime(clamping: now), now: now).make(in: store)
            log("revoked", Self.gitHub, owner: owner, call)
        } catch {
            throw AccountDenial(event: error)
        }
        return .accepted
    }

    /// Logs the event without the provider's subject.
    private func log(_ name: String, _ provider: String, owner: UserKey?, _ call: AccountCall) {
        var metadata: Logger.Metadata = [
            "event": "\(name)", "provider": "\(provider)", "request_id": "\(call.requestID)",
        ]
        if let owner { metadata.add(owner) }
        auditLogger.notice("event applied", metadata: metadata)
    }
}
