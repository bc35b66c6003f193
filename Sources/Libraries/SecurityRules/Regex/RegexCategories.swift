/// The general categories of Unicode, as in `\p{...}`.
struct RegexCategories: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Creates the category of a scalar.
    init(of scalar: UInt32) {
        self = Unicode.Scalar(scalar).map { Self($0.properties.generalCategory) } ?? []
    }

    /// Creates the categories of a name with one or two letters. `nil` for an unknown name. Unassigned scalars have
    /// no category (as in RE2).
    init?(named name: String) {
        guard let category = Self.named[name] else { return nil }
        self = category
    }

    private static let named: [String: RegexCategories] = {
        var all: [String: RegexCategories] = [:]
        for (index, name) in names.enumerated() {
            all[name] = RegexCategories(rawValue: 1 << UInt32(index))
            all[String(name.prefix(1)), default: []].insert(RegexCategories(rawValue: 1 << UInt32(index)))
        }
        return all
    }()

    /// The names in the order of the bits.
    private static let names = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
        "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co",
    ]

    private init(_ category: Unicode.GeneralCategory) {
        let bit: UInt32? =
            switch category {
            case .uppercaseLetter: 0
            case .lowercaseLetter: 1
            case .titlecaseLetter: 2
            case .modifierLetter: 3
            case .otherLetter: 4
            case .nonspacingMark: 5
            case .spacingMark: 6
            case .enclosingMark: 7
            case .decimalNumber: 8
            case .letterNumber: 9
            case .otherNumber: 10
            case .connectorPunctuation: 11
            case .dashPunctuation: 12
            case .openPunctuation: 13
            case .closePunctuation: 14
            case .initialPunctuation: 15
            case .finalPunctuation: 16
            case .otherPunctuation: 17
            case .mathSymbol: 18
            case .currencySymbol: 19
            case .modifierSymbol: 20
            case .otherSymbol: 21
            case .spaceSeparator: 22
            case .lineSeparator: 23
            case .paragraphSeparator: 24
            case .control: 25
            case .format: 26
            case .surrogate: 27
            case .privateUse: 28
            case .unassigned: nil
            @unknown default: nil
            }
        rawValue = bit.map { 1 << $0 } ?? 0
    }
}
