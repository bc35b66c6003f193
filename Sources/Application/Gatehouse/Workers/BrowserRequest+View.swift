import Accounts
import Authentication
import HTTPWire
import GatewayCore
import RequestPipeline

extension BrowserRequest {
    /// The maximum number of cookies of one name that are kept.
    private static let maximumCookies = 8

    /// Copies the facts of a request for a flow. A field that occurs several times has no valid value.
    init(_ request: RequestView, _ endpoint: AccountEndpoint, sessionCookies: [String]) {
        self.init()
        let bytes = request.bytes
        let path = request.head.path.bytes(in: bytes)
        provider = String(decoding: path.dropFirst(endpoint.path.utf8.count), as: UTF8.self)
        isPost = request.head.method == .post
        isPatch = request.head.method == .patch
        query = request.head.query.map { Array($0.bytes(in: bytes)) } ?? []
        let binding = Array(Self.bindingCookie.utf8)
        let sessionNames = sessionCookies.map { Array($0.utf8) }
        var previous: [String] = []
        if endpoint == .revokeSession { session = BuiltinEndpoints.Call.sessionID(in: path) }
        for index in 0..<request.fields.count {
            let field = request.fields[index]
            if field.kind == .cookie {
                for pair in CookiePairs(field.value, in: bytes) {
                    if Cookies.isNamed(pair, binding, in: bytes) { Self.add(pair, bytes, to: &bindings) }
                    guard let index = sessionNames.firstIndex(where: { Cookies.isNamed(pair, $0, in: bytes) }),
                        CompactShape.isJWT(pair.value.bytes(in: bytes))
                    else { continue }
                    if index == 0 { Self.add(pair, bytes, to: &sessions) } else { Self.add(pair, bytes, to: &previous) }
                }
                continue
            }
            let name = String(decoding: field.name.bytes(in: bytes), as: UTF8.self).lowercased()
            let value = String(decoding: field.value.bytes(in: bytes), as: UTF8.self)
            switch name {
            case "sec-fetch-mode": Self.set(&fetchMode, value)
            case "sec-fetch-dest": Self.set(&fetchDestination, value)
            case "sec-fetch-site": Self.set(&fetchSite, value)
            case "sec-purpose", "purpose": isAhead = isAhead || value.lowercased().contains("prefetch")
            case "user-agent" where userAgent.isEmpty: userAgent = Array(field.value.bytes(in: bytes).prefix(1024))
            case "origin": Self.set(&origin, value)
            case "accept-language": Self.set(&acceptLanguage, value)
            default: break
            }
        }
        // An earlier name counts only without a cookie of the current one, as in `CredentialLocator`.
        if sessions.isEmpty { sessions = previous } else { replaced = previous }
    }

    private static func add(_ pair: CookiePair, _ bytes: UnsafeRawBufferPointer, to values: inout [String]) {
        guard values.count < maximumCookies else { return }
        values.append(String(decoding: pair.value.bytes(in: bytes), as: UTF8.self))
    }

    private static func set(_ target: inout String?, _ value: String) { target = target == nil ? value : "" }
}
