import JOSE

extension Principal {
    /// The `auth` variable of security rules as compact JSON: `uid`, `provider`, and `token` with all claims.
    package var variable: [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(claims.byteCount + 256)
        json.append(contentsOf: "{\"uid\":".utf8)
        JSONWriter.appendString(uid, to: &json)
        json.append(contentsOf: ",\"provider\":".utf8)
        if let provider {
            JSONWriter.appendString(provider, to: &json)
        } else {
            json.append(contentsOf: "null".utf8)
        }
        json.append(contentsOf: ",\"token\":".utf8)
        claims.root.appendCompact(to: &json)
        json.append(UInt8(ascii: "}"))
        return json
    }
}
