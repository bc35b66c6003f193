import GatewayCore

extension KnownKeys {
    /// How any provider is asked about opaque tokens.
    static let ofCalls = ["cache_for", "cache_refused_for", "concurrency", "rate", "timeout"]
}

extension ProviderReader {
    typealias OpaqueTokens = Configuration.Provider.OpaqueTokens

    /// How often, and how long, the provider is asked.
    func readCalls(_ tokens: inout OpaqueTokens) {
        mapping.set(&tokens.cacheFor, "cache_for") { $0.duration(in: .zero ... .hours(1)) }
        mapping.set(&tokens.cacheRefusedFor, "cache_refused_for") { $0.duration(in: .zero ... .minutes(5)) }
        mapping.set(&tokens.concurrency, "concurrency") { $0.integer(in: 1...256) }
        mapping.set(&tokens.rate, "rate") { $0.integer(in: 1...10_000) }
        mapping.set(&tokens.timeout, "timeout") { $0.duration(in: .milliseconds(10) ... .seconds(5)) }
    }

    /// A secret that has to be there; an empty one where it was refused.
    func clientSecret(_ remedy: String) -> Secret {
        mapping.required("client_secret", remedy).flatMap { $0.secret() } ?? Secret("")
    }
}
