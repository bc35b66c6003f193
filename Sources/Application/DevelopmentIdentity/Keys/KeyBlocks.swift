internal import JOSE

/// Signing keys as text: for each the lines `Use`, `Key-ID` and `Algorithm`, then its PEM block. PEM parsers skip the
/// lines.
struct KeyBlocks {
    typealias Block = (use: String, key: SigningKey)

    private(set) var blocks: [Block]

    init(_ blocks: [Block]) {
        self.blocks = blocks
    }

    var text: String {
        var text =
            "Gatehouse development keys. For demos and tests only: any reader of this file can sign in as any user.\n"
        for (use, key) in blocks {
            text += "\nUse: \(use)\nKey-ID: \(key.keyID)\nAlgorithm: \(key.algorithm.rawValue)\n"
            text += String(decoding: key.pem(), as: UTF8.self)
        }
        return text
    }

    /// Parses the output of `text`. Throws `keyFile` with the invalid block.
    init(parsing text: String) throws(DevelopmentIdentityError) {
        blocks = []
        var attributes: [Substring: String] = [:]
        var block = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            if !block.isEmpty || line.hasPrefix("-----BEGIN ") { block += line + "\n" }
            if line.hasPrefix("-----END ") {
                blocks.append(try Self.read(block, attributes))
                (attributes, block) = ([:], "")
            } else if block.isEmpty, let colon = line.firstIndex(of: ":") {
                attributes[line[..<colon]] = String(line[colon...].dropFirst().drop { $0 == " " })
            }
        }
    }

    private static func read(
        _ block: String, _ attributes: [Substring: String]
    ) throws(DevelopmentIdentityError) -> Block {
        guard let use = attributes["Use"], let keyID = attributes["Key-ID"],
            let algorithm = attributes["Algorithm"].flatMap(Algorithm.init(rawValue:))
        else {
            throw DevelopmentIdentityError(
                .keyFile, "a PEM block without valid Use, Key-ID and Algorithm lines before it")
        }
        do throws(SigningKeyError) {
            return (use, try SigningKey(pem: Array(block.utf8), algorithm: algorithm, keyID: keyID))
        } catch {
            throw DevelopmentIdentityError(.keyFile, "the key \(keyID): \(error.description)")
        }
    }
}

extension DevelopmentKeys {
    /// The keys as text.
    var fileText: String {
        KeyBlocks(Use.allCases.flatMap { use in self[use].map { (use.rawValue, $0) } }).text
    }

    /// Parses the output of `fileText`. Throws `keyFile` with the invalid block, or if a use has no key.
    init(fileText: String) throws(DevelopmentIdentityError) {
        self.init()
        for (use, key) in try KeyBlocks(parsing: fileText).blocks {
            guard let use = Use(rawValue: use) else {
                throw DevelopmentIdentityError(.keyFile, "a key of the unknown use \(use)")
            }
            add(key, for: use)
        }
        for use in Use.allCases where self[use].isEmpty {
            throw DevelopmentIdentityError(.keyFile, "no \(use.rawValue) key; delete the file to have it made anew")
        }
    }
}
