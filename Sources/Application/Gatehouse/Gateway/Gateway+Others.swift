import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import Logging
import NIOCore

/// Whom a gateway asks besides its store: providers about opaque tokens, Identity Toolkit about Firebase's accounts.
struct GatewayOthers: Sendable {
    /// Nil: no opaque tokens count.
    let opaqueTokens: OpaqueTokens?
    /// Nil: the store alone says who is revoked.
    let accounts: IdentityToolkit?

    /// - Parameter serviceAccount: what was read of the configured file.
    init(
        _ configuration: Configuration, _ snapshot: Snapshot, serviceAccount: ServiceAccount?,
        group: any EventLoopGroup, clock: GatewayClock, logger: Logger
    ) {
        let identity = configuration.identity
        opaqueTokens =
            snapshot.opaqueProviders.isEmpty
            ? nil
            : OpaqueTokens(
                snapshot.opaqueProviders, clockSkew: identity.clockSkew, group: group, clock: clock, logger: logger)
        guard let settings = configuration.revocation.firebase, let serviceAccount,
            let firebase = identity.firebase
        else {
            accounts = nil
            return
        }
        accounts = IdentityToolkit(
            settings, project: firebase.project, tenant: firebase.tenant.id, account: serviceAccount, group: group,
            clock: clock, logger: logger)
    }

    /// Reads the service account's key file, where one is configured.
    static func serviceAccount(of configuration: Configuration) throws(GatewayStartError) -> ServiceAccount? {
        guard let file = configuration.revocation.firebase?.serviceAccount else { return nil }
        do throws(ServiceAccount.Failure) {
            return try ServiceAccount(file: file)
        } catch {
            throw GatewayStartError(
                "\(error); write a service account's key there, as the Google Cloud console gives it")
        }
    }

    /// Begins what should be known before the first request.
    func start() {
        accounts?.start()
    }

    /// Ends all questions: who waits is told that there will be no answer.
    func shutdown() async {
        await opaqueTokens?.shutdown()
        await accounts?.shutdown()
    }
}
