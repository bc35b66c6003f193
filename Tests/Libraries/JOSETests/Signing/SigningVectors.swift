import Foundation
import JOSE

/// Keys that were created for these tests and are not used elsewhere.
enum SigningVectors {
    /// P-256 in the form of SEC 1.
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIParY9aEt71sDHh7EfC1VtyuTbze0zGtOdd5R1OYqP5UoAoGCCqGSM49
        AwEHoUQDQgAEW4Kx4ZGjCCB/J5lWIq1YC53Gtrz+0CEx0lV+s7qCG1aSB/5fNcI+
        8vxJR9IPdnIFzd7ohodiLSFwEjKCU5osgQ==
        -----END EC PRIVATE KEY-----

        """

    /// The same key, encrypted in the form of RFC 1421.
    static let encryptedOldForm = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,7A4086673455726D2435C45AC18AFCF7

        1OPCLRsut7WbQkW1RZD6YL3SdefNVsHmDRorp1ZfRVhPZi6jwqjDGe9Lyy4e1mi/
        s5NDZL4NGlNzzEQn//uWdw3bxID+JxXUboRPaHiHRjEPgRtEM2MUoOh7kzWVRmTc
        QEr3yPMlQAAbsr6NcsAIZpW3k9pLNusnWU5auNcJ8MM=
        -----END EC PRIVATE KEY-----

        """

    /// The same key, encrypted in PKCS #8.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAje3nEZgzyMFgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENwkKPV1FLN7eRsmFqsgPMoEgZCk
        uF5gqo3uP1+BOipf9C2jzQrHv/8Ddq3sL8bXz8NRCANvkyUB8Xm9sJuQOVU1CdM9
        gb5sUv3mhhlxHUelAr8xn2qVeOMZmWONpIi7ZJ7RVnYQ2utZoBgfc9HGW3n0yZ4N
        8hpDt+2E90hxF6Ja6yOqoc2HkeMENS1YiCt3T40No9ExFO0mlFlDA5d1ELPKG54=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// RSA of 1024 bits in the form of PKCS #1.
    static let rsa1024 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIICXQIBAAKBgQCu1ien271+lcqwcBfr357iz+bB6UxXbuF/5JNd5B7Hoq8PhzEM
        zU6iBFXsPnL7ufENmaxdIIRCN1rjAB5MpPcwRTxQoEGb0As8wp+tZVm9A41mjGzj
        sIJ1Odp+HnxwdQ6vJcq4n2tMCfLP4Ohmv4KmmsOMqOvzUc+F3f2TMjUioQIDAQAB
        AoGAR2/lgCa/BKv7x5/lhlE2wIImTXEf6lG5/eHNfP2qvfNxCC07E3oH+RdAbGkP
        3l8ZaW8zCFIy+ENZ9Yqk1rhI71k0e90ssr6BO5y6PyWAccHj8rnA4am9+qiNPqN9
        QcMAvgbreOcVD8Oaj/HkykrZXhXOlVqmkEsZ5LYMMqNKw4ECQQDcJmVMga01vkov
        +PHCLRvYpM8wGUdxZchIJe8sS+alpBnzMDBPftho9Fh31Z7z1J7BxOffSF/qfctI
        GYBt0G9pAkEAy06781wMjXO43llzTuWCdRj/ZXhE8Bd9e5nWDAWe5bSk/oGGZRcL
        F7BdZxPtBqs2B974N17Ualak/9iiBTdqeQJBALSvusKBSEVs6fzXqK0DUvCLzBUh
        GlcC/8/fep7zqNlYh4fmjDAi3sG9koLATNa5Mpe84caL41VVa6vAan027skCQQCB
        5136gl9W5pFCKV+fEtDHp2BQ4ocR7cB1AHefGNxNo54lLHfGEfI5gaw8l6PEthMA
        9nwdTQ9mntQw0ae8s4rpAkBAcBBXsBQqaElMfMXJd83bSNKOwE/bYAA/JVAUjeAg
        TWCPAiimTy2j1HtbLke30u+eXD0v6hrkN+HoyJCfKqH6
        -----END RSA PRIVATE KEY-----

        """

    /// An Ed25519 private key as PKCS #8 (RFC 8410 section 7).
    static func pkcs8(ed25519 seed: [UInt8]) -> [UInt8] {
        let prefix: [UInt8] = [
            0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
        ]
        let base64 = Data(prefix + seed).base64EncodedString()
        return Array("-----BEGIN PRIVATE KEY-----\n\(base64)\n-----END PRIVATE KEY-----\n".utf8)
    }
}
