import Testing

@testable import Routing

/// The paragraph 'Which path' of the design, sentence by sentence.
@Suite struct CanonicalPathTests {
    @Test func unreservedEscapesAreDecoded() throws {
        #expect(try canonical("/%41%7a%30%2D%2e%5F%7E/%61dmin") == "/Az0-._~/admin")
    }

    @Test func escapesOfOtherBytesStayAndAreInUpperCase() throws {
        #expect(try canonical("/caf%c3%a9/%20%3f%23%40%0d%7c") == "/caf%C3%A9/%20%3F%23%40%0D%7C")
    }

    @Test func everyEscapeEitherDecodesToAnUnreservedByteOrStays() throws {
        let digits = Array("0123456789ABCDEF".utf8)
        for value in 1...255 where ![0x2F, 0x5C, 0xC0, 0xC1].contains(value) {
            let escape = [0x25, digits[value >> 4], digits[value & 15]] as [UInt8]
            let character = Character(Unicode.Scalar(UInt8(value)))
            let isUnreserved =
                character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character))
            let expected = isUnreserved ? "/x\(character)" : "/x" + String(decoding: escape, as: UTF8.self)
            #expect(try canonicalForms([0x2F, 0x78] + escape).merged == expected)
        }
    }

    @Test(arguments: [
        ("/a/./b", "/a/b"), ("/./a", "/a"), ("/a/.", "/a/"), ("/.", "/"), ("/./.", "/"),
        ("/a/../b", "/b"), ("/a/b/..", "/a/"), ("/a/b/../..", "/"), ("/a/..", "/"), ("/a/../", "/"),
        ("/a/b/c/./../../g", "/a/g"), ("/mid/content=5/../6", "/mid/6"),
        ("/a/%2e/b", "/a/b"), ("/a/%2E%2e/b", "/b"), ("/a/.%2e/b", "/b"),
    ])
    func dotSegmentsAreResolved(path: String, expected: String) throws {
        #expect(try canonical(path) == expected)
    }

    @Test(arguments: ["/...", "/..a", "/.a", "/a.", "/a..", "/.well-known/x", "/a/.../b", "/.%20", "/..%C3%A9"])
    func segmentsThatMerelyHaveDotsInThemStay(path: String) throws {
        #expect(try canonical(path) == path)
    }

    @Test(arguments: [
        ("//", "/"), ("//a", "/a"), ("/a//b", "/a/b"), ("/a///b//", "/a/b/"), ("/a/.//b", "/a/b"), ("/a/..//b", "/b"),
    ])
    func slashesAreMerged(path: String, expected: String) throws {
        #expect(try canonical(path) == expected)
    }

    @Test func dotsAreResolvedBeforeSlashesAreMerged() throws {
        let forms = try canonicalForms("/a//../b//c")
        #expect(forms.unmerged == "/a/b//c")
        #expect(forms.merged == "/a/b/c")
    }

    @Test func emptySegmentsThatDotsRemoveLeaveOneForm() throws {
        let forms = try canonicalForms("/a//../b")
        #expect(forms.unmerged == forms.merged)
    }

    @Test func aSlashAtTheEndIsKept() throws {
        #expect(try canonical("/a/") == "/a/")
        #expect(try canonical("/a") == "/a")
    }

    @Test(arguments: [
        "/", "/a", "/a/", "/v1/users/42", "/a.b/c-d_e~f", "/.well-known/x", "/caf%C3%A9", "/a;b=c", "/!$&'()*+,;=:@",
        "/a|b^c", "/x%20y", "/%3B", "/.%20a",
    ])
    func aCanonicalPathIsNotCopied(path: String) throws {
        let forms = try canonicalForms(path)
        #expect(forms.merged == path)
        #expect(forms.isRewritten == (path == "/.%20a"))
    }

    @Test(arguments: ["/%", "/%2", "/a%zz", "/%4g", "/%%41", "/%u0041", "/a%/b", "/% 1", "/%+1", "/%0x"])
    func anInvalidEscapeIsRefused(path: String) {
        #expect(refusal(of: path) == .invalidEscape)
    }

    @Test(arguments: [
        "/%C0%AE%C0%AE/b", "/a/..%c0%af", "/%C1%9C", "/%E0%80%AE/", "/%e0%9f%bf", "/%F0%80%80%AF", "/%f0%8f%bf%bf",
        "/%C0",
    ])
    func anOverlongEncodingIsRefused(path: String) {
        #expect(refusal(of: path) == .overlongEncoding)
    }

    @Test(arguments: ["/%C2%AE", "/%E0%A4%A8", "/%F0%9F%98%80", "/%E0%20", "/%FF", "/%E0"])
    func otherEscapesAboveASCIIStay(path: String) throws {
        let forms = try canonicalForms(path)
        #expect(forms.merged == path && !forms.isRewritten)
    }

    @Test func anEscapedNULIsRefused() {
        #expect(refusal(of: "/a%00") == .encodedNUL)
    }

    @Test(arguments: ["/a%5cb", "/a%5Cb"])
    func anEscapedBackslashIsRefused(path: String) {
        #expect(refusal(of: path) == .encodedBackslash)
    }

    @Test func aBackslashIsRefused() {
        #expect(refusal(of: "/a\\b") == .backslash)
    }

    @Test func aRawNumberSignIsRefused() {
        #expect(refusal(of: "/a#b") == .fragment)
    }

    @Test func aRawQuestionMarkIsRefusedSinceTheCallerSplitsTheQueryOff() {
        #expect(refusal(of: "/a?b") == .query)
    }

    @Test func controlBytesAndSpacesAreRefused() {
        for byte in Array(0...0x20) + [0x7F] as [UInt8] {
            #expect(refusal(of: [0x2F, 0x61, byte, 0x62]) == .control)
        }
    }

    @Test func nonASCIIBytesAreRefused() {
        for byte in 0x80...0xFF as ClosedRange<UInt8> {
            #expect(refusal(of: [0x2F, byte]) == .nonASCII)
        }
    }

    @Test func everyOtherVisibleByteStays() throws {
        for byte in 0x21...0x7E as ClosedRange<UInt8> where !"#%/?\\".utf8.contains(byte) {
            let path = [0x2F, 0x61, byte, 0x62]
            #expect(try canonicalForms(path).merged == String(decoding: path, as: UTF8.self))
        }
    }

    @Test(arguments: ["/..", "/../a", "/a/../..", "/a/../../b", "/%2e%2e/a", "/./..", "/a/b/../../../c"])
    func dotsAboveTheRootAreRefused(path: String) {
        #expect(refusal(of: path) == .aboveRoot)
    }

    @Test(arguments: [
        "/..;/a", "/a/..;x=1/b", "/.;", "/a/.;/b", "/a/%2e%2e;/b", "/a/..%3bx", "/a/.%3B", "/a/..;", "/x/.;/..",
    ])
    func aSemicolonDirectlyAfterADotSegmentIsRefused(path: String) {
        #expect(refusal(of: path) == .parameterAfterDotSegment)
    }

    @Test(arguments: ["/a;..", "/a;/b", "/...;a", "/a..;b", "/..a;b", "/;a"])
    func aSemicolonElsewhereStays(path: String) throws {
        #expect(try canonical(path) == path)
    }

    @Test(arguments: [
        "/%252e%252e/a", "/%252E", "/a%252fb", "/a%252Fb", "/%255c", "/%255C", "/%2500", "/%2525", "/%252525",
        "/%25%32%65", "/%252%65", "/%25%32e", "/%25%35%63", "/a%252e/../b",
    ])
    func aSecondDecodingMustNotYieldDotsSlashesNULOrPercent(path: String) {
        #expect(refusal(of: path) == .doubleEncoding)
    }

    @Test(arguments: ["/100%25", "/100%25/x", "/%2541", "/%25zz", "/%25.", "/%252", "/%25/2e", "/a%25%20"])
    func anEscapedPercentSignElsewhereStays(path: String) throws {
        #expect(try canonical(path) == path)
    }

    @Test func whatASegmentIsRefusedForCountsAlsoWhenDotsRemoveIt() {
        #expect(refusal(of: "/a%00/../b") == .encodedNUL)
        #expect(refusal(of: "/..;/../b") == .parameterAfterDotSegment)
        #expect(refusal(of: "/a\\/../b") == .backslash)
    }

    @Test func aPathThatIsTooLongIsRefused() throws {
        let longest = "/" + String(repeating: "a", count: CanonicalPath.maximumLength - 1)
        #expect(try canonical(longest) == longest)
        #expect(refusal(of: longest + "a") == .tooLong)
    }

    @Test func anErrorTellsWhere() {
        #expect(throws: PathError(reason: .invalidEscape, offset: 3)) { try canonicalForms("/ab%zz") }
        #expect(throws: PathError(reason: .backslash, offset: 2)) { try canonicalForms("/a\\") }
        #expect(throws: PathError(reason: .notAbsolute, offset: 0)) { try canonicalForms("a") }
    }

    @Test func theScratchIsReusedForPathsOfAllLengths() throws {
        let scratch = PathScratch(capacity: 4)
        for length in [3, 5000, 2, 60_000, 7] {
            let path = Array("/%61".utf8) + Array(repeating: UInt8(ascii: "b"), count: length)
            #expect(try canonicalForms(path, scratch: scratch).merged.utf8.count == length + 2)
        }
    }
}
