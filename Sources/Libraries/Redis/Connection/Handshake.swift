/// What a connection asks before it is used: everything at once, judged reply by reply.
struct Handshake {
    enum Step: Equatable {
        case authenticate
        case select
        case role
        case copy
        /// Whether the server answers: it may still load its data, where ECHO is answered.
        case ping
        /// Whether the server repeats what it is sent, as markers need.
        case echo
        case masterAddress
    }

    /// What the answers amount to.
    enum Finding: Equatable {
        /// With the command that markers are sent by.
        case usable(ReplyAlignment.Carrier)
        case master(RedisEndpoint)
    }

    enum Verdict: Equatable {
        case more
        case done(Finding)
        case refused(RedisProblem.Code, String?)
    }

    /// All that is sent.
    let command: RedisCommand
    private let steps: [Step]
    private var position = 0

    private init(_ asked: [(step: Step, command: RedisCommand)]) {
        steps = asked.map(\.step)
        command = asked.dropFirst().reduce(asked[0].command) { $0 + $1.command }
    }

    static func server(_ configuration: RedisConfiguration, role: RoleDemand) -> Handshake {
        var asked = authentication(configuration.username, configuration.password)
        if configuration.database != 0 {
            asked.append((.select, RedisCommand(["SELECT", configuration.database])))
        }
        switch role {
        case .any: asked.append((.ping, RedisCommand(["PING"])))
        case .noCopy: asked.append((.copy, RedisCommand(["ROLE"])))
        case .master: asked.append((.role, RedisCommand(["ROLE"])))
        }
        asked.append((.echo, RedisCommand(["ECHO", "gatehouse"])))
        return Handshake(asked)
    }

    static func sentinel(_ configuration: RedisConfiguration, master: String) -> Handshake {
        var asked = authentication(configuration.sentinelUsername, configuration.sentinelPassword)
        asked.append((.masterAddress, RedisCommand(["SENTINEL", "get-master-addr-by-name", master])))
        return Handshake(asked)
    }

    private static func authentication(_ user: String?, _ password: String?) -> [(step: Step, command: RedisCommand)] {
        guard let password else { return [] }
        let credentials = user.map { [$0, password] } ?? [password]
        return [(.authenticate, RedisCommand(["AUTH"] + credentials))]
    }

    /// Takes the next reply.
    mutating func judge(_ reply: RedisReply) -> Verdict {
        guard position < steps.count else { return .refused(.unaskedReply, nil) }
        let step = steps[position]
        position += 1
        if step == .echo, reply.refusesCommand { return .done(.usable(.ping)) }
        if reply.kind == .error, let refusal = Refusal(reply, at: step) {
            return .refused(refusal.code, refusal.detail)
        }
        switch step {
        case .authenticate, .select, .ping: return .more
        case .role: return reply.meets(.master) ? .more : .refused(.notMaster, nil)
        case .copy: return reply.meets(.noCopy) ? .more : .refused(.notMaster, nil)
        case .echo: return reply.equals("gatehouse") ? .done(.usable(.echo)) : .refused(.misaligned, nil)
        case .masterAddress: return Self.master(reply)
        }
    }

    private static func master(_ reply: RedisReply) -> Verdict {
        guard !reply.isNull else { return .refused(.masterUnknown, nil) }
        let host = reply[0]
        guard host.kind == .string, isHost(host.bytes), let port = reply[1].decimal else {
            return .refused(.notRedis, "the sentinel's answer is no address")
        }
        let endpoint = RedisEndpoint(host: String(decoding: host.bytes, as: UTF8.self), port: Int(clamping: port))
        guard endpoint.hasValidPort else { return .refused(.notRedis, "the sentinel's answer is no address") }
        return .done(.master(endpoint))
    }

    /// Whether these are a name's or an address's characters: it will stand in logs.
    private static func isHost(_ bytes: UnsafeRawBufferPointer) -> Bool {
        (1...255).contains(bytes.count)
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: ".-_:%".utf8.contains(byte)
                }
            }
    }
}

/// What a server's own word on its role (`ROLE`) has to be.
enum RoleDemand {
    /// It is not asked.
    case any
    /// It may not say that it is a copy of another: such a one may lack what the other acknowledged. There are servers that have no such command.
    case noCopy
    /// It has to say that it is the master: sentinels named it.
    case master
}

extension RedisReply {
    /// Whether this answer to ROLE is what is demanded.
    func meets(_ demand: RoleDemand) -> Bool {
        switch demand {
        case .any: true
        case .noCopy: kind != .array || self[0].equals("master")
        case .master: self[0].equals("master")
        }
    }
}

/// Why a server refuses to open a connection. Its own words are not repeated: there are servers that repeat a password.
private struct Refusal {
    let code: RedisProblem.Code
    let detail: String?

    /// Nil when the connection is usable all the same.
    init?(_ reply: RedisReply, at step: Handshake.Step) {
        if reply.begins(with: "ERR max number of clients reached") {
            self.init(.refused, "it has reached maxclients")
        } else if reply.begins(with: "DENIED") {
            self.init(.refused, "it is in protected mode: set a password or bind it to an address")
        } else if reply.begins(with: "NOPERM") {
            // ECHO may do.
            if step == .ping { return nil }
            self.init(.noPermission, step == .authenticate ? "AUTH" : step.commandName)
        } else if let code = RedisProblem.Code(leavingFor: reply) {
            self.init(code, nil)
        } else if step == .copy, reply.begins(with: "ERR unknown command") {
            return nil
        } else {
            self.init(step.refusal, step == .authenticate ? nil : step.commandName)
        }
    }

    private init(_ code: RedisProblem.Code, _ detail: String?) {
        self.code = code
        self.detail = detail
    }
}

extension Handshake.Step {
    fileprivate var commandName: String {
        switch self {
        case .authenticate: "AUTH"
        case .select: "SELECT"
        case .role, .copy: "ROLE"
        case .ping: "PING"
        case .echo: "ECHO"
        case .masterAddress: "SENTINEL"
        }
    }

    /// What an error without a meaning of its own says at this step.
    fileprivate var refusal: RedisProblem.Code {
        switch self {
        case .authenticate: .wrongPassword
        case .select: .noDatabase
        case .role, .copy, .ping, .echo, .masterAddress: .refused
        }
    }
}

extension RedisProblem.Code {
    /// What a refusal says about the connection rather than about the command; nil for all others.
    init?(leavingFor reply: RedisReply) {
        guard reply.kind == .error else { return nil }
        if reply.begins(with: "READONLY") {
            self = .readOnly
        } else if reply.begins(with: "LOADING") {
            self = .loading
        } else if reply.begins(with: "MASTERDOWN") {
            self = .masterDown
        } else if reply.begins(with: "MOVED") {
            self = .cluster
        } else if reply.begins(with: "NOAUTH") {
            self = .passwordRequired
        } else if reply.begins(with: "UNBLOCKED") {
            // What a blocked command is told when its master becomes a replica.
            self = .notMaster
        } else {
            return nil
        }
    }
}

extension RedisReply {
    /// Whether the server has no such command, or does not let the user run it.
    fileprivate var refusesCommand: Bool {
        kind == .error && (begins(with: "NOPERM") || begins(with: "ERR unknown command"))
    }

    /// Whether its bytes begin with this word or these words.
    func begins(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count >= count, bytes.count == count || bytes[count] == UInt8(ascii: " ") else { return false }
        return bytes.prefix(count).elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: count))
    }
}
