package import GatewayConfiguration
package import GatewayCore
package import OperatorConsole
package import Revocation
package import SecurityRules

/// The sign-in to the console at a provider. Each member is that of the current configuration, so that a reload takes
/// effect with the next request.
package protocol ConsoleSignIn: Sendable {
    /// The settings. `nil` if operators sign in with tokens only.
    var settings: Configuration.ConsoleSignIn? { get }
    /// Begins a flow.
    ///
    /// - Returns: The address at the provider, and the value of the cookie that binds the flow to the browser.
    func start(_ visit: ConsoleVisit) async throws(ConsoleSignInFailure) -> (url: String, binding: String)
    /// Ends a flow. A response is accepted once.
    func finish(_ visit: ConsoleVisit) async throws(ConsoleSignInFailure) -> OperatorIdentity
    /// Returns whether an identity, or its account, was revoked, disabled, unlinked or deleted since its sign-in.
    func isRevoked(_ identity: OperatorIdentity) -> Bool
}

extension ConsoleSignIn {
    /// Returns the current role of an identity. `nil` if it may not use the console, or not any more.
    func role(of identity: OperatorIdentity) -> OperatorRole? {
        isRevoked(identity)
            ? nil : settings?.role(of: identity.link, address: identity.address, auth: identity.auth)
    }
}

/// The facts of a request that a flow needs.
package struct ConsoleVisit: Sendable, Equatable {
    /// The query, without its `?`.
    package var query: [UInt8] = []
    /// The values of the cookies that bind flows to the browser.
    package var bindings: [String] = []
    package var network: PeerNetwork
    package var requestID: String
}

/// A sign-in that did not succeed.
package struct ConsoleSignInFailure: Error, Equatable {
    package let message: SignInMessage

    package init(_ message: SignInMessage) {
        self.message = message
    }
}

extension Configuration.ConsoleSignIn {
    /// Returns the role of an identity. `nil` if it may not use the console. A condition that fails permits no user.
    ///
    /// - Parameters:
    ///   - address: The verified address, normalized.
    ///   - auth: The `auth` variable of the conditions.
    package func role(of link: IdentityLink, address: String, auth: RuleValue) -> OperatorRole? {
        guard link.provider.utf8.elementsEqual(provider.utf8) else { return nil }
        let evaluator = RuleEvaluator()
        func permits(_ addresses: [String], _ condition: Configuration.UserCondition?) -> Bool {
            addresses.contains { $0.utf8.elementsEqual(address.utf8) }
                || condition.map { evaluator.isTrue($0.compiled, auth: auth) } ?? false
        }
        if permits(operators, operatorCondition) { return .operator }
        return permits(viewers, viewerCondition) ? .viewer : nil
    }
}
