extension Builtin {
    /// The functions that belong to no namespace, by name.
    static let plainFunctions = functionNames.filter { !$0.utf8.contains(UInt8(ascii: ".")) }.sorted()

    private static let functionNames = allCases.filter { $0.overloads.contains { $0.receiver == nil } }.map(\.name)

    /// The functions of a namespace, without its name.
    static func functions(of namespace: String) -> [String] {
        functionNames.filter { $0.hasPrefix(namespace + ".") }.map { String($0.dropFirst(namespace.count + 1)) }
            .sorted()
    }

    /// The methods that a value of one of some kinds may have.
    static func methods(of kinds: KindSet) -> [String] {
        allCases.filter { $0.overloads.contains { kinds.fits($0.receiver ?? []) } }.map(\.name).sorted()
    }
}
