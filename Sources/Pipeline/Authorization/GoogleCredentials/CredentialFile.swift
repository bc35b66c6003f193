import GatewayCore
import HTTPWire
import JOSE

/// A reader of the members of a credential file. Failures name the file and contain none of its values.
struct CredentialFile {
    static let sizeLimit = 64 << 10
    private static let limits = JSONLimits(size: sizeLimit, depth: 8, members: 256)

    let name: String
    private let root: JSONValue

    init(json: [UInt8], name: String) throws(ServiceAccount.Failure) {
        self.name = name
        guard let document = try? JSONDocument(json, limits: Self.limits), document.root.kind == .object else {
            throw ServiceAccount.Failure(description: "the credential file \(name) is not a JSON object")
        }
        root = document.root
    }

    private init(_ root: JSONValue, name: String) {
        (self.root, self.name) = (root, name)
    }

    subscript(_ member: String) -> JSONValue? {
        guard let value = root[member], value.kind != .null else { return nil }
        return value
    }

    func failure(_ what: String) -> ServiceAccount.Failure {
        ServiceAccount.Failure(description: "the credential file \(name) \(what)")
    }

    func required(_ member: String) throws(ServiceAccount.Failure) -> String {
        guard let text = try text(member) else { throw failure("has no \(member)") }
        return text
    }

    func text(_ member: String) throws(ServiceAccount.Failure) -> String? {
        guard let value = self[member] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw failure("has a \(member) that is not a text") }
        return text
    }

    /// Returns a member that is an object.
    func object(_ member: String) throws(ServiceAccount.Failure) -> CredentialFile? {
        guard let value = self[member] else { return nil }
        guard value.kind == .object else { throw failure("has a \(member) that is not an object") }
        return CredentialFile(value, name: name)
    }

    /// The members of this object, all of which must be texts.
    func texts() throws(ServiceAccount.Failure) -> [(name: String, value: String)] {
        var texts: [(name: String, value: String)] = []
        for (name, value) in root.members {
            guard let text = value.string else { throw failure("has headers that are not texts") }
            texts.append((name, text))
        }
        return texts
    }

    /// Returns the URL of a service that receives secrets: `https` to this host, or to this machine in tests.
    ///
    /// The host is fixed because a changed file could otherwise send the gateway's tokens to another party.
    func serviceURL(_ member: String, host: String) throws(ServiceAccount.Failure) -> String? {
        guard let text = try text(member) else { return nil }
        guard let url = try? HTTPURL(parsing: text),
            url.isSecure && url.host == host && url.port == 443 || IPAddress.isLoopback(host: url.host)
        else { throw failure("has a \(member) that is not at https://\(host)") }
        return text
    }
}
