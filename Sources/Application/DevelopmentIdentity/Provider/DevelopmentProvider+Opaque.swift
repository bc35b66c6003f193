// Opaque tokens
extension DevelopmentProvider {
    /// Makes a token known to its endpoint, in place of one of the same text.
    ///
    /// - Throws: `full` beyond 65,536 tokens.
    public func add(_ token: OpaqueToken) throws(DevelopmentIdentityError) {
        try service.opaque.add(token)
    }

    /// Makes a token unknown: introspection says `{"active":false}`, GitHub 404, Facebook `is_valid` false.
    public func revoke(_ token: OpaqueToken) {
        service.opaque.remove(token.text, token.kind)
    }

    /// How often an endpoint was asked about a token, known or not, by a client that may ask. After 65,536 different
    /// tokens, others count only in ``calls(to:)``.
    public func calls(about token: OpaqueToken) -> Int { calls(about: token.text, token.kind) }

    /// As ``calls(about:)``, of a token's text.
    public func calls(about text: String, _ kind: OpaqueToken.Kind) -> Int {
        service.opaque.calls(about: text, kind)
    }

    /// Who may ask about tokens of a kind.
    public func client(for kind: OpaqueToken.Kind) -> DevelopmentClient { service.opaque.client(for: kind) }

    /// Sets who may ask about tokens of a kind; by default ``DevelopmentClient/demo(for:)``.
    public func setClient(_ client: DevelopmentClient, for kind: OpaqueToken.Kind) {
        service.opaque.setClient(client, for: kind)
    }

    /// The provider's clock, in seconds since 1970.
    public var now: Int64 { service.now() }
}
