import Testing

@testable import Redis

struct HashSlotTests {
    @Test func `the checksum is CRC16 XMODEM`() {
        #expect(HashSlot.crc16("123456789".utf8) == 0x31C3)
        #expect(HashSlot.crc16("".utf8) == 0)
    }

    /// The results of CLUSTER KEYSLOT of Redis 7.0.15.
    @Test(arguments: [
        ("gatehouse", 7783), ("foo", 12182), ("123456789", 12739), ("{user1000}.following", 3443),
        ("foo{}{bar}", 8363), ("foo{{bar}}zap", 4015), ("foo{bar}{zap}", 5061),
        ("{gatehouse}gatehouse:user:{ann}", 7783), ("", 0), ("a{b", 13340),
    ])
    func `the slot of a key is that of its hash tag`(key: String, slot: Int) {
        #expect(HashSlot(of: Array(key.utf8)).number == slot)
    }

    @Test func `all keys of a keyspace are in one slot`() {
        let keyspace = ClusterKeyspace(tag: "gatehouse")
        #expect(keyspace.slot.number == 7783)
        for key in ["", "a", "{b}", "}{", "gatehouse:user:{ann}"] {
            #expect(HashSlot(of: keyspace.prefix + key.utf8) == keyspace.slot)
        }
    }
}
