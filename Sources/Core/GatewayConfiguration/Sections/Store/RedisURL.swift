import GatewayCore
import TextCoding

/// A Redis URL: `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`,
/// `redis+sentinel://[...@]HOST[:PORT],.../NAME[/DATABASE]` for sentinels, or
/// `redis+cluster://[...@]HOST[:PORT],...[/TAG]` for a cluster. `rediss` enables TLS.
struct RedisURL: Equatable {
    /// The reason that a text is not such a URL, without any of the text, which may contain a password.
    struct Failure: Error {
        let what: String
        let remedy: String

        init(_ what: String, _ remedy: String) {
            self.what = what
            self.remedy = remedy
        }
    }

    /// The maximum number of sentinels, and of nodes of a cluster.
    static let maximumHosts = 32
    /// The hash tag of a cluster's keys.
    static let defaultTag = "gatehouse"
    private static let maximumTagSize = 64
    private static let maximumDatabase = Int(Int32.max)
    private enum Kind { case server, sentinels, cluster }
    private static let schemes: [String: (isSecure: Bool, kind: Kind)] = [
        "redis": (false, .server), "rediss": (true, .server), "redis+sentinel": (false, .sentinels),
        "rediss+sentinel": (true, .sentinels), "redis+cluster": (false, .cluster), "rediss+cluster": (true, .cluster),
    ]

    let isSecure: Bool
    let servers: RedisLocation.Servers
    let database: Int
    let username: String?
    let password: Secret?

    /// Returns whether the scheme of a text is that of a Redis URL.
    static func isMeant(by text: String) -> Bool {
        text.firstIndex(of: ":").map { schemes[text[..<$0].lowercased()] != nil } ?? false
    }

    init(parsing text: String) throws(Failure) {
        guard let separator = text.firstRange(of: "://"),
            let scheme = Self.schemes[text[..<separator.lowerBound].lowercased()]
        else { throw Failure("no '//' after its scheme", "write redis://HOST:PORT or redis+sentinel://HOST:PORT/NAME") }
        let rest = try Self.checked(text[separator.upperBound...])
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<end]
        let path = rest[end...].dropFirst()
        let at = authority.lastIndex(of: "@")
        (username, password) = try Self.account(at.map { authority[..<$0] } ?? "")
        let hosts = at.map { authority[authority.index(after: $0)...] } ?? authority
        isSecure = scheme.isSecure
        switch scheme.kind {
        case .sentinels: (servers, database) = try Self.sentinels(hosts, path)
        case .cluster: (servers, database) = (try Self.cluster(hosts, path), 0)
        case .server:
            servers = .server(try Self.server(hosts))
            database = path.isEmpty ? 0 : try Self.database(path)
        }
    }

    private static func checked(_ rest: Substring) throws(Failure) -> Substring {
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Failure("spaces or non-ASCII characters in its URL", "percent-encode them")
        }
        if rest.contains(where: { $0 == "?" || $0 == "#" }) {
            throw Failure(
                "a '?' or '#' in its URL",
                "remove the query or fragment; percent-encode the character in a user or password")
        }
        guard let slash = rest.firstIndex(of: "/"), rest[slash...].contains("@") else { return rest }
        throw Failure("a '/' before '@' in its URL", "write / as %2F in a user or password")
    }

    // MARK: - User and password

    private static func account(_ text: Substring) throws(Failure) -> (username: String?, password: Secret?) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let username = try decoded(parts[0])
        guard parts.count == 2 else { return (username.isEmpty ? nil : username, nil) }
        let password = try decoded(parts[1])
        guard !password.isEmpty else { throw Failure("an empty password in its URL", "write it, or remove the ':'") }
        return (username.isEmpty ? nil : username, Secret(password))
    }

    private static func decoded(_ text: Substring) throws(Failure) -> String {
        if text.contains(where: { "@:[]".contains($0) }) {
            throw Failure(
                "a reserved URL character in its user or password",
                "percent-encode @ as %40, : as %3A, [ as %5B and ] as %5D, or write the key password")
        }
        guard let bytes = PercentEncoding.decoded(text.utf8) else {
            throw Failure("a '%' without two hexadecimal digits in its user or password", "write %25 for a %")
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw Failure("a user or password that is not UTF-8", "percent-encode its UTF-8 bytes")
        }
        return decoded
    }

    // MARK: - Hosts and path

    private static func server(_ hosts: Substring) throws(Failure) -> RedisLocation.Address {
        if hosts.contains(",") {
            throw Failure(
                "more than one host",
                "write redis+sentinel://HOST,HOST/NAME for sentinels, redis+cluster://HOST,HOST for a cluster, or one host"
            )
        }
        return try address(hosts, defaultPort: 6379)
    }

    private static func sentinels(
        _ hosts: Substring, _ path: Substring
    ) throws(Failure) -> (RedisLocation.Servers, database: Int) {
        let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let master = parts.first, !master.isEmpty else {
            throw Failure(
                "no master name",
                "write redis+sentinel://HOST,HOST/NAME with the master name of the sentinels' configuration")
        }
        guard master.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }) else {
            throw Failure("an invalid master name", "a master name consists of letters, digits, '.', '-' and '_'")
        }
        let addresses = try addresses(hosts, defaultPort: 26379, "sentinel")
        return (.sentinels(addresses, master: String(master)), parts.count == 2 ? try database(parts[1]) : 0)
    }

    private static func cluster(_ hosts: Substring, _ path: Substring) throws(Failure) -> RedisLocation.Servers {
        let tag = path.isEmpty ? defaultTag[...] : path
        guard tag.utf8.count <= maximumTagSize,
            tag.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") })
        else {
            throw Failure(
                "an invalid hash tag",
                "a hash tag consists of 1 to \(maximumTagSize) letters, digits, '.', '-' and '_'; a cluster has no databases"
            )
        }
        return .cluster(try addresses(hosts, defaultPort: 6379, "node"), tag: String(tag))
    }

    private static func addresses(
        _ hosts: Substring, defaultPort: Int, _ kind: String
    ) throws(Failure) -> [RedisLocation.Address] {
        var addresses: [RedisLocation.Address] = []
        for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
            let address = try address(host, defaultPort: defaultPort)
            if addresses.contains(address) { throw Failure("a duplicate \(kind)", "remove one of them") }
            addresses.append(address)
        }
        guard addresses.count <= maximumHosts else {
            throw Failure("more than \(maximumHosts) \(kind)s", "list fewer of them; each knows the others")
        }
        return addresses
    }

    private static func address(_ text: Substring, defaultPort: Int) throws(Failure) -> RedisLocation.Address {
        do {
            let parsed = try HostAndPort(parsing: String(text), defaultPort: defaultPort)
            guard parsed.port != 0 else { throw Failure("an address with port 0", "add the port") }
            return RedisLocation.Address(host: parsed.host, port: parsed.port)
        } catch let error as HTTPURL.Failure {
            throw Failure(error.what, error.remedy)
        } catch {
            throw error as? Failure ?? Failure("an invalid address", "write HOST:PORT")
        }
    }

    private static func database(_ text: Substring) throws(Failure) -> Int {
        guard let number = WholeNumber.parse(text), 0...maximumDatabase ~= number else {
            throw Failure(
                "an invalid database", "a database is a number up to \(maximumDatabase), as in redis://HOST/1")
        }
        return number
    }
}
