internal import JOSE

extension ReceivedRequest {
    /// The request as the echo server tells it.
    ///
    /// `auth` is what the field `X-Auth` says, or `null`; the rest is as received.
    var report: JSON {
        var report: JSONObject = [
            "method": .string(method), "path": .string(target), "version": .string(version),
            "fields": Self.pairs(fields), "trailers": Self.pairs(trailers),
            "body_length": .integer(Int64(bodyLength)), "body_checksum": .string(String(bodyChecksum, radix: 16)),
        ]
        if let bodyText { report["body"] = .string(bodyText) }
        if !isComplete { report["complete"] = false }
        report["connection"] = .integer(Int64(connection))
        report["request"] = .integer(Int64(request))
        report["auth"] = auth
        return .object(report)
    }

    private static func pairs(_ fields: [Field]) -> JSON {
        .array(fields.map { [.string($0.name), .string($0.value)] })
    }

    /// The `auth` variable that the gateway sends: base64url of JSON.
    private var auth: JSON {
        guard let text = value(of: "X-Auth") else { return nil }
        return Base64URL.decode(text).flatMap { JSON(parsing: $0) } ?? ["undecodable": .string(text)]
    }
}
