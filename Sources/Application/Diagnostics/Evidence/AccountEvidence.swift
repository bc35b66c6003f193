import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import NIOPosix
import OutboundHTTP
import Revocation

/// The result of looking up a Firebase user's account for an explanation.
enum AccountEvidence: Sendable {
    /// The decision does not depend on the account.
    case irrelevant
    /// The account was not looked up, although the gateway would do it.
    case notQueried
    case reported(AccountStatus.State, by: String)
    /// The lookup failed, with the reason.
    case failed(String)

    var isKnown: Bool {
        if case .notQueried = self { false } else { true }
    }

    /// Returns the account's status for the decision about a credential. An account that was not looked up is assumed
    /// to be valid.
    func view(for facts: CredentialFacts) -> AccountView {
        switch self {
        case .irrelevant: .notQueried
        case .notQueried:
            .known(
                .account(
                    validSince: nil, disabled: false, FirebaseAccount(keys: facts.evidence.map { [$0] } ?? [])))
        case .reported(let status, _): .known(status)
        case .failed: .failed(lastKnown: nil)
        }
    }
}

/// The lookup of single accounts for diagnosis.
struct AccountEvidenceSource: Sendable {
    /// `nil` if no accounts are looked up.
    let lookUp: (@Sendable (_ user: UserKey) async -> AccountEvidence)?

    /// Looks up accounts over HTTP as the configured service account, with the limits of the gateway's own lookups.
    static func live(_ configuration: Configuration, clock: GatewayClock) -> AccountEvidenceSource {
        AccountEvidenceSource { user in
            guard let configured = configuration.revocation.firebase, let firebase = configuration.identity.firebase
            else { return .irrelevant }
            guard let project = firebase.project(of: user) else { return .failed("the user's project is unknown") }
            let settings = configured.settings(of: project)
            let credential: GoogleCredential
            do throws(ServiceAccount.Failure) {
                guard let found = try GoogleCredential(of: settings) else { return .irrelevant }
                credential = found
            } catch {
                return .failed("\(error)")
            }
            let transport = OutboundHTTPClient(
                group: MultiThreadedEventLoopGroup.singleton, connections: 1, size: AccountLookup.sizeLimit,
                longest: settings.timeout)
            let query = AccountQuery(settings: settings, project: project, credential: credential, clock: clock)
            let evidence = await query.evidence(about: user, transport)
            await transport.shutdown()
            return evidence
        }
    }

    /// A source that performs no lookups.
    static let none = AccountEvidenceSource(lookUp: nil)
}

/// The lookup of one account: an access token, then the account.
struct AccountQuery: Sendable {
    let settings: Configuration.FirebaseAccounts
    /// The project, with the tenant of the users whose key has none.
    let project: Configuration.FirebaseProject
    let credential: GoogleCredential
    let clock: GatewayClock

    func evidence(about user: UserKey, _ transport: any OutboundTransport) async -> AccountEvidence {
        let source = KeySource.name(of: settings.lookupURL)
        switch await accessToken(transport) {
        case .failure(let failure):
            return .failed("no access token from \(credential.source): \(failure.shown)")
        case .success(let token):
            let uid = Array(user.uid.utf8)
            let lookup = AccountLookup(
                url: settings.lookupURL, project: project.id,
                tenant: user.tenant ?? (user.project == nil ? project.tenant.id : nil),
                quotaProject: credential.quotaProject)
            let reply = await transport.send(lookup.request([uid], token: token.value), within: settings.timeout)
            let query = AccountLookup.Query.uid(uid)
            let statuses = reply.flatMap {
                AccountLookup.read($0, about: [query], listing: project.id, now: clock.now())
            }
            switch statuses {
            case .failure(let failure): return .failed("no usable response from \(source): \(failure.shown)")
            case .success(let statuses): return .reported(statuses[query] ?? .unavailable, by: source)
            }
        }
    }

    private func accessToken(_ transport: any OutboundTransport) async -> Result<AccessToken, LookupFailure> {
        await withCheckedContinuation { continuation in
            credential.fetch(transport, within: settings.timeout, clock: clock) { continuation.resume(returning: $0) }
        }
    }
}

extension Configuration.Firebase {
    /// Returns the project of a user: that of the user key, or the first one.
    fileprivate func project(of user: UserKey) -> Configuration.FirebaseProject? {
        guard let id = user.project else { return projects.first }
        return project(named: id)
    }
}
