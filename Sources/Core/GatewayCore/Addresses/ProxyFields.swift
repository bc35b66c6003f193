import HTTPWire

/// The fields by which a trusted proxy reports the client of a request. All other fields are ignored.
package struct ProxyFields: Hashable, Sendable {
    enum Name: UInt8 {
        case addresses, elements, scheme
        /// A field with one address.
        case single
    }

    /// The default if the proxy's fields are not configured: all of them are read, and contradictions are rejected.
    static let unknown = ProxyFields(addresses: true, elements: true, scheme: true, single: nil)

    private let addresses, elements, scheme: Bool
    /// The name of a field with one address.
    let single: [UInt8]?

    package init(addresses: Bool, elements: Bool, scheme: Bool, single: [UInt8]?) {
        self.addresses = addresses
        self.elements = elements
        self.scheme = scheme
        self.single = single
    }

    /// Calls `body` for each line of these fields. Other spellings of their names (`X_Forwarded_For`) are ignored.
    @inline(__always)
    func forEach(in request: RequestView, _ body: (Name, UnsafeRawBufferPointer) -> Void) {
        for index in 0..<request.fields.count {
            let field = request.fields[index]
            guard let name = name(of: field.name.bytes(in: request.bytes)) else { continue }
            body(name, field.value.bytes(in: request.bytes))
        }
    }

    @inline(__always)
    private func name(of field: UnsafeRawBufferPointer) -> Name? {
        switch field.count {
        case 9 where elements && ASCII.equals(field, "Forwarded"): return .elements
        case 15 where addresses && ASCII.equals(field, "X-Forwarded-For"): return .addresses
        case 17 where scheme && ASCII.equals(field, "X-Forwarded-Proto"): return .scheme
        default: break
        }
        guard let single, single.count == field.count, ASCII.equals(field, single) else { return nil }
        return .single
    }
}
