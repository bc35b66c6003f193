/// The masters of a Redis Cluster, and the one that serves a slot, as one node knows them.
struct ClusterTopology: Equatable {
    /// A master, with its permanent identifier.
    struct Master: Equatable {
        var id: [UInt8]
        var endpoint: RedisEndpoint
    }

    /// The maximum number of masters that are read. Redis recommends at most 1000 nodes.
    static let maximumMasters = 1000

    /// The maximum number of ranges that are read: each slot is its own range.
    static let maximumRanges = HashSlot.count

    /// The masters that serve slots, each once, in the order of their slots.
    private(set) var masters: [Master] = []
    /// The master that serves the slot. `nil` if none does.
    private(set) var owner: Master?

    /// The command whose reply is parsed.
    static let query = RedisCommand(["CLUSTER", "SLOTS"])

    /// Parses the reply to `CLUSTER SLOTS` in linear time. `nil` for a reply of the wrong form.
    ///
    /// - Parameters:
    ///   - host: The host of the node that replied. It replaces an unknown host of a node.
    init?(_ reply: RedisReply, slot: HashSlot, host: String) {
        guard reply.kind == .array, reply.count <= Self.maximumRanges else { return nil }
        var known: Set<[UInt8]> = []
        for range in reply.elements {
            // The node announces no host name, although the cluster prefers them.
            if range[2][0].equals("?") { continue }
            guard let first = range[0].decimal, let last = range[1].decimal, first <= last,
                let master = Master(range[2], host: host)
            else { return nil }
            if first <= Int64(slot.number), Int64(slot.number) <= last { owner = master }
            guard known.insert(master.id).inserted else { continue }
            guard masters.count < Self.maximumMasters else { return nil }
            masters.append(master)
        }
    }
}

extension ClusterTopology.Master {
    /// `nil` if the node has no known address.
    fileprivate init?(_ reply: RedisReply, host: String) {
        let (name, id) = (reply[0], reply[2])
        guard reply.kind == .array, reply.count >= 3, id.kind == .string, let port = reply[1].decimal else {
            return nil
        }
        self.id = Array(id.bytes)
        // A node that does not know its own address, and a proxy that represents all nodes, is found at the host of
        // the query.
        if name.isNull || (name.kind == .string && name.bytes.isEmpty) {
            endpoint = RedisEndpoint(host: host, port: Int(clamping: port))
            guard endpoint.hasValidPort else { return nil }
        } else {
            guard name.kind == .string, let endpoint = RedisEndpoint(host: name.bytes, port: port) else { return nil }
            self.endpoint = endpoint
        }
    }
}

/// The state of a slot at the node that reports it.
public enum ClusterSlotState: Sendable, Equatable {
    /// The node serves the slot and stores all of its keys.
    case complete
    /// The slot is being moved, so that another node may store some of its keys.
    case moving
    /// The node does not serve the slot.
    case foreign

    /// The command whose reply is parsed.
    public static let query = RedisCommand(["CLUSTER", "NODES"])

    /// Parses the reply to `CLUSTER NODES`. `nil` for a reply of the wrong form.
    ///
    /// A line is `ID ADDRESS FLAGS MASTER PING PONG EPOCH LINK SLOT...`. A slot that is being moved is `[N->-ID]` at
    /// its present node and `[N-<-ID]` at the next one.
    public init?(_ reply: RedisReply, of slot: HashSlot) {
        guard reply.kind == .string else { return nil }
        let text = String(decoding: reply.bytes, as: UTF8.self)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        guard let own = lines.first(where: { $0.count >= 8 && $0[2].split(separator: ",").contains("myself") }) else {
            return nil
        }
        var isServed = false
        for word in own.dropFirst(8) {
            if word.hasPrefix("[\(slot)->-") || word.hasPrefix("[\(slot)-<-") {
                self = .moving
                return
            }
            let bounds = word.split(separator: "-").map { Int($0) }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2 else { continue }
            if first <= slot.number, slot.number <= last { isServed = true }
        }
        self = isServed ? .complete : .foreign
    }
}
