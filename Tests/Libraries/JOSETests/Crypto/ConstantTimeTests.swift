import JOSE
import Testing

@Suite("constant-time comparison")
struct ConstantTimeTests {
    @Test("D-24: it tells equal from unequal")
    func equality() {
        #expect(ConstantTime.equals("secret".utf8, [UInt8]("secret".utf8)))
        #expect(!ConstantTime.equals("secret".utf8, "secreT".utf8))
        #expect(!ConstantTime.equals("secret".utf8, "secret1".utf8))
        #expect(!ConstantTime.equals("secret".utf8, "".utf8))
        #expect(ConstantTime.equals("".utf8, "".utf8))
    }
}
