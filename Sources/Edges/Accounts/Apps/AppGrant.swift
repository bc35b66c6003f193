import GatewayCore
import JOSE
import Revocation

/// The result of an app's flow: an identity that was proved and has no effect until the app redeems the code.
struct AppGrant: Sendable {
    /// The lifetime of a code, in seconds.
    static let lifetime: Int64 = 60
    /// The maximum size of the JSON text, in bytes. The claims of any accepted credential and a token fit in.
    static let maximumSize = PendingToken.maximumSize + 2 * GrantedToken.maximumSize
    private static let limits = JSONLimits(
        size: maximumSize, depth: SourceClaims.limits.depth + 2, members: SourceClaims.limits.members + 16)

    /// The only call that accepts the code.
    let purpose: FlowRecord.Purpose
    let user: ProvenUser
    /// The display name that came with the response of the provider.
    let name: String?
    /// The client of the flow at the provider.
    let clientID: String
    /// The URL of the app to which the code was sent.
    let returnTo: String

    init(_ user: ProvenUser, name: String?, of record: FlowRecord) {
        self.user = user
        self.name = name
        purpose = record.purpose
        clientID = record.clientID
        returnTo = record.returnTo
    }

    /// Whether the identity is one of a provider's, whose client is still the one of the flow.
    func isFrom(_ provider: FlowProvider) -> Bool {
        provider.id.utf8.elementsEqual(user.link.provider.utf8) && provider.clientID.utf8.elementsEqual(clientID.utf8)
    }

    private enum Name {
        static let purpose = "purpose", name = "name", client = "client", returnTo = "return_to", user = "user"
        static let token = "token", isRefreshToken = "refresh"
    }

    /// The JSON text.
    var text: String {
        var text = ObjectText()
        text.add(Name.purpose, purpose.rawValue)
        text.add(Name.name, name)
        text.add(Name.client, clientID)
        text.add(Name.returnTo, returnTo)
        text.add(Name.user, json: ObjectText.object { user.write(to: &$0) })
        if let token = user.token {
            text.add(Name.token, token.text)
            text.add(Name.isRefreshToken, token.isRefreshToken)
        }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Parses the JSON text. `nil` for a text of another version.
    init?(_ text: String) {
        guard let root = (try? JSONDocument(Array(text.utf8), limits: Self.limits))?.root,
            let purpose = root[Name.purpose]?.string.flatMap(FlowRecord.Purpose.init(rawValue:)),
            let client = root[Name.client]?.string, let returnTo = root[Name.returnTo]?.string,
            var user = root[Name.user].flatMap({ ProvenUser(json: $0) })
        else { return nil }
        user.token = root[Name.token]?.string.map { text in
            GrantedToken(text: text, isRefreshToken: root[Name.isRefreshToken]?.bool ?? false, clientID: client)
        }
        self.purpose = purpose
        self.user = user
        name = root[Name.name]?.string
        clientID = client
        self.returnTo = returnTo
    }
}
