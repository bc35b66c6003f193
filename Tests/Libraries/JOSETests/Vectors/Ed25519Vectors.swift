/// A token of an Ed25519 key, made with another implementation.
enum Ed25519Vectors {
    /// The key.
    static let jwk = #"{"kty":"OKP","crv":"Ed25519","kid":"k","x":"tV6RrbX_meqzy9KGHse52aAhubor7qwtD2emHL1bOEI"}"#
    /// EdDSA.
    static let edDSA = #"""
        eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.BEOC8wvI-Zd8qGS8CVfJKHhtT8hsA\#
        61Yz4q7DVqiZ87t6Hjb_3r1Jrp5a-YecacRCBOGYXJuYPRAsUrYPIALDQ
        """#
}
