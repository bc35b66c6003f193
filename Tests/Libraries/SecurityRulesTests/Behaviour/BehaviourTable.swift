import Testing

/// Behaviours of the language as rows, by feature:
///
///     feature
///         true: expression; another expression
///         refused: expression -- a part of the message
///         no error: why there is no row of that kind
///
/// - Each expression is a row. A row with a message or a request has its own line.
/// - `$name` in an expression represents `auth.token.name`: a value whose kind is not known when rules are loaded.
/// - `BLOCKS @ METHOD PATH` is a rules file, or the contents of its `service`, and a request.
/// - The rows of a feature that ends in `, signed out` are evaluated for a request without a user.
struct BehaviourTable: Sendable {
    let features: [BehaviourFeature]

    init(_ text: String) {
        var features: [BehaviourFeature] = []
        for line in text.split(separator: "\n") {
            guard line.hasPrefix("    ") else {
                features.append(BehaviourFeature(name: String(line)))
                continue
            }
            features[features.count - 1].append(line.dropFirst(4))
        }
        self.features = features
    }

    /// A table and the title of its subject.
    struct Group: Sendable {
        let title: String
        let features: [BehaviourFeature]

        init(_ title: String, _ features: [BehaviourFeature]) {
            self.title = title
            self.features = features
        }

        /// `| TITLE | features | rows | truth | falsehood | error |`
        var line: String {
            let rows = features.flatMap(\.rows)
            let numbers =
                [features.count, rows.count]
                + BehaviourRow.Aspect.allCases.map { aspect in rows.count { $0.aspect == aspect } }
            return "| \(title) | " + numbers.map(String.init).joined(separator: " | ") + " |"
        }
    }

    static let groups = [
        Group("comparison and membership", equality.features), Group("arithmetic", arithmetic.features),
        Group("logic", logic.features), Group("`is`", kinds.features), Group("literals", literals.features),
        Group("strings", strings.features), Group("lists", lists.features),
        Group("sets and maps", collections.features), Group("bytes and hashing", bytes.features),
        Group("numbers and conversions", numbers.features), Group("times", times.features),
        Group("paths", paths.features), Group("what a request gives", requests.features),
        Group("files, matches, functions", structure.features),
        Group("for those who come from Firebase", firebase.features),
    ]

    static let all = groups.flatMap(\.features)
}

/// One operator, method, function, form or rule of the language.
struct BehaviourFeature: Sendable, CustomTestStringConvertible {
    let name: String
    private(set) var rows: [BehaviourRow] = []
    /// The reasons why there is no row for truth, falsehood or an error.
    private(set) var exceptions: [BehaviourRow.Aspect: String] = [:]

    var testDescription: String { name }

    init(name: String) {
        self.name = name
    }

    mutating func append(_ line: Substring) {
        let end = line.firstIndex(of: ":") ?? line.endIndex
        let (label, text) = (String(line[..<end]), line[end...].dropFirst(2))
        if label.hasPrefix("no "), let aspect = BehaviourRow.Aspect(rawValue: String(label.dropFirst(3))) {
            exceptions[aspect] = String(text)
        } else {
            let isOne = text.contains(" -- ") || text.contains(" @ ")
            let sources = isOne ? [text] : text.split(separator: "; ")
            rows += sources.map { BehaviourRow(feature: name, label: label, text: $0) }
        }
    }

    /// The outcomes of the rows.
    var aspects: Set<BehaviourRow.Aspect> { Set(rows.compactMap(\.aspect)) }
}

/// One behaviour: an expression and its outcome.
struct BehaviourRow: Sendable, CustomTestStringConvertible {
    /// The outcomes that a feature has to show.
    enum Aspect: String, CaseIterable, Sendable {
        case truth = "true"
        case falsehood = "false"
        case error
    }

    let feature: String
    /// The outcome, as the table writes it.
    let label: String
    let source: String
    /// A part of the message. `nil` for any message.
    let message: String?
    /// The request. `nil` for the default one.
    let request: String?

    var testDescription: String { "\(feature): \(label): \(source)" }

    init(feature: String, label: String, text: Substring) {
        self.feature = feature
        self.label = label
        var source = String(text)
        message = source.cut(after: " -- ")
        request = source.cut(after: " @ ")
        self.source = request == nil ? source.replacing(/\$([A-Za-z])/) { "auth.token.\($0.1)" } : source
    }

    var aspect: Aspect? {
        switch label {
        case "true", "refused, true": .truth
        case "false", "refused, false", "none", "step-up": .falsehood
        case "fails", "refused": .error
        default: nil
        }
    }
}

extension String {
    /// Removes the last separator and the text after it, and returns that text. `nil` without a separator.
    fileprivate mutating func cut(after separator: String) -> String? {
        guard let place = ranges(of: separator).last else { return nil }
        defer { self = String(self[..<place.lowerBound]) }
        return String(self[place.upperBound...])
    }
}
