import Testing

@testable import Routing

/// The section "Which path" of the design.
@Suite struct CanonicalPathTests {
    @Test(arguments: [
        // Unreserved escapes are decoded. Other escapes stay, in upper case.
        ("/%41%7a%30%2D%2e%5F%7E/%61dmin", "/Az0-._~/admin"),
        ("/caf%c3%a9/%20%3f%23%40%0d%7c", "/caf%C3%A9/%20%3F%23%40%0D%7C"),
        // Dot segments are resolved.
        ("/a/./b", "/a/b"), ("/./a", "/a"), ("/a/.", "/a/"), ("/.", "/"), ("/./.", "/"),
        ("/a/../b", "/b"), ("/a/b/..", "/a/"), ("/a/b/../..", "/"), ("/a/..", "/"), ("/a/../", "/"),
        ("/a/b/c/./../../g", "/a/g"), ("/mid/content=5/../6", "/mid/6"),
        ("/a/%2e/b", "/a/b"), ("/a/%2E%2e/b", "/b"), ("/a/.%2e/b", "/b"),
        // Slashes are merged.
        ("//", "/"), ("//a", "/a"), ("/a//b", "/a/b"), ("/a///b//", "/a/b/"), ("/a/.//b", "/a/b"), ("/a/..//b", "/b"),
    ])
    func `a path has one canonical form`(path: String, expected: String) throws {
        #expect(try canonical(path) == expected)
    }

    @Test(arguments: [
        "/...", "/..a", "/.a", "/a.", "/a..", "/.well-known/x", "/a/.../b", "/.%20", "/..%C3%A9",
        "/a;..", "/a;/b", "/...;a", "/a..;b", "/..a;b", "/;a",
        "/100%25", "/100%25/x", "/%2541", "/%25zz", "/%25.", "/%252", "/%25/2e", "/a%25%20",
    ])
    func `similar dots, semicolons and percent signs stay`(path: String) throws {
        #expect(try canonical(path) == path)
    }

    @Test(arguments: [
        "/", "/a", "/a/", "/v1/users/42", "/a.b/c-d_e~f", "/.well-known/x", "/caf%C3%A9", "/a;b=c", "/!$&'()*+,;=:@",
        "/a|b^c", "/x%20y", "/%3B", "/.%20a", "/%C2%AE", "/%E0%A4%A8", "/%F0%9F%98%80", "/%E0%20", "/%FF", "/%E0",
    ])
    func `a canonical path is not copied`(path: String) throws {
        let forms = try canonicalForms(path)
        #expect(forms.merged == path)
        #expect(forms.isRewritten == (path == "/.%20a"))
    }

    @Test func `an escape is decoded exactly if its byte is unreserved`() throws {
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

    @Test func `dots are resolved before slashes are merged`() throws {
        let forms = try canonicalForms("/a//../b//c")
        #expect(forms.unmerged == "/a/b//c" && forms.merged == "/a/b/c")
        let equal = try canonicalForms("/a//../b")
        #expect(equal.unmerged == equal.merged)
    }

    @Test(
        arguments: [
            (.invalidEscape, ["/%", "/%2", "/a%zz", "/%4g", "/%%41", "/%u0041", "/a%/b", "/% 1", "/%+1", "/%0x"]),
            (
                .overlongEncoding,
                [
                    "/%C0%AE%C0%AE/b", "/a/..%c0%af", "/%C1%9C", "/%E0%80%AE/", "/%e0%9f%bf", "/%F0%80%80%AF",
                    "/%f0%8f%bf%bf", "/%C0",
                ]
            ),
            // A segment is checked even if dots remove it.
            (.encodedNUL, ["/a%00", "/a%00/../b"]),
            // B-12
            (.encodedBackslash, ["/a%5cb", "/a%5Cb", "/private%5csecret"]),
            (.backslash, ["/a\\b", "/a\\/../b"]),
            // B-07
            (.fragment, ["/a#b", "/admin#x"]),
            // B-08, B-09: the caller splits the query off.
            (.query, ["/a?b", "/private?x=/status"]),
            // B-13
            (.notAbsolute, ["admin/x", "", "*", "http://h/x"]),
            (.aboveRoot, ["/..", "/../a", "/a/../..", "/a/../../b", "/%2e%2e/a", "/./..", "/a/b/../../../c"]),
            // B-02: a semicolon directly after a dot segment.
            (
                .parameterAfterDotSegment,
                [
                    "/..;/a", "/a/..;x=1/b", "/.;", "/a/.;/b", "/a/%2e%2e;/b", "/a/..%3bx", "/a/.%3B", "/a/..;",
                    "/x/.;/..", "/public/..;/admin", "/public/..%3b/admin", "/.;/admin", "/..;/../b",
                ]
            ),
            // B-02: a second decoding must not yield dots, slashes, NUL or a percent sign.
            (
                .doubleEncoding,
                [
                    "/%252e%252e/a", "/%252E", "/a%252fb", "/a%252Fb", "/%255c", "/%255C", "/%2500", "/%2525",
                    "/%252525", "/%25%32%65", "/%252%65", "/%25%32e", "/%25%35%63", "/a%252e/../b",
                    "/public/%252e%252e/admin", "/public%252f..%252fadmin", "/public/%25%32%65%25%32%65/admin",
                ]
            ),
        ] as [(PathError.Reason, [String])])
    func `an ambiguous path is rejected with its reason`(reason: PathError.Reason, paths: [String]) {
        for path in paths { #expect(refusal(of: path) == reason, "\(path)") }
    }

    @Test func `every byte except visible ASCII is rejected`() throws {
        for byte in UInt8.min...UInt8.max where !"#%/?\\".utf8.contains(byte) {
            let path = [0x2F, 0x61, byte, 0x62]
            switch byte {
            case 0x21...0x7E: #expect(try canonicalForms(path).merged == String(decoding: path, as: UTF8.self))
            case 0x80...: #expect(refusal(of: path) == .nonASCII)
            default: #expect(refusal(of: path) == .control)
            }
        }
    }

    @Test func `a path that is too long is rejected`() throws {
        let longest = "/" + String(repeating: "a", count: CanonicalPath.maximumLength - 1)
        #expect(try canonical(longest) == longest)
        #expect(refusal(of: longest + "a") == .tooLong)
    }

    @Test func `an error contains its offset`() {
        #expect(throws: PathError(reason: .invalidEscape, offset: 3)) { try canonicalForms("/ab%zz") }
        #expect(throws: PathError(reason: .backslash, offset: 2)) { try canonicalForms("/a\\") }
        #expect(throws: PathError(reason: .notAbsolute, offset: 0)) { try canonicalForms("a") }
    }

    @Test func `the scratch is reused for paths of all lengths`() throws {
        let scratch = PathScratch(capacity: 4)
        for length in [3, 5000, 2, 60_000, 7] {
            let path = Array("/%61".utf8) + Array(repeating: UInt8(ascii: "b"), count: length)
            #expect(try canonicalForms(path, scratch: scratch).merged.utf8.count == length + 2)
        }
    }
}
