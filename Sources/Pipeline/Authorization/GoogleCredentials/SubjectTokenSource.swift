import GatewayCore
import HTTPWire
import JOSE
import OutboundHTTP

/// The source of the token that workload identity federation exchanges (`credential_source`). It is read for every
/// exchange, because the other system replaces the token.
struct SubjectTokenSource: Sendable {
    enum Location: Sendable {
        case file(SubjectTokenFile)
        case url(String, fields: [String: String])
        case aws(AWSWorkload)
    }

    /// The maximum size of a file or response with a subject token, in bytes.
    static let sizeLimit = 64 << 10
    private static let tokenLimit = 16 << 10

    let location: Location
    /// The member of a JSON object that contains the token. `nil` if the token is the whole text.
    let field: String?

    /// - Parameters:
    ///   - audience: The audience of the exchange, which the token of a workload at AWS names.
    ///   - environment: The variables that may name the keys of a workload at AWS.
    init(
        _ source: CredentialFile, audience: String, environment: [String: String]
    ) throws(ServiceAccount.Failure) {
        for kind in ["executable", "certificate"] where source[kind] != nil {
            throw source.failure(
                "has a credential_source of the kind \(kind), which is not supported; use file, url or aws")
        }
        guard source["environment_id"] == nil else {
            location = .aws(try AWSWorkload(source, audience: audience, environment: environment))
            field = nil
            return
        }
        location = try Self.location(source)
        let format = try source.object("format")
        switch try format?.text("type") ?? "text" {
        case "text": field = nil
        case "json": field = try format?.required("subject_token_field_name")
        default: throw source.failure("has a credential_source whose format is neither text nor json")
        }
    }

    private static func location(_ source: CredentialFile) throws(ServiceAccount.Failure) -> Location {
        let (file, url) = (try source.text("file"), try source.text("url"))
        guard file == nil || url == nil else { throw source.failure("has a credential_source with both file and url") }
        if let file { return .file(SubjectTokenFile(path: file)) }
        guard let url else { throw source.failure("has a credential_source without file and url") }
        guard let parsed = try? HTTPURL(parsing: url),
            parsed.isSecure || IPAddress.isLoopback(host: parsed.host) || parsed.host == "169.254.169.254"
        else {
            throw source.failure(
                "has a credential_source whose url is neither https, nor on this machine, nor at 169.254.169.254")
        }
        var fields: [String: String] = [:]
        for (name, value) in try source.object("headers")?.texts() ?? [] {
            guard FieldName.isValid(name), value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                throw source.failure("has a credential_source with headers that cannot be sent")
            }
            fields[name] = value
        }
        return .url(url, fields: fields)
    }

    /// Reads the token. It calls `completion` once, from any thread.
    func read(
        _ transport: any OutboundTransport, within timeout: Duration, now: Int64,
        completion: @escaping @Sendable (Result<Secret, LookupFailure>) -> Void
    ) {
        switch location {
        case .aws(let workload): workload.read(transport, within: timeout, now: now, completion: completion)
        case .file(let file):
            file.read { result in completion(result.flatMap { token(in: $0) }) }
        case .url(let url, let fields):
            let request = OutboundRequest(
                method: .get, url: url, fields: fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            transport.send(request, within: timeout) { result in
                completion(
                    result.flatMap { response in
                        guard response.status == 200 else {
                            return .failure(LookupFailure(response, ownCredentials: [400, 401, 403, 404], now: now))
                        }
                        return token(in: response.body)
                    })
            }
        }
    }

    /// Returns the token in a file or response.
    func token(in bytes: [UInt8]) -> Result<Secret, LookupFailure> {
        let text: String?
        if let field {
            let limits = JSONLimits(size: Self.sizeLimit, depth: 16, members: 1024)
            text = (try? JSONDocument(bytes, limits: limits))?.root[field]?.string
        } else {
            text = String(validating: bytes, as: UTF8.self)
        }
        return Self.token(in: Array((text ?? "").utf8))
    }

    /// Returns the token without white space at both ends.
    static func token(in text: [UInt8]) -> Result<Secret, LookupFailure> {
        let token = text.trimmingWhitespace
        guard (1...tokenLimit).contains(token.count) else {
            return .failure(LookupFailure(.malformed, "the token is empty, too long or not a text"))
        }
        return .success(Secret(token))
    }
}

extension [UInt8] {
    /// The bytes without white space at both ends, such as the newline at the end of a file.
    fileprivate var trimmingWhitespace: ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        let tail = drop(while: isSpace)
        let end = tail.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? tail.startIndex
        return tail[..<end]
    }
}
