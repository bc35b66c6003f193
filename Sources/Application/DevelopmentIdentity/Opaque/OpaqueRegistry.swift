internal import Synchronization

/// The opaque tokens of a provider, and the clients that may query them.
final class OpaqueRegistry: Sendable {
    /// The maximum number of tokens.
    static let mostTokens = 65_536

    private struct Key: Hashable {
        let kind: OpaqueToken.Kind
        let text: [UInt8]

        init(_ kind: OpaqueToken.Kind, _ text: String) {
            self.kind = kind
            self.text = Array(text.utf8)
        }
    }

    private struct State {
        var tokens: [Key: OpaqueToken] = [:]
        var clients: [OpaqueToken.Kind: DevelopmentClient] = [:]
        var calls: [OpaqueToken.Kind: CallCounter] = [:]
    }

    private let state = Mutex(State())

    /// Adds a token. Throws `full` if there are too many.
    func add(_ token: OpaqueToken) throws(DevelopmentIdentityError) {
        let isAdded = state.withLock { state in
            let key = Key(token.kind, token.text)
            guard state.tokens[key] != nil || state.tokens.count < Self.mostTokens else { return false }
            state.tokens[key] = token
            return true
        }
        guard isAdded else {
            throw DevelopmentIdentityError(.full, "the provider knows \(Self.mostTokens) opaque tokens; revoke some")
        }
    }

    func remove(_ text: String, _ kind: OpaqueToken.Kind) {
        state.withLock { $0.tokens[Key(kind, text)] = nil }
    }

    /// Returns the token with that text, and counts the query.
    func lookUp(_ text: String, _ kind: OpaqueToken.Kind) -> OpaqueToken? {
        state.withLock { state in
            state.calls[kind, default: CallCounter()].add(text)
            return state.tokens[Key(kind, text)]
        }
    }

    func calls(about text: String, _ kind: OpaqueToken.Kind) -> Int {
        state.withLock { $0.calls[kind]?.count(text) ?? 0 }
    }

    func client(for kind: OpaqueToken.Kind) -> DevelopmentClient {
        state.withLock { $0.clients[kind] } ?? .demo(for: kind)
    }

    func setClient(_ client: DevelopmentClient, for kind: OpaqueToken.Kind) {
        state.withLock { $0.clients[kind] = client }
    }
}
