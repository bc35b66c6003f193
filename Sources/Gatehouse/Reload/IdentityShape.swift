/// Everything of a configuration that verified tokens, and the fields that were rendered of them, depend on.
///
/// Two configurations of one shape may share verified tokens. Of any other, none that was verified before counts.
struct IdentityShape: Sendable, Equatable {
    private let identity: Configuration.Identity
    private let revocation: Configuration.Revocation
    private let accounts: Configuration.Accounts?
    private let headers: Configuration.IdentityHeaders
    /// An assertion is signed for an upstream by its place.
    private let upstreams: [String]
    private let keepsVariable: Bool
    private let assertionKeyID: String?
    private let sessionKeyIDs: [String]

    init(_ configuration: Configuration, keepsVariable: Bool, assertionKeyID: String?, sessionKeyIDs: [String]) {
        identity = configuration.identity
        revocation = configuration.revocation
        accounts = configuration.accounts
        headers = configuration.headers
        upstreams = assertionKeyID == nil ? [] : configuration.upstreams.map(\.name)
        self.keepsVariable = keepsVariable
        self.assertionKeyID = assertionKeyID
        self.sessionKeyIDs = sessionKeyIDs
    }
}
