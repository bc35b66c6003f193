import GatewayCore
import HTTPWire
package import JOSE

/// The gateway's identity at Google: a service account, from its key file.
package struct ServiceAccount: Sendable {
    /// The reason why a file is not a service account's key. It names the file and contains nothing of the key.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// The maximum size of the key file, in bytes.
    static let sizeLimit = 64 << 10

    /// `client_email`: the account's name.
    package let email: String
    /// `private_key`, under its `private_key_id`.
    package let key: SigningKey
    /// `token_uri`: the endpoint for access tokens.
    package let tokenURL: String
    /// `project_id`: the project that the account belongs to.
    let project: String?

    /// Reads a key file as downloaded from the Google Cloud console.
    package init(file path: String) throws(Failure) {
        let json: [UInt8]
        do throws(BoundedFile.Failure) {
            json = try BoundedFile.read(path, atMost: Self.sizeLimit)
        } catch {
            switch error {
            case .unreadable(let reason): throw Self.failure(path, "cannot be read: \(reason)")
            case .tooLarge: throw Self.failure(path, "exceeds \(Self.sizeLimit) bytes")
            }
        }
        try self.init(json: json, name: path)
    }

    /// Parses a key file. Failures contain `name`.
    init(json: [UInt8], name: String) throws(Failure) {
        guard let document = try? JSONDocument(json, limits: JSONLimits(size: Self.sizeLimit, depth: 8, members: 256))
        else { throw Self.failure(name, "is not JSON") }
        let members = document.root
        guard members["type"]?.equals("service_account") == true else {
            throw Self.failure(name, "is not the key of a service account: its type is not service_account")
        }
        email = try Self.text("client_email", of: members, name)
        tokenURL = try Self.tokenURL(try Self.text("token_uri", of: members, name), name)
        project = members["project_id"]?.string
        let pem = Array(try Self.text("private_key", of: members, name).utf8)
        let keyID = try Self.text("private_key_id", of: members, name)
        do throws(SigningKeyError) {
            key = try SigningKey(pem: pem, algorithm: .rs256, keyID: keyID)
        } catch {
            throw Self.failure(name, "has a private_key that is not an RSA key in PEM: \(error.description)")
        }
    }

    private static func text(_ member: String, of members: JSONValue, _ name: String) throws(Failure) -> String {
        guard let text = members[member]?.string, !text.isEmpty else {
            throw failure(name, "has no \(member)")
        }
        return text
    }

    /// Requires https, because the signed grant can be exchanged for an access token.
    private static func tokenURL(_ text: String, _ name: String) throws(Failure) -> String {
        guard let url = try? HTTPURL(parsing: text), url.isSecure || IPAddress.isLoopback(host: url.host) else {
            throw failure(name, "has a token_uri that is not an https URL")
        }
        return text
    }

    private static func failure(_ name: String, _ what: String) -> Failure {
        Failure(description: "the service account's key file \(name) \(what)")
    }
}
