import DevelopmentIdentity

/// A request as the upstream received it.
struct EchoReport {
    private let report: JSONObject

    /// `nil` if the response is not from the upstream.
    init?(_ response: WireResponse) {
        guard case .object(let report)? = JSON(parsing: response.body), report["fields"] != nil else { return nil }
        self.report = report
    }

    var method: String { text("method") }
    var path: String { text("path") }
    var version: String { text("version") }
    var body: String { text("body") }
    var bodyChecksum: String { text("body_checksum") }
    var auth: JSON? { report["auth"] }
    var fields: [(name: String, value: String)] { pairs("fields") }
    var trailers: [(name: String, value: String)] { pairs("trailers") }

    /// Every field as a line in lower case, for searches.
    var lines: [String] { fields.map { "\($0.name): \($0.value)".lowercased() } }

    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    subscript(_ name: String) -> String? { values(name).first }

    private func text(_ name: String) -> String {
        if case .string(let text)? = report[name] { text } else { "" }
    }

    private func pairs(_ name: String) -> [(name: String, value: String)] {
        guard case .array(let elements)? = report[name] else { return [] }
        return elements.compactMap { element in
            guard case .array(let pair) = element, pair.count == 2, case .string(let name) = pair[0],
                case .string(let value) = pair[1]
            else { return nil }
            return (name, value)
        }
    }
}

extension JSON {
    /// Returns a member of an object.
    subscript(_ name: String) -> JSON? {
        if case .object(let object) = self { object[name] } else { nil }
    }
}
