package import GatewayConfiguration
package import GatewayCore

/// The services that may query tokens, and their authentication (RFC 7662 section 2.1).
package struct IntrospectionClients: Sendable {
    private let clients: [Configuration.Introspection.Client]

    package init(_ clients: [Configuration.Introspection.Client]) {
        self.clients = clients
    }

    /// Returns the credential of a request. `nil` if it has none.
    package func credential(of request: RequestView) -> ClientCredential? {
        ClientCredential(request) { id in clients.contains { id.elementsEqual($0.id.utf8) } }
    }

    /// Returns the identifier of the client with that credential. `nil` if absent. All clients are compared, in
    /// constant time.
    package func client(with credential: ClientCredential) -> String? {
        var found: String?
        for client in clients where matches(client, credential) { found = client.id }
        return found
    }

    private func matches(_ client: Configuration.Introspection.Client, _ credential: ClientCredential) -> Bool {
        credential.pairs.reduce(false) { found, pair in
            let matches = client.secret.matches(pair.secret)
            return pair.id?.elementsEqual(client.id.utf8) != false && matches || found
        }
    }

    /// Returns the identifier that a credential names, for the log. Empty if no client has it: a secret, perhaps of
    /// another service, could be in its place.
    package func loggedID(of name: ClientCredential.Name) -> String {
        guard case .client(let id) = name else { return "" }
        return clients.first { $0.id.utf8.elementsEqual(id.utf8) }?.id ?? ""
    }
}
