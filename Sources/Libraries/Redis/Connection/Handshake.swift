/// The commands that open a connection. They are sent in one pipeline and their replies are checked in order.
struct Handshake {
    enum Step: Equatable {
        case authenticate
        case select
        case role
        case copy
        /// Whether the server accepts commands. A server that loads its data rejects PING but replies to ECHO.
        case ping
        /// Whether the server echoes its argument, which the markers of `ReplyAlignment` require.
        case echo
        case masterAddress
        /// The master of the slot, as a node of the cluster knows it.
        case topology
        /// The identifier of the node.
        case identity
        /// Whether the node itself serves the slot.
        case ownership
    }

    /// The result of the handshake.
    enum Finding: Equatable {
        /// A usable connection, with the command that carries markers.
        case usable(ReplyAlignment.Carrier)
        case master(RedisEndpoint)
        /// Another node of the cluster serves the slot, as this node knows it.
        case moved(RedisEndpoint)
    }

    enum Verdict: Equatable {
        case more
        case done(Finding)
        case refused(RedisProblem.Code, String?)
    }

    /// The pipeline of all commands.
    let command: RedisCommand
    private let steps: [Step]
    private var position = 0
    /// The slot in a cluster, and the host of the node.
    private let slot: (number: HashSlot, host: String)?
    /// The identifier of the node.
    private var identifier: [UInt8] = []

    private init(_ requests: [(step: Step, command: RedisCommand)], slot: (number: HashSlot, host: String)? = nil) {
        self.slot = slot
        steps = requests.map(\.step)
        command = requests.dropFirst().reduce(requests[0].command) { $0 + $1.command }
    }

    /// - Parameter host: The host of the server, which matters in a cluster only.
    static func server(_ configuration: RedisConfiguration, role: RoleDemand, host: String = "") -> Handshake {
        var requests = authentication(configuration.credentials)
        if configuration.database != 0 {
            requests.append((.select, RedisCommand(["SELECT", configuration.database])))
        }
        switch role {
        case .any: requests.append((.ping, RedisCommand(["PING"])))
        case .noCopy: requests.append((.copy, RedisCommand(["ROLE"])))
        case .master: requests.append((.role, RedisCommand(["ROLE"])))
        }
        if configuration.keyspace != nil {
            requests += [(.identity, RedisCommand(["CLUSTER", "MYID"])), (.ownership, ClusterTopology.query)]
        }
        requests.append((.echo, RedisCommand(["ECHO", "gatehouse"])))
        return Handshake(requests, slot: configuration.keyspace.map { ($0.slot, host) })
    }

    /// - Parameter host: The host of the node.
    static func node(_ configuration: RedisConfiguration, host: String, slot: HashSlot) -> Handshake {
        Handshake(
            authentication(configuration.credentials) + [(.topology, ClusterTopology.query)], slot: (slot, host))
    }

    static func sentinel(_ configuration: RedisConfiguration, master: String) -> Handshake {
        var requests = authentication(
            configuration.sentinelPassword.map {
                RedisCredentials(username: configuration.sentinelUsername, password: $0)
            })
        requests.append((.masterAddress, masterQuery(master)))
        return Handshake(requests)
    }

    /// The query of a sentinel for the address of a master.
    static func masterQuery(_ master: String) -> RedisCommand {
        RedisCommand(["SENTINEL", "get-master-addr-by-name", master])
    }

    private static func authentication(_ credentials: RedisCredentials?) -> [(step: Step, command: RedisCommand)] {
        credentials.map { [(.authenticate, authentication($0))] } ?? []
    }

    /// The command that authenticates a connection.
    static func authentication(_ credentials: RedisCredentials) -> RedisCommand {
        RedisCommand(["AUTH"] + (credentials.username.map { [$0] } ?? []) + [credentials.password])
    }

    /// Checks the next reply.
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
        case .identity:
            identifier = Array(reply.bytes)
            return .more
        case .topology, .ownership: return owner(reply, at: step)
        }
    }

    /// Checks the topology of a cluster.
    private func owner(_ reply: RedisReply, at step: Step) -> Verdict {
        guard let slot, let topology = ClusterTopology(reply, slot: slot.number, host: slot.host) else {
            return .refused(.notRedis, "the node's reply is not a topology")
        }
        guard let owner = topology.owner else { return .refused(.clusterDown, nil) }
        guard step == .ownership else { return .done(.master(owner.endpoint)) }
        return owner.id == identifier ? .more : .done(.moved(owner.endpoint))
    }

    /// Checks the reply to `masterQuery`.
    static func master(_ reply: RedisReply) -> Verdict {
        guard !reply.isNull else { return .refused(.masterUnknown, nil) }
        let host = reply[0]
        guard host.kind == .string, let port = reply[1].decimal,
            let endpoint = RedisEndpoint(host: host.bytes, port: port)
        else { return .refused(.notRedis, "the sentinel's reply is not an address") }
        return .done(.master(endpoint))
    }
}

/// The required role of a server, as reported by `ROLE`.
enum RoleDemand {
    /// Any role; `ROLE` is not sent.
    case any
    /// Not a replica, which may lack writes that the master acknowledged. A server without the ROLE command is
    /// accepted.
    case noCopy
    /// The master, since sentinels named the server.
    case master
}

extension RedisReply {
    /// Returns whether a reply to ROLE meets the requirement.
    func meets(_ demand: RoleDemand) -> Bool {
        switch demand {
        case .any: true
        case .noCopy: kind != .array || self[0].equals("master")
        case .master: self[0].equals("master")
        }
    }
}

/// The reason that a server rejects a connection. The server's text is not repeated, because it may contain the
/// password.
private struct Refusal {
    let code: RedisProblem.Code
    let detail: String?

    /// `nil` if the connection is usable despite the error.
    init?(_ reply: RedisReply, at step: Handshake.Step) {
        if reply.begins(with: "ERR max number of clients reached") {
            self.init(.refused, "it has reached maxclients")
        } else if reply.begins(with: "DENIED") {
            self.init(.refused, "it is in protected mode: set a password or bind it to an address")
        } else if reply.begins(with: "NOPERM") {
            // A user without PING may still have ECHO.
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
        case .topology, .identity, .ownership: "CLUSTER"
        }
    }

    /// The code for an error that has no code of its own at this step.
    fileprivate var refusal: RedisProblem.Code {
        switch self {
        case .authenticate: .wrongPassword
        case .select: .noDatabase
        case .role, .copy, .ping, .echo, .masterAddress: .refused
        case .topology, .identity, .ownership: .notCluster
        }
    }
}

extension RedisProblem.Code {
    /// Classifies an error that concerns the connection. `nil` if it concerns only the command.
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
            // Redis unblocks commands with this error when a master becomes a replica.
            self = .notMaster
        } else {
            return nil
        }
    }
}

extension RedisReply {
    /// Whether the server lacks the command or denies it to the user.
    fileprivate var refusesCommand: Bool {
        kind == .error && (begins(with: "NOPERM") || begins(with: "ERR unknown command"))
    }

    /// Returns whether the bytes begin with these words.
    func begins(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count >= count, bytes.count == count || bytes[count] == UInt8(ascii: " ") else { return false }
        return bytes.prefix(count).elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: count))
    }
}
