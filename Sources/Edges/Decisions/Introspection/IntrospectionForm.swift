package import GatewayCore
import HTTPWire

/// The form of an introspection response.
package enum IntrospectionForm: Equatable, Sendable {
    case json
    /// A signed JWT (RFC 9701).
    case jwt

    /// Selects the form by the `Accept` fields of a request (RFC 9110 section 12.5.1). `nil` if they accept only a JWT,
    /// and it cannot be signed.
    ///
    /// A JWT is sent only if it is named, and JSON is not named with a higher weight. JSON is the default, also if the
    /// fields name neither.
    package init?(acceptedBy request: RequestView, canSign: Bool) {
        var weights = AcceptWeights()
        var index = request.fields.firstIndex(of: .accept)
        while let current = index {
            weights.read(request.fields[current].value.bytes(in: request.bytes))
            index = request.fields.nextIndex(of: .accept, after: current)
        }
        let (jwt, json) = (weights.jwt ?? 0, weights.json ?? weights.anything ?? 0)
        if jwt > 0, canSign, jwt >= weights.json ?? 0 {
            self = .jwt
        } else if jwt > 0, !canSign, json == 0 {
            return nil
        } else {
            self = .json
        }
    }
}

/// The weights of media ranges in `Accept`, in thousandths. `nil` if the range is absent.
private struct AcceptWeights {
    private static let whole = 1_000

    var jwt: Int?
    var json: Int?
    /// The weight of `*/*` or `application/*`.
    var anything: Int?

    /// Reads one field value. Members that are not a known range are ignored.
    mutating func read(_ value: UnsafeRawBufferPointer) {
        for member in value.split(separator: UInt8(ascii: ",")) {
            let parts = member.split(separator: UInt8(ascii: ";")).map { trimmed(UnsafeRawBufferPointer(rebasing: $0)) }
            guard let range = parts.first else { continue }
            let weight = parts.dropFirst().lazy.compactMap(Self.weight).first ?? Self.whole
            if ASCII.equals(range, "application/token-introspection+jwt") {
                jwt = max(jwt ?? 0, weight)
            } else if ASCII.equals(range, "application/json") {
                json = max(json ?? 0, weight)
            } else if ASCII.equals(range, "*/*") || ASCII.equals(range, "application/*") {
                anything = max(anything ?? 0, weight)
            }
        }
    }

    private func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let start = text.firstIndex(where: { !isSpace($0) }), let end = text.lastIndex(where: { !isSpace($0) })
        else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: text[start...end])
    }

    /// Returns the weight of a parameter `q=` with at most three decimals. `nil` for another parameter. An invalid
    /// weight is 0, so that the range is not selected.
    private static func weight(_ parameter: UnsafeRawBufferPointer) -> Int? {
        guard parameter.count >= 2, parameter[0] | 0x20 == UInt8(ascii: "q"), parameter[1] == UInt8(ascii: "=") else {
            return nil
        }
        let digits = parameter.dropFirst(2)
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), digits.count <= 5,
            digits.count == 1 || digits[digits.startIndex + 1] == UInt8(ascii: ".")
        else { return 0 }
        var (weight, place) = (Int(first - UInt8(ascii: "0")) * whole, whole / 10)
        for digit in digits.dropFirst(2) {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return 0 }
            weight += Int(digit - UInt8(ascii: "0")) * place
            place /= 10
        }
        return min(weight, whole)
    }
}
