import DevelopmentIdentity
import Foundation
import IdentityFixtures
import JOSE

/// A response as it came over the wire.
struct Response {
    let status: Int
    let head: String
    let body: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { return nil }
        head = String(decoding: bytes[..<end.upperBound], as: UTF8.self)
        body = Array(bytes[end.upperBound...])
        let words = head.split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { return nil }
        self.status = status
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONDocument? { try? JSONDocument(body, limits: .keySet) }

    func field(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
}

/// Sends one request on a connection of its own and takes everything until it closes.
func exchange(
    _ port: Int, _ method: String, _ target: String, fields: String = "", body: String = ""
) async throws -> [UInt8] {
    let client = try await SocketClient(port: port)
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    try await client.transmit(
        "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\(fields)\(length)\r\n\(body)")
    return try await client.readToEnd()
}

/// Starts a provider of a fixed clock, runs `body` and stops it.
func withProvider(
    keys: DevelopmentKeys? = nil, maxAge: Int = 3600, _ body: (DevelopmentProvider) async throws -> Void
) async throws {
    let provider = try await DevelopmentProvider.start(keys: keys, maxAge: maxAge, now: { noon })
    do {
        try await body(provider)
    } catch {
        await provider.stop()
        throw error
    }
    await provider.stop()
}

/// Starts an echo server, runs `body` and stops it.
func withEcho(_ body: (EchoUpstream) async throws -> Void) async throws {
    let echo = try await EchoUpstream.startInstructed(keeping: 16)
    do {
        try await body(echo)
    } catch {
        await echo.stop()
        throw error
    }
    await echo.stop()
}

/// The time of the tests, in seconds since 1970.
let noon: Int64 = 1_700_000_000

/// As above, with GET.
func exchange(_ port: Int, _ target: String, fields: String = "") async throws -> [UInt8] {
    try await exchange(port, "GET", target, fields: fields)
}

/// POSTs a form.
func post(
    _ provider: DevelopmentProvider, _ path: String, form: String, fields: String = ""
) async throws -> Response? {
    let type = "Content-Type: application/x-www-form-urlencoded\r\n"
    return try await Response(exchange(provider.port, "POST", path, fields: type + fields, body: form))
}

/// The field `Authorization` of HTTP Basic.
func basic(_ user: String, _ password: String) -> String {
    "Authorization: Basic \(Data("\(user):\(password)".utf8).base64EncodedString())\r\n"
}
