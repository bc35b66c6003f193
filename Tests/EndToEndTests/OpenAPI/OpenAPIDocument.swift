import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// `docs/reference/openapi.json`.
struct OpenAPIDocument {
    /// A listener of the gateway. The value is its URL in the document.
    enum Listener: String, CaseIterable {
        case admin = "http://127.0.0.1:9901"
        case listen = "https://api.example.com"
        case decisions = "http://127.0.0.1:9000"
    }

    /// One method of one path.
    struct Operation: CustomTestStringConvertible {
        let method: String
        let path: String
        let item: JSON
        let json: JSON

        var name: String { "\(method) \(path)" }
        var testDescription: String { name }
        var id: String { json.text("operationId") ?? "" }
        var acceptsAnyMethod: Bool { item["x-any-method"] == .bool(true) }
        var listeners: [Listener] { item.list("servers").compactMap { $0.text("url").flatMap(Listener.init) } }
        var responses: [JSONObject.Member] { json["responses"]?.objectMembers ?? [] }

        /// The names of the security schemes, each of which is sufficient. An empty text is an anonymous request.
        var credentials: [String] { json.list("security").map { $0.objectMembers.first?.name ?? "" } }
    }

    private static let methods = ["get", "head", "post", "put", "patch", "delete", "options", "trace"]

    let root: JSON
    let operations: [Operation]

    init() throws {
        let file = Repository.root.appending(path: "docs/reference/openapi.json")
        root = try #require(JSON(parsing: Array(try Data(contentsOf: file))))
        operations = (root["paths"]?.objectMembers ?? []).flatMap { path in
            path.value.objectMembers.filter { Self.methods.contains($0.name) }.map {
                Operation(method: $0.name.uppercased(), path: path.name, item: path.value, json: $0.value)
            }
        }
    }

    /// The operations that a listener has, as method and path.
    func names(on listener: Listener) -> [String] {
        operations.filter { $0.listeners.contains(listener) }.map(\.name).sorted()
    }

    /// Returns the referenced value, or the value itself. `nil` for a reference to an absent value.
    func resolve(_ value: JSON) -> JSON? {
        guard let reference = value.text("$ref") else { return value }
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(root) { $0?[String($1)] }
    }

    /// The parameters of an operation, including the parameters of its path.
    func parameters(of operation: Operation) -> [JSON] {
        (operation.item.list("parameters") + operation.json.list("parameters")).compactMap(resolve)
    }

    /// The media types of the request's body, with their descriptions.
    func bodies(of operation: Operation) -> [JSONObject.Member] {
        operation.json["requestBody"]?["content"]?.objectMembers ?? []
    }
}

/// The check of a value by a schema of the document. It knows the keywords that the document uses for structure. In
/// contrast to JSON Schema, an object may have no other member than the listed ones unless `additionalProperties`
/// permits it, so that the document is complete.
extension OpenAPIDocument {
    /// Returns the violations, each with its place.
    func violations(of value: JSON, _ schema: JSON, at place: String = "$") -> [String] {
        guard let schema = resolve(schema) else { return ["\(place): a reference without a value"] }
        if case let variants = schema.list("anyOf"), !variants.isEmpty {
            let isValid = variants.contains { violations(of: value, $0, at: place).isEmpty }
            return isValid ? [] : ["\(place): no variant of anyOf"]
        }
        if let type = schema["type"], !Self.types(type).contains(where: value.types.contains) {
            return ["\(place): \(value.text) is not \(type.text)"]
        }
        if case let values = schema.list("enum"), !values.isEmpty, !values.contains(value) {
            return ["\(place): \(value.text) is not one of \(values.map(\.text))"]
        }
        switch value {
        case .object(let object): return violations(in: object, schema, place)
        case .array(let elements):
            guard let items = schema["items"] else { return [] }
            return elements.enumerated().flatMap { violations(of: $1, items, at: "\(place)[\($0)]") }
        default: return []
        }
    }

    private func violations(in object: JSONObject, _ schema: JSON, _ place: String) -> [String] {
        let missing = schema.list("required").compactMap(\.stringValue).filter { object[$0] == nil }
        return missing.map { "\(place): no \($0)" }
            + object.members.flatMap { member -> [String] in
                let place = "\(place).\(member.name)"
                if let property = schema["properties"]?[member.name] {
                    return violations(of: member.value, property, at: place)
                }
                switch schema["additionalProperties"] {
                case .bool(true): return []
                case let property? where !property.objectMembers.isEmpty:
                    return violations(of: member.value, property, at: place)
                default: return ["\(place): not in the document"]
                }
            }
    }

    private static func types(_ type: JSON) -> [String] {
        if case .array(let types) = type { types.compactMap(\.stringValue) } else { [type.stringValue ?? ""] }
    }
}

extension JSON {
    /// The members of an object. Empty for other values.
    var objectMembers: [JSONObject.Member] { if case .object(let object) = self { object.members } else { [] } }

    /// The types of JSON Schema that the value has.
    fileprivate var types: [String] {
        switch self {
        case .null: ["null"]
        case .bool: ["boolean"]
        case .integer, .raw: ["integer", "number"]
        case .number: ["number"]
        case .string: ["string"]
        case .array: ["array"]
        case .object: ["object"]
        }
    }
}
