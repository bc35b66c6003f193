import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation

/// The beginning of a flow: its record in the store, and the address at the provider.
struct FlowOpening {
    let parts: AccountParts
    let flows: CodeFlows

    /// The choices of a caller.
    struct Draft {
        let purpose: FlowRecord.Purpose
        /// The address of the callback.
        let redirectURI: String
        /// Where the browser goes afterwards.
        let returnTo: String
        var parameters: [Configuration.CodeFlow.Parameter] = []
        var consents = false
        var user: UserKey?
        var session: String?
        var sessionStart: UnixTime?
        /// The challenge of the app that starts the flow.
        var challenge: AppChallenge?
        /// The subject of the user at the provider, if it is linked.
        var subject: String?
    }

    /// The browser that starts a flow.
    struct Visitor {
        /// The binding of the browser's earlier flows. `nil` without one.
        let binding: BrowserBinding?
        let network: PeerNetwork
        let requestID: String
    }

    /// Begins a flow. It counts for the budget before the provider is asked and the store is written.
    ///
    /// - Parameter kind: The kind of the record, which only the callback of the same kind takes.
    func begin(
        _ draft: Draft, at provider: FlowProvider, by visitor: Visitor, as kind: FlowShelf.Kind, budget: FlowBudget
    ) async throws -> (url: String, binding: BrowserBinding) {
        try budget.take(visitor.network, now: parts.clock.monotonic())
        let endpoints: FlowEndpoints
        do {
            endpoints = try await flows.directory.endpoints(of: provider)
        } catch {
            throw AccountDenial(.introspectionUnavailable, reason: error.reason)
        }
        let binding = visitor.binding ?? BrowserBinding()
        let state = RandomText.nonce()
        let verifier = provider.usesPKCE ? RandomText.nonce() + RandomText.nonce() : nil
        var record = FlowRecord(
            purpose: draft.purpose, provider: provider.id, endpoints: endpoints, redirectURI: draft.redirectURI,
            clientID: provider.clientID, nonce: RandomText.nonce(), verifier: verifier, returnTo: draft.returnTo,
            started: UnixTime(clamping: parts.clock.now()))
        record.user = draft.user
        record.session = draft.session
        record.sessionStart = draft.sessionStart
        record.challenge = draft.challenge
        record.consents = draft.consents
        let parameters = parameters(draft, provider)
        record.isSilent = parameters.contains { $0.name == "prompt" && $0.value.contains("none") }
        let shelf = try parts.shelf(for: visitor.requestID)
        try await shelf.put(record.text, as: kind, named: state, of: binding, lifetime: FlowRecord.lifetime)
        return (try AuthorizationURL(provider, record, state, parameters).text, binding)
    }

    /// Returns the parameters beside the protocol's own, each once: the purpose's, then the caller's, then the
    /// configured ones.
    private func parameters(_ draft: Draft, _ provider: FlowProvider) -> [Configuration.CodeFlow.Parameter] {
        let purpose =
            draft.purpose == .reauthenticate ? provider.reauthenticationParameters(subject: draft.subject) : []
        return (purpose + draft.parameters + provider.parameters).reduce(into: []) { kept, parameter in
            guard !kept.contains(where: { $0.name.utf8.elementsEqual(parameter.name.utf8) }) else { return }
            kept.append(parameter)
        }
    }
}
