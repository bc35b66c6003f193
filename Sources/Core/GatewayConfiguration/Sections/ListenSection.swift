import GatewayCore

/// A listener and where its address stands.
struct LocatedListener {
    let listener: Configuration.Listener
    let location: SourceLocation
}

extension MappingReader {
    private static let maximumListeners = 64

    /// The public listeners; empty where none are configured.
    func listeners() -> [LocatedListener] {
        guard let value = value("listen"), let elements = value.sequence() else { return [] }
        guard elements.count <= Self.maximumListeners else {
            context.fail(value.location, "listen has more than \(Self.maximumListeners) entries", "remove some")
            return []
        }
        var taken: [ListenAddress] = []
        return elements.compactMap { element in
            guard let listener = element.listener() else { return nil }
            if taken.contains(where: { $0.overlaps(listener.listener.address) }) {
                context.fail(listener.location, "an address that another listener has", "remove one of them")
            }
            taken.append(listener.listener.address)
            return listener
        }
    }
}

extension ConfigurationValue {
    fileprivate func listener() -> LocatedListener? {
        guard let mapping = mapping(.listener),
            let value = mapping.required("address", "add address: HOST:PORT"),
            let address = value.listenAddress()
        else { return nil }
        var listener = Configuration.Listener(address: address)
        mapping.readEdge(into: &listener)
        return LocatedListener(listener: listener, location: value.location)
    }
}

extension ListenAddress {
    /// Whether both cannot be listened on at once.
    func overlaps(_ other: ListenAddress) -> Bool {
        if path != nil || other.path != nil { return path == other.path }
        return port == other.port && port != 0 && (host == other.host || isWildcard || other.isWildcard)
    }
}
