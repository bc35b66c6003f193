package import GatewayCore
package import HTTPWire

/// The field in which a request carries its App Check token.
package enum AppCheckField: Equatable {
    /// No token. `isFirebase` if the request was sent by a Firebase SDK.
    case absent(isFirebase: Bool)
    case token(ByteRange)
    /// More than one field, so that the request cannot be attributed to one app.
    case repeated

    /// Whether there is exactly one token.
    package var hasToken: Bool {
        if case .token = self { true } else { false }
    }

    /// The name of the field.
    package static let name: StaticString = "X-Firebase-AppCheck"

    /// Finds the field of a request by its name.
    package static func find(in request: RequestView) -> AppCheckField {
        var found: ByteRange?
        var isFirebase = false
        for index in 0..<request.fields.count {
            let field = request.fields[index]
            let fieldName = field.name.bytes(in: request.bytes)
            if ASCII.equals(fieldName, name) {
                guard found == nil else { return .repeated }
                found = field.value
            } else if ASCII.equals(fieldName, "X-Firebase-Client") || ASCII.equals(fieldName, "X-Firebase-GMPID") {
                isFirebase = true
            }
        }
        return found.map { .token($0) } ?? .absent(isFirebase: isFirebase)
    }
}
