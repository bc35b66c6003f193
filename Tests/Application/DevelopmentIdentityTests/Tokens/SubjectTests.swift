import DevelopmentIdentity
import Testing

@Suite struct SubjectTests {
    private static func matches(_ text: String, _ pattern: Regex<Substring>) -> Bool {
        text.wholeMatch(of: pattern) != nil
    }

    @Test func `an identity of the user is the subject`() {
        #expect(DevelopmentUser.linus.subject(at: "github.com") == "583231")
        #expect(DevelopmentUser.hedy.subject(at: "microsoft.com") == "4b2eabcdef012345")
    }

    @Test func `a generated subject has the form of the provider`() {
        let user = DevelopmentUser(uid: "zoe")
        #expect(Self.matches(user.subject(at: "apple.com"), /000123\.[0-9a-f]{32}\.\d{4}/))
        #expect(Self.matches(user.subject(at: "google.com"), /1\d{20}/))
        #expect(
            Self.matches(
                user.subject(at: "microsoft.com"), /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}/))
        #expect(Self.matches(user.subject(at: "facebook.com"), /[1-9]\d{16}/))
        #expect(Self.matches(user.subject(at: "github.com"), /[1-9]\d{6}/))
        #expect(Self.matches(user.subject(at: "yahoo.com"), /[A-Z2-7]{26}/))
        #expect(Self.matches(user.subject(at: "linkedin.com"), /[\w-]{10}/))
        #expect(user.subject(at: "oidc.corp") == "zoe")
    }

    @Test func `a generated subject is the same in every run`() {
        #expect(DevelopmentUser(uid: "zoe").subject(at: "github.com") == "2978044")
        #expect(DevelopmentUser(uid: "zoe").subject(at: "google.com") == "151904053226050666718")
    }

    @Test(arguments: [
        "apple.com", "google.com", "microsoft.com", "facebook.com", "github.com", "yahoo.com", "linkedin.com",
    ])
    func `no two users have the same subject`(provider: String) {
        let subjects = (0..<200).map { DevelopmentUser(uid: "user\($0)").subject(at: provider) }
        #expect(Set(subjects).count == subjects.count)
    }

    @Test func `the object ID of a tenant's user is its identity`() {
        #expect(DevelopmentUser.barbara.microsoftObjectID == "8eaef023-2b34-4da1-9baa-8bc8c9d6a490")
        #expect(!DevelopmentUser.barbara.hasPersonalMicrosoftAccount)
        #expect(DevelopmentUser.hedy.hasPersonalMicrosoftAccount)
    }
}
