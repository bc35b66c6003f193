/// A token of an Ed25519 key, created with another implementation.
enum Ed25519Vectors {
    static let jwk = #"{"kty":"OKP","crv":"Ed25519","kid":"k","x":"tV6RrbX_meqzy9KGHse52aAhubor7qwtD2emHL1bOEI"}"#
    static let edDSA = Tokens.signed(
        "EdDSA", "BEOC8wvI-Zd8qGS8CVfJKHhtT8hsA61Yz4q7DVqiZ87t6Hjb_3r1Jrp5a-YecacRCBOGYXJuYPRAsUrYPIALDQ")
}
