package import GatewayCore

/// The content of a translations file (`accounts.page.translations`): texts by their keys, by language. The reader of
/// the page knows the keys.
package struct PageTranslations: Sendable {
    /// The maximum size of the file, in bytes.
    package static let maximumSize = 262_144
    /// The maximum number of languages.
    static let maximumLanguages = 64
    /// The maximum size of a text, in bytes.
    static let maximumText = 1_000

    /// A text with its key.
    package struct Entry: Sendable {
        package let key: String
        package let text: String
        package let location: SourceLocation
    }

    /// The languages in the order of the file, each with its tag (BCP 47).
    package private(set) var languages: [(tag: String, entries: [Entry])] = []

    /// Reads a file in YAML or JSON.
    ///
    /// - Throws: All errors, with their locations in the file.
    package init(_ bytes: [UInt8], file: String) throws(ConfigurationErrors) {
        let source: SourceText
        do throws(ConfigurationError) {
            source = try SourceText(bytes, file: file)
        } catch {
            throw ConfigurationErrors([error])
        }
        let document = try YAMLDocument(source)
        var errors = document.duplicates
        let start = SourceLocation(file: file, line: 1, column: 1)
        let members = Self.members(of: document.root, at: start, "the file", &errors)
        if members.count > Self.maximumLanguages {
            errors.append(
                ConfigurationError(
                    location: start, what: "more than \(Self.maximumLanguages) languages", remedy: "remove some"))
        }
        for member in members.prefix(Self.maximumLanguages) { read(member, &errors) }
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
    }

    private mutating func read(_ member: YAMLMember, _ errors: inout [ConfigurationError]) {
        guard Self.isTag(member.key) else {
            errors.append(
                ConfigurationError(
                    location: member.keyLocation, what: "\(Quoted(member.key)) is not a language tag",
                    remedy: "write a tag of BCP 47, as in fr or pt-BR"))
            return
        }
        let what = "the texts of \(member.key)"
        let entries = Self.members(of: member.value, at: member.keyLocation, what, &errors)
            .compactMap { entry(in: $0, &errors) }
        languages.append((member.key, entries))
    }

    private func entry(in member: YAMLMember, _ errors: inout [ConfigurationError]) -> Entry? {
        guard case .scalar(let text, _) = member.value.content, (1...Self.maximumText).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            errors.append(
                ConfigurationError(
                    location: member.keyLocation, what: "\(Quoted(member.key)) is not a text of 1 to 1000 bytes",
                    remedy: "write a text on one line"))
            return nil
        }
        return Entry(key: member.key, text: text, location: member.keyLocation)
    }

    private static func members(
        of node: YAMLNode?, at location: SourceLocation, _ name: String, _ errors: inout [ConfigurationError]
    ) -> [YAMLMember] {
        if case .mapping(let members)? = node?.content { return members }
        errors.append(
            ConfigurationError(
                location: node?.location ?? location, what: "\(name): not a mapping",
                remedy: "write LANGUAGE: { KEY: TEXT }"))
        return []
    }

    /// Returns whether a text has the form of a language tag: subtags of one to eight letters or digits.
    private static func isTag(_ text: String) -> Bool {
        let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return text.utf8.count <= 35 && (2...8).contains(subtags[0].count)
            && subtags[0].allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
            && subtags.allSatisfy { subtag in
                (1...8).contains(subtag.count)
                    && subtag.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
            }
    }
}
