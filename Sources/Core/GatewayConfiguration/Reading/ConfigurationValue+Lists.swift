extension ConfigurationValue {
    /// What `read` makes of each element; reports elements that are equal. Nil where anything was
    /// wrong.
    func list<Element: Hashable>(_ read: (ConfigurationValue) -> Element?) -> [Element]? {
        sequence().flatMap { unique($0, read) }
    }

    /// The same for a list or a single element.
    func oneOrList<Element: Hashable>(_ read: (ConfigurationValue) -> Element?) -> [Element]? {
        oneOrMany().flatMap { unique($0, read) }
    }

    private func unique<Element: Hashable>(_ values: [ConfigurationValue], _ read: (ConfigurationValue) -> Element?)
        -> [Element]?
    {
        var seen: Set<Element> = []
        let elements = values.compactMap { value -> Element? in
            guard let element = read(value) else { return nil }
            guard seen.insert(element).inserted else {
                return value.fail("\(name) has an entry twice", "keep one of them")
            }
            return element
        }
        return elements.count == values.count ? elements : nil
    }
}
