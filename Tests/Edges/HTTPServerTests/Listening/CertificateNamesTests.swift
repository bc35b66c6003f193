import GatewayCore
import Testing

@testable import HTTPServer

@Suite struct CertificateNamesTests {
    private let names = CertificateNames([
        ["first.example"], ["API.example", "*.wild.example"],
        ["api.example", "deep.wild.example", "*.deep.wild.example"],
    ])

    @Test(arguments: [
        ("first.example", 0), ("api.example", 1), ("API.Example", 1), ("api.example.", 1), ("a.wild.example", 1),
        ("A.WILD.EXAMPLE", 1), ("deep.wild.example", 2), ("x.deep.wild.example", 2),
    ]) func choose(_ name: String, _ certificate: Int) {
        #expect(names[name] == certificate)
    }

    @Test(arguments: [
        "", ".", "example", "other.example", "wild.example", ".wild.example", "a.b.wild.example", "*.other.example",
        "127.0.0.1", "evilapi.example", "api.example.evil",
    ]) func knowNoOther(_ name: String) {
        #expect(names[name] == nil)
    }
}

@Suite struct CertificateWatchTests {
    private func fingerprints(_ paths: String...) -> [FileFingerprint?] { paths.map(FileFingerprint.init(of:)) }

    /// What a fresh watch says of each look in turn.
    private func says(
        _ looks: [[FileFingerprint?]], served: [FileFingerprint?], refusing bad: [FileFingerprint?]? = nil
    ) -> [Bool] {
        var watch = CertificateWatch()
        return looks.map { fingerprints in
            let says = watch.shouldRead(fingerprints, served: served)
            if says, fingerprints == bad { watch.refuse(fingerprints) }
            return says
        }
    }

    @Test func aChangeIsReadOnceItRests() {
        let (old, new) = (fingerprints("/dev/null"), fingerprints("/dev/zero"))
        #expect(says([old, old, new, new], served: old) == [false, false, false, true])
        #expect(says([new, new], served: new) == [false, false])
    }

    @Test func whatIsUnfitIsReadAgainWhenItChanges() {
        let (old, bad, good) = (fingerprints("/dev/null"), fingerprints("/nowhere"), fingerprints("/dev/zero"))
        let looks = [bad, bad, bad, good, good]
        #expect(says(looks, served: old, refusing: bad) == [false, true, false, false, true])
    }
}
