import Foundation

/// A request that is sent byte for byte.
struct WireRequest {
    var method = "GET"
    var target: String
    /// Field lines without line ends. `Host` is added.
    var fields: [String] = []
    var body: [UInt8] = []
    var host = "gateway.example"

    static func get(_ target: String, _ fields: String...) -> WireRequest {
        WireRequest(target: target, fields: fields)
    }

    static func post(_ target: String, _ fields: String..., body: [UInt8] = []) -> WireRequest {
        WireRequest(method: "POST", target: target, fields: fields + ["Content-Length: \(body.count)"], body: body)
    }

    static func bearer(_ token: String, _ target: String, _ fields: String...) -> WireRequest {
        WireRequest(target: target, fields: ["Authorization: Bearer \(token)"] + fields)
    }

    static func cookie(_ token: String, _ target: String) -> WireRequest {
        WireRequest(target: target, fields: ["Cookie: __session=\(token)"])
    }

    var bytes: [UInt8] {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}

/// A response as received.
struct WireResponse {
    var status: Int
    var version: String
    var fields: [(name: String, value: String)]
    var body: [UInt8] = []
    var trailers: [(name: String, value: String)] = []

    init?(head: [UInt8]) {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        version = String(words[0])
        self.status = status
        fields = lines.dropFirst().compactMap(Self.field)
    }

    static func field(_ line: String) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return (String(line[..<colon]), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
    }

    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    subscript(_ name: String) -> String? { values(name).first }

    var text: String { String(decoding: body, as: UTF8.self) }
}
