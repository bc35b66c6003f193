import HTTPWire
import GatewayCore

extension ConfigurationValue {
    /// Returns a text of 1 to `maximum` bytes without control characters.
    package func string(atMost maximum: Int = 4_096) -> String? {
        guard let scalar = scalar("a string") else { return nil }
        if scalar.isPlain && !scalar.isSubstituted && Self.looksTyped(scalar.text) {
            return fail("\(name) is \(shown), not a string", "put it in quotes")
        }
        return bounded(scalar, atMost: maximum)
    }

    /// Returns one of the cases by its raw value.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type = Choice.self) -> Choice? {
        choice(of: Choice.allCases.map(\.rawValue)).flatMap(Choice.init)
    }

    /// Returns whether this is the word `none`, or its older spelling `off`. Reports `false`, the form of `off` after
    /// a tool that reads YAML 1.1; the result is then `nil`.
    func isNone() -> Bool? {
        guard case .scalar(let scalar) = content else { return false }
        guard scalar.text != "false" else {
            return fail("\(name) cannot be \(shown)", "write none; tools that read YAML 1.1 rewrite off as false")
        }
        return ["none", "off"].contains(scalar.text)
    }

    /// Returns one of `words`.
    package func choice(of words: [String]) -> String? {
        guard let scalar = scalar("one of \(words.joined(separator: ", "))") else { return nil }
        if words.contains(scalar.text) { return scalar.text }
        let remedy =
            Spelling.suggestion(for: scalar.text, among: words).map { "did you mean '\($0)'?" }
            ?? "write \(words.joined(separator: " or "))"
        return fail("\(name) cannot be \(shown)", remedy)
    }

    /// Returns `true` or `false`.
    package func boolean() -> Bool? {
        guard let scalar = scalar("true or false") else { return nil }
        switch (scalar.isTyped, scalar.text) {
        case (true, "true"): return true
        case (true, "false"): return false
        default: return fail("\(name) is \(shown), not true or false", "write true or false")
        }
    }

    /// Returns an integer.
    package func integer(in bounds: ClosedRange<Int>) -> Int? {
        guard let scalar = scalar("a whole number") else { return nil }
        guard scalar.isTyped, let number = WholeNumber.parse(scalar.text) else {
            return fail("\(name) is \(shown), not a whole number", "write digits only, as in 100")
        }
        guard bounds.contains(number) else {
            return outOfRange("\(bounds.lowerBound)", "\(bounds.upperBound)")
        }
        return number
    }

    /// Returns a number, optionally with a fraction.
    func number(in bounds: ClosedRange<Double>) -> Double? {
        guard let scalar = scalar("a number") else { return nil }
        guard scalar.isTyped, let number = DecimalNumber.parse(scalar.text) else {
            return fail("\(name) is \(shown), not a number", "write a number, as in 0.8")
        }
        guard bounds.contains(number) else {
            return outOfRange("\(bounds.lowerBound)", "\(bounds.upperBound)")
        }
        return number
    }

    /// Returns a duration, such as `30s`.
    package func duration(in bounds: ClosedRange<Duration>) -> Duration? {
        guard let scalar = scalar("a duration") else { return nil }
        guard let duration = DurationText.parse(scalar.text) else {
            return fail(
                "\(name) is \(shown), not a duration",
                "write a whole number and ms, s, m, h or d, as in 30s")
        }
        guard bounds.contains(duration) else {
            return outOfRange(DurationText.write(bounds.lowerBound), DurationText.write(bounds.upperBound))
        }
        return duration
    }

    /// Returns a size in bytes, such as `64KiB`.
    func size(in bounds: ClosedRange<Int>) -> Int? {
        guard let scalar = scalar("a size") else { return nil }
        guard let size = SizeText.parse(scalar.text) else {
            return fail(
                "\(name) is \(shown), not a size",
                "write a number of bytes, or one with KiB, MiB or GiB, as in 64KiB")
        }
        guard bounds.contains(size) else {
            return outOfRange(SizeText.write(bounds.lowerBound), SizeText.write(bounds.upperBound))
        }
        return size
    }

    private func bounded(_ scalar: Scalar, atMost maximum: Int) -> String? {
        if scalar.text.utf8.count > maximum {
            return fail("\(name) is longer than \(maximum) bytes", "shorten it")
        }
        if scalar.text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return fail("\(name) contains a control character", "write it on one line, without tabs")
        }
        return scalar.text
    }

    private func outOfRange<Result>(_ least: String, _ most: String) -> Result? {
        fail("\(name) is \(shown), out of range", "write \(least) to \(most)")
    }

    /// Returns whether YAML interprets the text as another type.
    private static func looksTyped(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        if ["true", "false", "null", "~"].contains(text.lowercased()) { return true }
        let mayBeNumber = "0123456789+-.".utf8.contains(first)
        return mayBeNumber && Double(text) != nil
    }

    /// Returns a secret of 1 to 4,096 bytes, which messages never show.
    func secret() -> Secret? {
        guard let text = scalar("a string")?.text else { return nil }
        guard text.utf8.count <= 4_096 else { return fail("\(name) is longer than 4096 bytes", "shorten it") }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            return fail("\(name) contains a control character", "write it on one line, without tabs")
        }
        return Secret(text)
    }

    /// Returns the address of a listener: `HOST:PORT` or `unix:/PATH`.
    func listenAddress() -> ListenAddress? {
        // `string()` would advise to quote a port.
        guard let scalar = scalar("an address"), let text = bounded(scalar, atMost: 320) else { return nil }
        do {
            return try ListenAddress(parsing: text)
        } catch {
            // The remedy may contain the port.
            return fail("\(name) is \(error.what)", isSubstituted ? "write HOST:PORT" : error.remedy)
        }
    }

    /// Returns an address of the form `HOST:PORT`.
    func portAddress() -> ListenAddress? {
        guard let address = listenAddress() else { return nil }
        guard address.path == nil else { return fail("\(name) is a unix: address", "write HOST:PORT") }
        return address
    }
}

