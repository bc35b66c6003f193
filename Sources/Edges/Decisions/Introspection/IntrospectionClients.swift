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

    /// Returns the identifier of the client with one of those names in its certificate (RFC 8705 section 2.1.2). `nil`
    /// if there is none, or more than one.
    package func client(with names: [CertificateName]) -> String? {
        let found = clients.filter { client in
            if case .certificate(let name) = client.credential { names.contains(name) } else { false }
        }
        return found.count == 1 ? found.first?.id : nil
    }

    /// The methods of authentication that a client uses, by their registered names.
    package var methods: [String] {
        (clients.allSatisfy(\.hasCertificate) ? [] : ["client_secret_basic"])
            + (clients.contains(where: \.hasCertificate) ? ["tls_client_auth"] : [])
    }

    /// The detail of the denial of a service that is not authenticated.
    package var challenge: String {
        if !clients.contains(where: \.hasCertificate) { return "Send the id and the secret of the service." }
        if clients.allSatisfy(\.hasCertificate) { return "Connect with the certificate of the service." }
        return "Send the id and the secret of the service, or connect with its certificate."
    }

    private func matches(_ client: Configuration.Introspection.Client, _ credential: ClientCredential) -> Bool {
        credential.pairs.reduce(false) { found, pair in
            let matches = if case .secret(let secret) = client.credential { secret.matches(pair.secret) } else { false }
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
