/// The freshness lifetime of a response (RFC 9111 sections 4.2 and 5.2.2) for key sources.
enum CacheControl {
    /// Returns the seconds that remain of a response's `max-age` after its `Age`. 0 if the response has no `max-age` or
    /// must not be stored.
    ///
    /// - Parameters:
    ///   - cacheControl: All `Cache-Control` values, joined with commas.
    ///   - age: The `Age` field. A value that is not a number is treated as absent (RFC 9111 section 5.1).
    static func freshness(cacheControl: String?, age: String?) -> UInt64 {
        guard let cacheControl else { return 0 }
        let lifetime = maxAge(cacheControl)
        guard let age, let passed = seconds(trim(Array(age.utf8)[...])) else { return lifetime }
        return lifetime > passed ? lifetime - passed : 0
    }

    /// Returns the value of the first `max-age` directive in seconds. 0 if the directive is missing or not a number, or
    /// if `no-store` or `no-cache` is present. A number that overflows is returned as `UInt64.max`.
    static func maxAge(_ value: String) -> UInt64 {
        var found: UInt64?
        for directive in directives(of: Array(value.utf8)) {
            let (name, argument) = split(directive)
            if equals(name, "no-store") || equals(name, "no-cache") { return 0 }
            if found == nil, equals(name, "max-age"), let argument { found = seconds(unquote(argument)) ?? 0 }
        }
        return found ?? 0
    }
}

extension CacheControl {
    /// Returns the directives, separated by commas outside quoted strings, without surrounding white space.
    private static func directives(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var found: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard byte == UInt8(ascii: ","), !isQuoted else { continue }
            found.append(trim(bytes[start..<index]))
            start = index + 1
        }
        found.append(trim(bytes[start...]))
        return found
    }

    private static func split(_ directive: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, argument: ArraySlice<UInt8>?)
    {
        guard let equals = directive.firstIndex(of: UInt8(ascii: "=")) else { return (directive, nil) }
        return (directive[..<equals], directive[(equals + 1)...])
    }

    private static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func unquote(_ argument: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let quote = UInt8(ascii: "\"")
        guard argument.count >= 2, argument.first == quote, argument.last == quote else { return argument }
        return argument.dropFirst().dropLast()
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func equals(_ name: ArraySlice<UInt8>, _ lowercase: StaticString) -> Bool {
        lowercase.withUTF8Buffer { expected in
            expected.count == name.count && zip(name, expected).allSatisfy { ($0 | 0x20) == $1 || $0 == $1 }
        }
    }

    /// Returns the value of one or more digits. A number that overflows becomes `UInt64.max`.
    private static func seconds(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, carries) = shifted.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            // `.max` times ten overflows again, so the value stays clamped for the remaining digits.
            value = isTooLarge || carries ? .max : sum
        }
        return value
    }
}
