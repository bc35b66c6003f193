/// The short name of a browser or an app, by which a user recognizes a session.
enum DeviceName {
    /// The products, more specific ones first: most browsers name others too.
    private static let products = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Mac OS X", "macOS"), ("Linux", "Linux"),
    ]
    /// The maximum size of the name of another client, in bytes.
    private static let maximumSize = 64

    /// Returns the name. `nil` without a `User-Agent`.
    static func text(of userAgent: String?) -> String? {
        guard let userAgent, !userAgent.isEmpty else { return nil }
        guard let product = products.first(where: { userAgent.contains($0.0) })?.1 else {
            // An app usually names itself first, as `Example/1.2 CFNetwork/1568`.
            return String(userAgent.prefix { $0 != "/" && $0 != " " }.prefix(maximumSize))
        }
        guard let system = systems.first(where: { userAgent.contains($0.0) })?.1 else { return product }
        return "\(product), \(system)"
    }
}
