/// Tokens of one key a curve, made with another implementation.
enum ECVectors {
    /// A key on P-256.
    static let jwk256 = #"""
        {"kty":"EC","crv":"P-256","kid":"k","x":"blySbwW8vptd7Dl4Y83cJSeYM9fNq9Xt7zypL5asAkI","y":"K5jae\#
        MmL8Odw8rNduDLPms5rZsU6auxYPdjCBQgaGdE"}
        """#
    /// ES256.
    static let es256 = #"""
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.KLqMMc5cWkDaeCmqaiakApjErkl8-\#
        f-UMgo4UGj8YzniZnKVgibMYYG1nk2wN4BAQUi3jJPE4q3q6eF1CWwEwA
        """#
    /// ES256 but for the signature, which is DER.
    static let es256AsDER = #"""
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.MEUCIQCokvWxzUK-srrYpwYO4yEMa\#
        bomqheWa18j-woO_Mt9mgIgQPqlOPIALdcrsxZOKfqIOuqgKEZdJ6LRuCmQWFJQn1c
        """#
    /// ES256 with an r that begins with a zero byte or two.
    static let es256WithShortNumber = #"""
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.ALUqCvaRXgRWQG5yIFFHJo5Fcmxyi\#
        m_2C7V4RW1vOede-wcu3UjZdOqcwYQFp9GTlyQ3_zkQ_xeHymhsQCkyfQ
        """#
    /// A key on P-384.
    static let jwk384 = #"""
        {"kty":"EC","crv":"P-384","kid":"k","x":"0MehRbQ90GoC1gpgtD11a6zHQMb094OPfy0pEXuMvNNd4YcaZI8hRSV\#
        NSFdB_A13","y":"NwHUaCg0Cgy8a4UY2zofSiF0ZaghJDsaQVTZA_fOITuo6l9NKchcsnhZLE5lkiHK"}
        """#
    /// ES384.
    static let es384 = #"""
        eyJhbGciOiJFUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.4mj6op-R9eUqe0W4kCzAO8_PP2zEH\#
        j-aaQcbyNzODkuLJ4x90hpEwr2cXtM9Hk3mNIGNOlWrliDrg56nOHFN5oKM97Imobjz33n7rAxCfIoppqMRJ-qabH6p-4qNQ\#
        Y4V
        """#
    /// ES384 but for the signature, which is DER.
    static let es384AsDER = #"""
        eyJhbGciOiJFUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.MGQCMEFskBK__uRvYK9eFHjkRr4f8\#
        3vu6kEpvcYn1XlS6tfSELr3i2cFPtmYYd1y80RY3gIwGmKG4neQ3uO59-rI86XtuNwx2kJT6PEFZm_o8AzmKjJSw2ltWH1yM\#
        nsvB_15NV6s
        """#
    /// ES384 with an r that begins with a zero byte or two.
    static let es384WithShortNumber = #"""
        eyJhbGciOiJFUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.ANH4OMtbMr6eYPSZ8blXWsXRcEaYZ\#
        TDo4_JaauAvtkIRWSV6QvmMp6ASz-5Y6FBk5eOaa_6K6WRB_DWxz72Jut-eW5ZGR5AC8H6Z1apQtLi5DVa9jqk5AKp8qT2Df\#
        hkS
        """#
    /// A key on P-521.
    static let jwk512 = #"""
        {"kty":"EC","crv":"P-521","kid":"k","x":"AZjNjJeyVLJ-BBwVQ2J1ehC7hGTvSSpv9c1TVBEJylB0QQXgVMO9S2M\#
        StAmGEOYZi7fuw-guuI8dogtznOzSaIN-","y":"AK21QwgJ_d3U1Asz8GP5Yg7Hw_TMZE3XM17xQWInOpjuYXu-qrIEIK9P\#
        IrV-md5Y_uTnXwQ0RZWeDCuPXmg8vop4"}
        """#
    /// ES512.
    static let es512 = #"""
        eyJhbGciOiJFUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.AWRHzUtr6EtvU6Hv2ig5-OsMZARPh\#
        cpihtKOfnnRxaRaqy3v99GMM1qka2YfRzmscLa3pZuv6YgWdHLJ_9WZttf8Ae95goZXIQ48A9ZnjgjpRu6of1EO4C-7n1QhX\#
        YSb5GAIE2cDikDTdUPtiJZOg0tsM5mWMuRLALRjys-fGBzQAwPC
        """#
    /// ES512 but for the signature, which is DER.
    static let es512AsDER = #"""
        eyJhbGciOiJFUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.MIGIAkIB0mGSb1eF8tPvU1hHb9CbC\#
        kIdqO2SrILAXebml-gvIk7He8T1Gftuu2z9UgPzqhqlRrS3JvNqsiiHr57xiuJuuysCQgGf2LZWZRXsxwDgBOeuiz5uwNifl\#
        U1DSvL2qRMX4BXI-TUv-_ur7h778okhbrJWIgzvcttTIq3dSCOllmy9Dwd11A
        """#
    /// ES512 with an r that begins with a zero byte or two.
    static let es512WithShortNumber = #"""
        eyJhbGciOiJFUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.AABH9-x10PTu0MnsjlQnS3VN7tDjR\#
        DgnUBJNt5zESUdUyPoZS4g69No1SNWXh7O4LRPqFyZyPwmFJwpnxV2BZ0qMAZyIBE5q9vzjQVTSAZK1ug_cLGkCwqccHuu4h\#
        t-Byptu0mTiRwtTGCx19622c4B655pUDJTTin_3pIVRTo8VCkAI
        """#
}
