import Foundation
import GatewayCore
import Redis
import Revocation

/// Credentials from a file, a command or a managed service.
///
/// The text of a file or command is the password, or a JSON object: `{"username": USER, "password": PASSWORD,
/// "expires_at": SECONDS}`. Only `password` is required. Line ends and spaces around the text are ignored.
struct FetchedCredentials: Equatable {
    /// The maximum size of the text, in bytes.
    static let maximumSize = 65_536

    var credentials: RedisCredentials
    /// The time at which the service no longer accepts the password. `nil` if it is unknown.
    var expires: UnixTime?

    /// The reason that a text is not valid. It contains no part of the text.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Creates the credentials of a managed service.
    init(_ token: StoreToken, username: String?) {
        let password = token.value.withBytes { String(decoding: $0, as: UTF8.self) }
        credentials = RedisCredentials(username: username, password: password)
        expires = token.expires
    }

    private struct Document: Decodable {
        var username: String?
        var password: String
        var expires_at: Int64?
    }

    /// Parses the text.
    ///
    /// - Parameter username: The user in the configuration, which a user in the text replaces.
    init(parsing bytes: [UInt8], username: String?) throws(Failure) {
        guard bytes.count <= Self.maximumSize else { throw Failure("more than \(Self.maximumSize) bytes") }
        var text = bytes.drop(while: Self.isSpace)
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        if text.first == UInt8(ascii: "{") {
            guard let document = try? JSONDecoder().decode(Document.self, from: Data(text)) else {
                throw Failure("a JSON object without a text as password, or with other types than documented")
            }
            let name = try document.username.map { name throws(Failure) in try Self.checked(name, "username") }
            credentials = RedisCredentials(
                username: name ?? username, password: try Self.checked(document.password, "password"))
            if let time = document.expires_at {
                guard let time = UnixTime(time) else { throw Failure("an expires_at that is not a time in seconds") }
                expires = time
            }
        } else {
            guard let password = String(validating: text, as: UTF8.self) else { throw Failure("not UTF-8") }
            credentials = RedisCredentials(username: username, password: try Self.checked(password, "password"))
        }
    }

    private static func checked(_ text: String, _ what: String) throws(Failure) -> String {
        guard !text.isEmpty else { throw Failure("an empty \(what)") }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Failure("a control character in the \(what)")
        }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}
