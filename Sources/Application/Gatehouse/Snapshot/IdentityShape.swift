import GatewayConfiguration
import GatewayCore

/// All settings of a configuration that affect verified tokens and their rendered fields.
///
/// Only configurations of the same shape share verified tokens.
struct IdentityShape: Sendable, Equatable {
    /// The settings that affect verification.
    struct Sources: Sendable, Equatable {
        private let identity: Configuration.Identity
        private let revocation: Configuration.Revocation
        private let accounts: Configuration.Accounts?
        private let sessionKeyIDs: [String]
        private let consumesAppTokens: Bool

        init(_ configuration: Configuration, sessionKeyIDs: [String]) {
            identity = configuration.identity.withoutPlaces
            revocation = configuration.revocation
            accounts = configuration.accounts?.withoutPlaces
            self.sessionKeyIDs = sessionKeyIDs
            consumesAppTokens = configuration.consumesAppTokens
        }
    }

    let sources: Sources
    private let headers: Configuration.IdentityHeaders
    /// Included because assertions are signed for an upstream by its index.
    private let upstreams: [String]
    private let keepsVariable: Bool
    private let assertionKeyID: String?

    init(_ configuration: Configuration, keepsVariable: Bool, assertionKeyID: String?, sessionKeyIDs: [String]) {
        sources = Sources(configuration, sessionKeyIDs: sessionKeyIDs)
        headers = configuration.headers.withoutPlaces
        upstreams = assertionKeyID == nil ? [] : configuration.upstreams.map(\.name)
        self.keepsVariable = keepsVariable
        self.assertionKeyID = assertionKeyID
    }
}

/// Locations in the file have no effect.
extension Configuration.Identity {
    fileprivate var withoutPlaces: Self {
        var copy = self
        for index in copy.providers.indices { copy.providers[index].location = .nowhere }
        return copy
    }
}

extension Configuration.Accounts {
    fileprivate var withoutPlaces: Self {
        var copy = self
        copy.location = .nowhere
        // The look of the page belongs to the snapshot. Whether it is served affects the targets of flows.
        if page != nil { copy.page = Page() }
        for index in copy.transmitters.indices { copy.transmitters[index].location = .nowhere }
        return copy
    }
}

extension Configuration.IdentityHeaders {
    fileprivate var withoutPlaces: Self {
        var copy = self
        copy.assertion?.location = .nowhere
        for index in copy.extra.indices {
            guard case .expression(var expression) = copy.extra[index].source else { continue }
            expression.location = .nowhere
            copy.extra[index].source = .expression(expression)
        }
        return copy
    }
}

extension SourceLocation {
    fileprivate static let nowhere = SourceLocation(origin: "")
}
