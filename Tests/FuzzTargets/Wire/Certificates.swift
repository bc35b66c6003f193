internal import JOSE

/// X.509 maps: each certificate is counted, and an accepted key is a fit RSA key.
///
/// An input that begins with `{` is the text of a map. Any other is the DER of one certificate.
public func fuzzCertificates(_ input: UnsafeRawBufferPointer) {
    let isText = input.first == UInt8(ascii: "{")
    let bytes = isText ? [UInt8](input) : map(ofCertificate: input)
    guard let set = try? KeySet(x509Map: bytes, now: fixedNow) else {
        return require(isText, "a map of one PEM text is a map")
    }
    checkKeySet(set)
    for key in set.keys {
        guard case .rsa = key.kind else { return require(false, "only RSA keys are taken from certificates") }
        require(key.keyID != nil, "a key of a map has its kid")
    }
    checkCount(set, bytes)
    checkTimes(set, bytes)
}

private func checkCount(_ set: KeySet, _ bytes: [UInt8]) {
    guard let document = try? JSONDocument(bytes, limits: .keySet) else { return require(false, "a map is JSON") }
    require(set.keys.count + set.skipped.count == document.root.count, "each member is a key or skipped")
    require(document.root["error"] == nil, "an error document is no map")
    for key in set.keys {
        let text = key.keyID.flatMap { document.root[$0]?.string } ?? ""
        require(text.contains("-----BEGIN CERTIFICATE-----"), "a key comes from the PEM text of its kid")
    }
}

/// The keys are the same at another time if they are valid, and validity has no gaps.
private func checkTimes(_ set: KeySet, _ bytes: [UInt8]) {
    let earlier = keys(bytes, at: fixedNow - 86_400 * 365)
    let later = keys(bytes, at: fixedNow + 86_400 * 365)
    for (id, thumbprint) in earlier where later[id] != nil {
        require(set.key(id: id)?.thumbprint == thumbprint, "what is valid before and after is valid between")
    }
}

private func keys(_ bytes: [UInt8], at now: Int64) -> [String: [UInt8]] {
    guard let set = try? KeySet(x509Map: bytes, now: now) else { return [:] }
    return Dictionary(set.keys.map { ($0.keyID ?? "", $0.thumbprint) }, uniquingKeysWith: { first, _ in first })
}

/// `{"kid":"-----BEGIN CERTIFICATE-----..."}` with the input's base64 in lines of 64.
private func map(ofCertificate der: UnsafeRawBufferPointer) -> [UInt8] {
    var text = #"{"kid":"-----BEGIN CERTIFICATE-----"#
    for (index, character) in base64(der).enumerated() {
        if index.isMultiple(of: 64) { text += #"\n"# }
        text.unicodeScalars.append(Unicode.Scalar(character))
    }
    return [UInt8]((text + #"\n-----END CERTIFICATE-----\n"}"#).utf8)
}

/// With the alphabet and padding that PEM uses.
private func base64(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var text: [UInt8] = []
    Base64URL.encode(bytes, into: &text)
    text = text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
    return text + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
}
