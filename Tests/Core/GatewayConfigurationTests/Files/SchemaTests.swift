import Foundation
import Testing

@testable import GatewayConfiguration
@testable import SystemFixtures

/// `config/schema.json` compared with the keys of the loader.
@Suite struct SchemaTests {
    let schema: [String: Any]

    init() throws {
        let data = try Data(contentsOf: Repository.configurations.appending(path: "schema.json"))
        schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The schema of the mapping at a path of the file.
    private func mapping(at path: String) throws -> [String: Any] {
        if let provider = try provider(at: path) { return provider }
        return try path.split(separator: ".").reduce(schema) { parent, part in
            let key = part.hasSuffix("[]") ? String(part.dropLast(2)) : String(part)
            if key == "*" { return resolved(try #require(parent["additionalProperties"] as? [String: Any])) }
            let properties = try #require(parent["properties"] as? [String: Any])
            let value = resolved(try #require(properties[key] as? [String: Any], "\(path)"))
            return part.hasSuffix("[]") ? resolved(try #require(value["items"] as? [String: Any])) : value
        }
    }

    /// The schema of an entry of `identity.providers`, whose IDs have dots. `.*` at the end of a path is any name.
    private func provider(at path: String) throws -> [String: Any]? {
        let prefix = "identity.providers."
        guard path.hasPrefix(prefix) else { return nil }
        let providers = try #require(
            (try mapping(at: "identity")["properties"] as? [String: Any])?["providers"] as? [String: Any])
        let properties = try #require(providers["properties"] as? [String: Any])
        let patterns = try #require(providers["patternProperties"] as? [String: Any])
        let id = path.dropFirst(prefix.count)
        if id == "*.second_factor" {
            let oidc = resolved(try #require(patterns["^oidc\\.[a-z0-9-]{1,64}$"] as? [String: Any]))
            let factor = (oidc["properties"] as? [String: Any])?["second_factor"]
            return resolved(try #require(factor as? [String: Any]))
        }
        let entry = id.hasSuffix(".*") ? patterns["^\(id.dropLast(2))\\.[a-z0-9-]{1,64}$"] : properties[String(id)]
        return resolved(try #require(entry as? [String: Any], "\(path)"))
    }

    private func resolved(_ value: [String: Any]) -> [String: Any] {
        // A mapping or null.
        if let first = (value["anyOf"] as? [[String: Any]])?.first, first["$ref"] != nil { return resolved(first) }
        guard let name = (value["$ref"] as? String)?.split(separator: "/").last,
            let definitions = schema["$defs"] as? [String: Any]
        else { return value }
        return definitions[String(name)] as? [String: Any] ?? value
    }

    @Test(arguments: KnownKeys.all) func `a mapping has the keys of the loader and no others`(_ known: KnownKeys) throws
    {
        let mapping = try mapping(at: known.path)
        let properties = try #require(mapping["properties"] as? [String: Any])
        #expect(Set(properties.keys) == Set(known.supported).union(known.aliases.keys), "\(known.path)")
        #expect(mapping["additionalProperties"] as? Bool == false, "\(known.path)")
    }

    @Test(arguments: KnownKeys.all)
    func `a key allows the empty values of the loader and no others`(known: KnownKeys) throws {
        let properties = try #require(try mapping(at: known.path)["properties"] as? [String: [String: Any]])
        for (key, value) in properties {
            let permitted = known.permitted(key)
            #expect(allowsNull(value) == permitted.contains(.null), "\(known.path).\(key)")
            #expect(allowsEmptyCollection(value) == permitted.contains(.collection), "\(known.path).\(key)")
        }
    }

    /// A loader of YAML 1.1, such as Helm's tools and PyYAML, reads these words as Booleans.
    @Test(arguments: KnownKeys.all) func `no loader of YAML 1.1 rewrites a key`(_ known: KnownKeys) {
        let words: Set = ["y", "n", "yes", "no", "on", "off", "true", "false"]
        #expect(words.isDisjoint(with: known.supported.map { $0.lowercased() }), "\(known.path)")
    }

    private func types(_ value: [String: Any]) -> [String] {
        value["type"] as? [String] ?? (value["type"] as? String).map { [$0] } ?? []
    }

    private func alternatives(_ value: [String: Any]) -> [[String: Any]] {
        let own = (value["anyOf"] as? [[String: Any]])?.flatMap(alternatives) ?? []
        return value["$ref"] == nil ? own + [value] : own + [resolved(value)]
    }

    private func allowsNull(_ value: [String: Any]) -> Bool {
        alternatives(value).contains {
            types($0).contains("null") || ($0["enum"] as? [Any])?.contains { $0 is NSNull } == true
        }
    }

    private func allowsEmptyCollection(_ value: [String: Any]) -> Bool {
        alternatives(value).contains { schema in
            let isEmptyList = types(schema).contains("array") && schema["minItems"] == nil
            let isEmptyMapping =
                types(schema).contains("object") && schema["minProperties"] == nil && schema["required"] == nil
            return isEmptyList || isEmptyMapping
        }
    }

    @Test func `the loader covers every mapping of the schema`() throws {
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        let mappings = definitions.values.filter { $0["properties"] != nil }.count + 1
        #expect(mappings == KnownKeys.all.count)
    }

    @Test func `the reference names every supported key`() throws {
        let file = Repository.configurations.appending(path: "reference.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        for key in KnownKeys.all.flatMap(\.supported) {
            #expect(text.contains(" \(key):") || text.contains("\n\(key):"), "\(key)")
        }
    }

    @Test func `the manual names every key`() throws {
        let folder = Repository.root.appending(path: "docs/reference/configuration")
        let text = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        for known in KnownKeys.all {
            for key in known.supported {
                #expect(text.contains("`\(key)`") || text.contains(".\(key)`") || text.contains("`\(key):"), "\(key)")
            }
        }
    }
}
