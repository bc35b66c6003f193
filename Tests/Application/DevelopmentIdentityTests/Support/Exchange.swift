import DevelopmentIdentity
import Foundation
import IdentityFixtures
import JOSE
import Testing

@testable import SystemFixtures

/// A response as received.
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

/// Sends one request on a new connection and returns all bytes until it closes.
func exchange(
    _ port: Int, _ method: String, _ target: String, fields: String = "", body: String = ""
) async throws -> [UInt8] {
    let client = try await SocketClient(port: port)
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    try await client.transmit(
        "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\(fields)\(length)\r\n\(body)")
    return try await client.readToEnd()
}

/// Sends the bytes of a request, after whose response the server closes the connection.
func response(to request: String, port: Int) async throws -> Response {
    let client = try await SocketClient(port: port)
    try await client.transmit(request)
    return try await #require(Response(client.readToEnd()))
}

/// Starts a provider with a fixed clock, runs `body`, and stops the provider.
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

/// Starts an echo server, runs `body`, and stops the server.
func withEcho(_ body: (EchoUpstream) async throws -> Void) async throws {
    let echo = try await EchoUpstream.startInstructed(port: Ports.free(), keeping: 16)
    do {
        try await body(echo)
    } catch {
        await echo.stop()
        throw error
    }
    await echo.stop()
}

extension DevelopmentProvider {
    /// The provider of the running test, in suites with the trait `.provider`.
    @TaskLocal static var current: DevelopmentProvider?

    /// Sends a request on a new connection.
    func response(
        _ path: String, method: String = "GET", fields: String = "", body: String = ""
    ) async throws -> Response {
        try await #require(Response(exchange(port, method, path, fields: fields, body: body)))
    }

    func response(at endpoint: Endpoint) async throws -> Response { try await response(endpoint.rawValue) }

    /// A token from the endpoint that mints tokens.
    func mint(_ body: String) async throws -> UnverifiedJWS {
        let response = try await response("/mint", method: "POST", body: body)
        return try UnverifiedJWS(#require(response.json?.root["token"]?.string))
    }
}

extension EchoUpstream {
    /// The server of the running test, in suites with the trait `.echo`.
    @TaskLocal static var current: EchoUpstream?
}

/// Starts a server for each test of a suite.
struct ServerTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    let run: @Sendable (@Sendable () async throws -> Void) async throws -> Void

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await run(function)
    }
}

extension Trait where Self == ServerTrait {
    static var provider: Self {
        ServerTrait { test in
            try await withProvider { try await DevelopmentProvider.$current.withValue($0, operation: test) }
        }
    }

    static var echo: Self {
        ServerTrait { test in
            try await withEcho { try await EchoUpstream.$current.withValue($0, operation: test) }
        }
    }
}

/// The time of the tests, in seconds since 1970.
let noon: Int64 = 1_700_000_000

/// Sends a GET request on a new connection and returns all bytes until it closes.
func exchange(_ port: Int, _ target: String, fields: String = "") async throws -> [UInt8] {
    try await exchange(port, "GET", target, fields: fields)
}

/// Sends a form with POST.
func post(
    _ provider: DevelopmentProvider, _ path: String, form: String, fields: String = ""
) async throws -> Response {
    let type = "Content-Type: application/x-www-form-urlencoded\r\n"
    return try await provider.response(path, method: "POST", fields: type + fields, body: form)
}

/// The field `Authorization` of HTTP Basic.
func basic(_ user: String, _ password: String) -> String {
    "Authorization: Basic \(Data("\(user):\(password)".utf8).base64EncodedString())\r\n"
}

extension JSONValue {
    /// Expects members with these values. `nil` for an absent member.
    func expect(_ members: KeyValuePairs<String, JSON?>, sourceLocation: SourceLocation = #_sourceLocation) {
        for (name, expected) in members {
            let value = self[name]
            let scalar = value.map { value in
                value.string.map(JSON.string) ?? value.integer.map(JSON.integer) ?? value.bool.map(JSON.bool) ?? .null
            }
            #expect(scalar == expected, "\(name)", sourceLocation: sourceLocation)
        }
    }
}
