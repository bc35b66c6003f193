import GatewayCore
import JOSE
import Revocation

/// The checks of a provider's response, up to the proven user. Every callback uses them.
///
/// The order: the record of this browser; the context; the issuer; an error of the provider; the code at the recorded
/// endpoint; the proof.
struct FlowRedemption {
    let parts: AccountParts
    let flows: CodeFlows
    let provider: FlowProvider
    /// The address of this callback.
    let redirectURI: String

    /// Takes the record of this browser for the response's state. `nil` if absent.
    func record(
        _ response: FlowResponse, of bindings: [BrowserBinding], as kind: FlowShelf.Kind, requestID: String
    ) async throws -> (FlowRecord, BrowserBinding)? {
        guard let state = response.state, RandomText.isNonce(state) else { return nil }
        let shelf = try parts.shelf(for: requestID)
        guard let (text, binding) = try await shelf.take(kind, named: state, of: bindings),
            let record = FlowRecord(text), record.isCurrent(at: parts.clock.now())
        else { return nil }
        return (record, binding)
    }

    /// Returns the user that the response proves.
    func user(_ response: FlowResponse, _ record: FlowRecord, for network: PeerNetwork) async throws -> ProvenUser {
        guard record.provider.utf8.elementsEqual(provider.id.utf8),
            record.clientID.utf8.elementsEqual(provider.clientID.utf8),
            record.redirectURI.utf8.elementsEqual(redirectURI.utf8)
        else { throw FlowFailure.rejected("the flow began at \(record.provider) or with another client") }
        guard await flows.directory.holds(record.endpoints, of: provider) else {
            throw FlowFailure.rejected("the recorded endpoints are not the provider's any more")
        }
        try checkIssuer(response.issuer, record)
        if let error = response.error { throw FlowError(provider: error) }
        guard let code = response.code, (1...FlowResponse.maximumCode).contains(code.utf8.count) else {
            throw FlowFailure.rejected("no code of a valid size")
        }
        let exchange = TokenExchange(provider: provider, transport: flows.transport, clock: parts.clock)
        let proof = FlowProof(parts: parts, provider: provider, record: record, exchange: exchange, network: network)
        let user = try await flows.slots(of: provider).run { try await proof.user(for: code) }
        try parts.count(UserKey(user.link))
        return user
    }

    private func checkIssuer(_ issuer: String?, _ record: FlowRecord) throws(FlowFailure) {
        guard let issuer else {
            guard !record.endpoints.requiresIssuer else { throw .rejected("the response has no iss") }
            return
        }
        guard provider.isIssuer(issuer) else {
            let expected = provider.issuers.joined(separator: " or ")
            throw .rejected("iss is \(ForeignText.shown(issuer)), expected \(expected)")
        }
    }
}
