import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline

/// The body of an account request: one JSON object, parsed strictly. An error names the invalid member.
struct CallBody {
    /// The limits of the JSON of a body.
    private static let limits = JSONLimits(size: AccountEndpoint.bodyLimit, depth: 8, members: 64)

    /// `nil` if the body is empty.
    private let object: JSONDocument?

    /// Parses the body of a call.
    ///
    /// - Parameters:
    ///   - names: The accepted members, in the order in which errors list them.
    ///   - mayBeEmpty: Whether an empty body is treated as `{}`.
    init(of call: AccountCall, taking names: [String], mayBeEmpty: Bool = false) throws(AccountDenial) {
        if call.body.isEmpty, mayBeEmpty {
            object = nil
            return
        }
        guard call.contentType.utf8.elementsEqual("application/json".utf8) else {
            throw .malformed("Send the call with Content-Type: application/json.")
        }
        guard let document = try? JSONDocument(call.body, limits: Self.limits), document.root.kind == .object else {
            throw .malformed("Send the call's body as one JSON object, without duplicate members.")
        }
        for (name, _) in document.root.members where !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            throw .malformed(Self.others(than: names))
        }
        object = document
    }

    private static func others(than names: [String]) -> String {
        guard !names.isEmpty else { return "Send no members; this call accepts none." }
        return "Send no other members than \(names.map { "\"\($0)\"" }.joined(separator: ", "))."
    }

    func has(_ name: String) -> Bool { object?.root[name] != nil }

    func value(_ name: String) -> JSONValue? { object?.root[name] }

    /// Returns a string of 1 to `limit` bytes. `nil` if the member is absent.
    func text(_ name: String, atMost limit: Int) throws(AccountDenial) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string, (1...limit).contains(text.utf8.count) else {
            throw .malformed("Send \"\(name)\" as a string of 1 to \(limit) bytes.")
        }
        return text
    }

    func requiredText(_ name: String, atMost limit: Int) throws(AccountDenial) -> String {
        guard let text = try text(name, atMost: limit) else { throw .malformed("Send \"\(name)\".") }
        return text
    }

    /// Returns a Boolean. `false` if the member is absent.
    func flag(_ name: String) throws(AccountDenial) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.bool else { throw .malformed("Send \"\(name)\" as true or false.") }
        return flag
    }
}

extension CallBody {
    /// Returns `expires_in`, the lifetime of a session in seconds.
    func duration(_ settings: Configuration.Accounts) throws(AccountDenial) -> Int64 {
        guard let value = value("expires_in") else { return settings.defaultLifetime }
        guard let duration = value.integer, settings.lifetimes.contains(duration) else {
            throw AccountDenial(.invalidSessionDuration)
        }
        return duration
    }
}
