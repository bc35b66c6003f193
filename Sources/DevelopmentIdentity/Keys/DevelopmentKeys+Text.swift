internal import JOSE

extension DevelopmentKeys {
    /// The keys as text: for each a `Use`, a `Key-ID` and an `Algorithm` line, then its PEM block. PEM readers skip the lines.
    var fileText: String {
        var text =
            "Gatehouse development keys. For demos and tests only: whoever reads this file can sign in as anybody.\n"
        for use in Use.allCases {
            for key in self[use] {
                text += "\nUse: \(use.rawValue)\nKey-ID: \(key.keyID)\nAlgorithm: \(key.algorithm.rawValue)\n"
                text += String(decoding: key.pem(), as: UTF8.self)
            }
        }
        return text
    }

    /// Reads what `fileText` wrote.
    ///
    /// - Throws: `keyFile` naming the block that is not understood, or where a use has no key.
    init(fileText: String) throws(DevelopmentIdentityError) {
        self.init()
        var attributes: [Substring: String] = [:]
        var block = ""
        for line in fileText.split(separator: "\n", omittingEmptySubsequences: true) {
            if !block.isEmpty || line.hasPrefix("-----BEGIN ") { block += line + "\n" }
            if line.hasPrefix("-----END ") {
                try add(block: block, attributes)
                (attributes, block) = ([:], "")
            } else if block.isEmpty, let colon = line.firstIndex(of: ":") {
                attributes[line[..<colon]] = String(line[colon...].dropFirst().drop { $0 == " " })
            }
        }
        for use in Use.allCases where self[use].isEmpty {
            throw DevelopmentIdentityError(.keyFile, "no \(use.rawValue) key; delete the file to have it made anew")
        }
    }

    private mutating func add(
        block: String, _ attributes: [Substring: String]
    ) throws(DevelopmentIdentityError) {
        guard let use = attributes["Use"].flatMap(Use.init(rawValue:)), let keyID = attributes["Key-ID"],
            let algorithm = attributes["Algorithm"].flatMap(Algorithm.init(rawValue:))
        else {
            throw DevelopmentIdentityError(
                .keyFile, "a PEM block without valid Use, Key-ID and Algorithm lines before it")
        }
        do throws(SigningKeyError) {
            add(try SigningKey(pem: Array(block.utf8), algorithm: algorithm, keyID: keyID), for: use)
        } catch {
            throw DevelopmentIdentityError(.keyFile, "the key \(keyID): \(error.description)")
        }
    }
}
