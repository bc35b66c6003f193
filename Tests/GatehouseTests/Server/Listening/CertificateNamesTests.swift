import Testing

@testable import GatewayCore
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
    private func marks(_ paths: String...) -> [FileMark?] { paths.map(FileMark.init) }

    /// What a fresh watch says of each look in turn.
    private func says(_ looks: [[FileMark?]], served: [FileMark?], refusing bad: [FileMark?]? = nil) -> [Bool] {
        var watch = CertificateWatch()
        return looks.map { marks in
            let says = watch.shouldRead(marks, served: served)
            if says, marks == bad { watch.refuse(marks) }
            return says
        }
    }

    @Test func aChangeIsReadOnceItRests() {
        let (old, new) = (marks("/dev/null"), marks("/dev/zero"))
        #expect(says([old, old, new, new], served: old) == [false, false, false, true])
        #expect(says([new, new], served: new) == [false, false])
    }

    @Test func whatIsUnfitIsReadAgainWhenItChanges() {
        let (old, bad, good) = (marks("/dev/null"), marks("/nowhere"), marks("/dev/zero"))
        let looks = [bad, bad, bad, good, good]
        #expect(says(looks, served: old, refusing: bad) == [false, true, false, false, true])
    }
}
