/// A JSON Web Key of a set (RFC 7517 section 4).
struct JWK {
    private let members: JSONValue
    private let keyID: String?

    /// Checks all members except the key's numbers.
    init(_ value: JSONValue) throws(UnfitKey) {
        guard value.kind == .object else { throw UnfitKey("not an object") }
        members = value
        keyID = try Self.optionalString("kid", of: value)
        guard keyID?.isEmpty != true else { throw UnfitKey("\"kid\" is empty") }
        try checkPurpose()
        try checkIsPublic()
    }

    /// Creates the key. Throws `UnfitKey` if it cannot be used.
    func makeKey() throws(UnfitKey) -> PublicKey {
        let declared = try declaredAlgorithm()
        // `issuer` is not a member of RFC 7517. A value of another type is ignored.
        let issuer = members["issuer"]?.string
        switch try string("kty") {
        case "RSA":
            let material = RSAMaterial(modulus: try number("n"), exponent: try number("e"))
            return try PublicKey(material, keyID: keyID, declared: declared, issuer: issuer)
        case "EC":
            let material = ECMaterial(curve: try curve(), x: try number("x"), y: try number("y"))
            return try PublicKey(material, keyID: keyID, declared: declared, issuer: issuer)
        case "OKP":
            guard try string("crv") == "Ed25519" else { throw UnfitKey("\"crv\" is not Ed25519") }
            return try PublicKey(OKPMaterial(x: try number("x")), keyID: keyID, declared: declared, issuer: issuer)
        default:
            throw UnfitKey("\"kty\" is not RSA, EC or OKP")
        }
    }
}

extension JWK {
    private func checkPurpose() throws(UnfitKey) {
        if let use = try Self.optionalString("use", of: members), use != "sig" {
            throw UnfitKey("\"use\" is not sig")
        }
        guard let operations = members["key_ops"] else { return }
        guard operations.elements.contains(where: { $0.equals("verify") }) else {
            throw UnfitKey("\"key_ops\" lacks verify")
        }
    }

    /// A published private key is compromised.
    private func checkIsPublic() throws(UnfitKey) {
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] where members[name] != nil {
            throw UnfitKey("has the private member \"\(name)\"")
        }
    }

    private func declaredAlgorithm() throws(UnfitKey) -> Algorithm? {
        guard let name = try Self.optionalString("alg", of: members) else { return nil }
        guard let algorithm = Algorithm(rawValue: name) else { throw UnfitKey("\"alg\" is not a supported algorithm") }
        return algorithm
    }

    private func curve() throws(UnfitKey) -> EllipticCurve {
        guard let curve = EllipticCurve(rawValue: try string("crv")) else {
            throw UnfitKey("\"crv\" is not P-256, P-384 or P-521")
        }
        return curve
    }

    private func number(_ name: String) throws(UnfitKey) -> [UInt8] {
        guard let bytes = Base64URL.decode(try string(name)), !bytes.isEmpty else {
            throw UnfitKey("\"\(name)\" is not base64url")
        }
        return bytes
    }

    private func string(_ name: String) throws(UnfitKey) -> String {
        guard let string = try Self.optionalString(name, of: members) else { throw UnfitKey("\"\(name)\" is missing") }
        return string
    }

    private static func optionalString(_ name: String, of value: JSONValue) throws(UnfitKey) -> String? {
        guard let member = value[name] else { return nil }
        guard let string = member.string else { throw UnfitKey("\"\(name)\" is not a string") }
        return string
    }
}
