package import Authentication
package import GatewayCore
import JOSE
import Logging
package import Revocation

/// The sign-in of operators to the console: the flow of a provider without an account and without a session cookie.
///
/// It has the checks of every flow. Its records are of a kind of their own, so that neither callback accepts the
/// response to the other's request. It proves an identity; the console decides what the identity may do.
package struct ConsoleFlow: Sendable {
    private let parts: AccountParts
    private let flows: CodeFlows

    /// `nil` without authorization-code flows.
    package init?(_ parts: AccountParts) {
        guard let flows = parts.flows else { return nil }
        (self.parts, self.flows) = (parts, flows)
    }

    /// A browser's request to the console.
    package struct Visit: Sendable {
        /// The ID of the provider.
        package let provider: String
        /// The address of the console's callback.
        package let redirectURI: String
        /// The query, without its `?`.
        package let query: [UInt8]
        /// The values of cookies with the name of the flow's binding.
        package let bindings: [String]
        package let network: PeerNetwork
        package let requestID: String

        package init(
            provider: String, redirectURI: String, query: [UInt8], bindings: [String], network: PeerNetwork,
            requestID: String
        ) {
            self.provider = provider
            self.redirectURI = redirectURI
            self.query = query
            self.bindings = bindings
            self.network = network
            self.requestID = requestID
        }

        fileprivate var allBindings: [BrowserBinding] { bindings.compactMap { BrowserBinding($0) } }
    }

    /// An identity with an address that its provider proves.
    package struct Identity: Sendable {
        package let link: IdentityLink
        /// The verified address, normalized.
        package let address: String
        /// The `auth` variable of the provider's claims. `auth.uid` is that of the identity without an account.
        package let auth: RuleAuth
    }

    /// The sign-in of an identity.
    package struct SignIn: Sendable {
        package let identity: Identity
        /// The account to which the identity is linked. `nil` without one.
        package let account: UserKey?
        /// The time of the sign-in in the store's order: later than all earlier revocations.
        package let time: UnixTime
    }

    /// The reason that a sign-in did not succeed.
    package enum Failure: Error, Equatable {
        /// This browser has no open flow for the response.
        case expired
        /// The user refused at the provider.
        case cancelled
        /// The identity has no address, or none that its provider proves.
        case unverified
        /// The identity with this address may not use the console.
        case notPermitted(address: String)
        /// The provider, the store or the gateway cannot serve the flow now.
        case unavailable
        /// The response, or a token in it, is not acceptable.
        case rejected
    }

    /// Begins a flow.
    ///
    /// - Returns: The address at the provider, and the value of the binding cookie.
    package func start(_ visit: Visit) async throws(Failure) -> (url: String, binding: String) {
        try await reporting(visit) {
            let provider = try flows.provider(visit.provider)
            let draft = FlowOpening.Draft(purpose: .signIn, redirectURI: visit.redirectURI, returnTo: "")
            let visitor = FlowOpening.Visitor(
                binding: visit.allBindings.first, network: visit.network, requestID: visit.requestID)
            let (url, binding) = try await FlowOpening(parts: parts, flows: flows).begin(
                draft, at: provider, by: visitor, as: .console, budget: flows.consoleBudget)
            return (url, binding.value)
        }
    }

    /// Ends a flow. The response is accepted once.
    ///
    /// - Parameter isPermitted: Whether an identity may use the console. The store records no sign-in of others.
    package func finish(
        _ visit: Visit, isPermitted: @Sendable (Identity) -> Bool
    ) async throws(Failure) -> SignIn {
        try await reporting(visit) {
            let provider = try flows.provider(visit.provider)
            guard let fields = try? FlowFields(visit.query), let response = try? FlowResponse(fields) else {
                throw Failure.expired
            }
            let redemption = FlowRedemption(
                parts: parts, flows: flows, provider: provider, redirectURI: visit.redirectURI)
            let taken = try await redemption.record(
                response, of: visit.allBindings, as: .console, requestID: visit.requestID)
            guard let (record, _) = taken else { throw Failure.expired }
            let user = try await redemption.user(response, record, for: visit.network)
            guard let email = user.email, email.isVerified, !email.isPrivate, Self.isOwned(email, by: user) else {
                throw Failure.unverified
            }
            let identity = Identity(
                link: user.link, address: email.address, auth: RuleAuth(user.link, claims: user.claims))
            guard isPermitted(identity) else { throw Failure.notPermitted(address: email.address) }
            let account = try await parts.store.owner(of: user.link)
            return SignIn(identity: identity, account: account, time: try await start(user, account))
        }
    }

    /// Returns whether an identity, or the account to which it was linked, was disabled or revoked since a sign-in.
    ///
    /// The unlinking of an identity and the deletion of its account revoke the identity. Only known results count, as
    /// for streams: operators need the console during an outage of the store.
    package func isRevoked(_ link: IdentityLink, account: UserKey?, since time: UnixTime) -> Bool {
        parts.authorizer.isRevoked(link, of: account, since: time)
    }

    /// Denies a revoked or disabled identity or account, and returns the time of its sign-in in the store's order.
    private func start(_ user: ProvenUser, _ owner: UserKey?) async throws -> UnixTime {
        try await parts.authorizer.require(UserKey(user.link), time: user.madeAt)
        let starter = SessionStarter(parts: parts)
        guard let owner else { return try await starter.start(UserKey(user.link), madeAt: user.madeAt) }
        let account = try await parts.account(owner)
        try await parts.authorizer.require(
            owner, time: user.madeAt, isFirebase: account.isFirebase(as: user.link),
            evidence: account.evidence(of: user.link))
        guard let start = try await starter.start(owner, user.link, madeAt: user.madeAt) else {
            throw AccountDenial(.userMismatch, reason: "the identity was unlinked meanwhile")
        }
        return start
    }

    /// Returns whether the provider states the present owner of an address. Google does so for addresses of its own and
    /// of Workspace domains (`hd`). Others it verified when the user registered: their owners may have changed since.
    private static func isOwned(_ email: ProvenEmail, by user: ProvenUser) -> Bool {
        guard user.link.provider.utf8.elementsEqual("google.com".utf8) else { return true }
        return user.claims.root["hd"]?.string?.isEmpty == false || ClaimText.isAddress(email.address, at: "gmail.com")
    }

    /// Performs a step of a flow, and logs the reason if it fails.
    private func reporting<Result: Sendable>(
        _ visit: Visit, _ body: () async throws -> Result
    ) async throws(Failure) -> Result {
        do {
            return try await body()
        } catch {
            let (failure, reason) = Self.failure(error)
            parts.logger.info(
                "sign-in to the console failed",
                metadata: [
                    "provider": "\(visit.provider)", "reason": "\(reason)", "request_id": "\(visit.requestID)",
                ])
            throw failure
        }
    }

    private static func failure(_ error: any Error) -> (Failure, reason: String) {
        switch error {
        case Failure.expired: (.expired, "no open flow of this browser")
        case Failure.unverified: (.unverified, "the provider proves no address of the identity")
        case Failure.notPermitted(let address): (.notPermitted(address: address), "the identity is not permitted")
        case FlowError.cancelled: (.cancelled, "the user refused")
        case FlowError.unavailable: (.unavailable, "the provider reports a temporary problem")
        case FlowFailure.unavailable(let why): (.unavailable, why)
        case let failure as FlowFailure: (.rejected, failure.reason)
        case let denial as AccountDenial:
            (denial.denial.code.status < 500 ? .rejected : .unavailable, denial.reason ?? "\(denial.denial.code.wire)")
        case let error as StoreError: (.unavailable, error.description)
        case FlowError.refused(let code): (.rejected, "the provider: \(ForeignText.shown(code))")
        default: (.rejected, "\(error)")
        }
    }
}