/// The risk of an exchange without TLS.
enum PlainHTTPRisk: String {
    /// Key sets and discovery documents.
    case replacedKeys = "where an attacker on the network could replace the keys"
    /// Calls with tokens and with the gateway's client secret.
    case readSecrets = "where an attacker on the network could read tokens and secrets"
    /// The name of an issuer, which is never requested.
    case anyIssuer = "where an attacker on the network could issue tokens"
}

extension HTTPURL {
    /// Parses a URL with https. Plain http is accepted for this machine, or if `allowsPlainHTTP` is true.
    static func trusted(
        _ text: String, allowsPlainHTTP: Bool, _ risk: PlainHTTPRisk,
        remedy: String = "use https://, or set insecure_http: true"
    ) throws(Failure) -> HTTPURL {
        let url = try HTTPURL(parsing: text)
        guard url.isSecure || allowsPlainHTTP || IPAddress.isLoopback(host: url.host) else {
            throw Failure(what: "an http:// URL of another machine, \(risk.rawValue)", remedy: remedy)
        }
        return url
    }
}

extension ConfigurationValue {
    /// Returns a URL with https. Plain http is accepted for this machine, or if `allowsPlainHTTP` is true.
    func trustedURL(
        atMost maximum: Int = 2_048, allowsPlainHTTP: Bool, _ risk: PlainHTTPRisk,
        remedy: String = "use https://, or set insecure_http: true"
    ) -> String? {
        guard let text = string(atMost: maximum) else { return nil }
        do {
            _ = try HTTPURL.trusted(text, allowsPlainHTTP: allowsPlainHTTP, risk, remedy: remedy)
            return text
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
    }

    /// Returns the results of `read` for all elements. Reports duplicates, and more than `maximum` elements; messages
    /// call them `unit`. `nil` after any error.
    func list<Element: Hashable>(
        atMost maximum: Int = .max, of unit: String = "entries", _ read: (ConfigurationValue) -> Element?
    ) -> [Element]? {
        sequence().flatMap { unique($0, read) }.flatMap { bounded($0, maximum, of: unit) }
    }

    /// Returns the same for a list or a single element.
    func oneOrList<Element: Hashable>(
        atMost maximum: Int = .max, of unit: String = "entries", remedy: String = "remove some",
        _ read: (ConfigurationValue) -> Element?
    ) -> [Element]? {
        oneOrMany().flatMap { unique($0, read) }.flatMap { bounded($0, maximum, of: unit, remedy: remedy) }
    }

    /// Returns the elements if there are at most `maximum`.
    func bounded<Element>(
        _ elements: [Element], _ maximum: Int, of unit: String = "entries", remedy: String = "remove some"
    ) -> [Element]? {
        elements.count <= maximum ? elements : fail("\(name) has more than \(maximum) \(unit)", remedy)
    }

    private func unique<Element: Hashable>(_ values: [ConfigurationValue], _ read: (ConfigurationValue) -> Element?)
        -> [Element]?
    {
        var seen: Set<Element> = []
        let elements = values.compactMap { value -> Element? in
            guard let element = read(value) else { return nil }
            guard seen.insert(element).inserted else {
                return value.fail("\(name) has a duplicate entry", "remove one of them")
            }
            return element
        }
        return elements.count == values.count ? elements : nil
    }
}
