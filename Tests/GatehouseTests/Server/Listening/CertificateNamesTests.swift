import Testing

@testable import Gatehouse

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
    private func marks(_ paths: String...) -> [FileMark?] { paths.map(FileMark.init) }

    @Test func aChangeIsReadOnceItRests() {
        var watch = CertificateWatch()
        let (old, new) = (marks("/dev/null"), marks("/dev/zero"))
        #expect(!watch.shouldRead(old, served: old))
        #expect(!watch.shouldRead(new, served: old))
        #expect(watch.shouldRead(new, served: old))
        #expect(!watch.shouldRead(new, served: new))
    }

    @Test func whatIsUnfitIsReadAgainWhenItChanges() {
        var watch = CertificateWatch()
        let (old, bad, good) = (marks("/dev/null"), marks("/nowhere"), marks("/dev/zero"))
        _ = watch.shouldRead(bad, served: old)
        #expect(watch.shouldRead(bad, served: old))
        watch.refuse(bad)
        #expect(!watch.shouldRead(bad, served: old))
        #expect(!watch.shouldRead(good, served: old))
        #expect(watch.shouldRead(good, served: old))
    }
}
