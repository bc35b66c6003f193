package import HTTPWire
package import NIOHPACK

extension HPACKHeaders {
    /// Appends the fields of a parsed HTTP/1.1 head, with names in lower case, without connection-specific fields and
    /// fields that `Connection` names (RFC 9113 section 8.2.2).
    ///
    /// - Parameters:
    ///   - bytes: The head that the table describes.
    ///   - isDropped: Whether a further field is omitted, by its kind and its name in lower case.
    package mutating func append(
        _ fields: FieldTable, of bytes: UnsafeRawBufferPointer, except isDropped: (FieldKind, String) -> Bool
    ) {
        for index in 0..<fields.count {
            let field = fields[index]
            if field.isNamedByConnection || field.kind.isOfOneConnection { continue }
            let name = String(lowercasing: field.name.bytes(in: bytes))
            if isDropped(field.kind, name) { continue }
            let value = String(decoding: field.value.bytes(in: bytes), as: UTF8.self)
            add(name: name, value: value, indexing: FieldEncoding.indexing(of: name, value: value))
        }
    }

    /// Appends a field with the indexing of its name.
    package mutating func append(_ name: String, _ value: String) {
        add(name: name, value: value, indexing: FieldEncoding.indexing(of: name, value: value))
    }
}

extension FieldKind {
    /// Whether HTTP/2 has no such field.
    package var isOfOneConnection: Bool {
        switch self {
        case .connection, .transferEncoding, .upgrade, .keepAlive, .proxyConnection, .http2Settings: true
        default: false
        }
    }
}

extension String {
    /// Creates a text from ASCII bytes, with letters in lower case.
    package init(lowercasing bytes: UnsafeRawBufferPointer) {
        self.init(unsafeUninitializedCapacity: bytes.count) { output in
            ASCII.lowercase(bytes, into: UnsafeMutableRawBufferPointer(output))
            return bytes.count
        }
    }
}
