import Accounts
import AdminAPI
import Authentication
import GatewayConfiguration
import GatewayCore
import OperatorConsole

/// The sign-in to the console with the flows of the current configuration.
struct GatewayConsoleSignIn: ConsoleSignIn {
    let generations: Generations

    var settings: Configuration.ConsoleSignIn? { generations.current.configuration.admin.signIn }

    func start(_ visit: ConsoleVisit) async throws(ConsoleSignInFailure) -> (url: String, binding: String) {
        let (consoleFlow, request) = try flow(for: visit)
        do throws(ConsoleFlow.Failure) {
            return try await consoleFlow.start(request)
        } catch {
            throw ConsoleSignInFailure(SignInMessage(error))
        }
    }

    func finish(_ visit: ConsoleVisit) async throws(ConsoleSignInFailure) -> OperatorIdentity {
        let (consoleFlow, request) = try flow(for: visit)
        do throws(ConsoleFlow.Failure) {
            let signIn = try await consoleFlow.finish(request) {
                settings?.role(of: $0.link, address: $0.address, auth: $0.auth.value) != nil
            }
            let identity = signIn.identity
            return OperatorIdentity(
                identity.link, address: identity.address, auth: identity.auth.value, account: signIn.account,
                signedInAt: signIn.time)
        } catch {
            throw ConsoleSignInFailure(SignInMessage(error))
        }
    }

    /// Without a flow in the configuration, no identity is valid.
    func isRevoked(_ identity: OperatorIdentity) -> Bool {
        generations.current.sources.consoleFlow?.isRevoked(
            identity.link, account: identity.account, since: identity.signedInAt) ?? true
    }

    /// Returns the flow and the request of one configuration.
    private func flow(for visit: ConsoleVisit) throws(ConsoleSignInFailure) -> (ConsoleFlow, ConsoleFlow.Visit) {
        let current = generations.current
        guard let settings = current.configuration.admin.signIn, let flow = current.sources.consoleFlow else {
            throw ConsoleSignInFailure(.unavailable)
        }
        return (
            flow,
            ConsoleFlow.Visit(
                provider: settings.provider, redirectURI: settings.redirectURI, query: visit.query,
                bindings: visit.bindings, network: visit.network, requestID: visit.requestID)
        )
    }
}

extension SignInMessage {
    fileprivate init(_ failure: ConsoleFlow.Failure) {
        switch failure {
        case .expired: self = .expired
        case .cancelled: self = .cancelled
        case .unverified: self = .unverified
        case .notPermitted(let address): self = .notListed(address: address)
        case .unavailable: self = .unavailable
        case .rejected: self = .rejected
        }
    }
}
