/// Tokens of one key per curve, created with another implementation.
enum ECVectors {
    static let jwk256 = #"""
        {"kty":"EC","crv":"P-256","kid":"k","x":"blySbwW8vptd7Dl4Y83cJSeYM9fNq9Xt7zypL5asAkI","y":"K5jaeMmL8Odw8rNduDL\#
        Pms5rZsU6auxYPdjCBQgaGdE"}
        """#
    static let es256 = Tokens.signed(
        "ES256", "KLqMMc5cWkDaeCmqaiakApjErkl8-f-UMgo4UGj8YzniZnKVgibMYYG1nk2wN4BAQUi3jJPE4q3q6eF1CWwEwA")
    /// ES256, except that the signature is DER.
    static let es256AsDER = Tokens.signed(
        "ES256", "MEUCIQCokvWxzUK-srrYpwYO4yEMabomqheWa18j-woO_Mt9mgIgQPqlOPIALdcrsxZOKfqIOuqgKEZdJ6LRuCmQWFJQn1c")
    /// ES256 with an r that begins with one or two zero bytes.
    static let es256WithShortNumber = Tokens.signed(
        "ES256", "ALUqCvaRXgRWQG5yIFFHJo5Fcmxyim_2C7V4RW1vOede-wcu3UjZdOqcwYQFp9GTlyQ3_zkQ_xeHymhsQCkyfQ")
    static let jwk384 = #"""
        {"kty":"EC","crv":"P-384","kid":"k","x":"0MehRbQ90GoC1gpgtD11a6zHQMb094OPfy0pEXuMvNNd4YcaZI8hRSVNSFdB_A13","y"\#
        :"NwHUaCg0Cgy8a4UY2zofSiF0ZaghJDsaQVTZA_fOITuo6l9NKchcsnhZLE5lkiHK"}
        """#
    static let es384 = #"""
        eyJhbGciOiJFUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.4mj6op-R9eUqe0W4kCzAO8_PP2zEHj-aaQcbyNzODku\#
        LJ4x90hpEwr2cXtM9Hk3mNIGNOlWrliDrg56nOHFN5oKM97Imobjz33n7rAxCfIoppqMRJ-qabH6p-4qNQY4V
        """#
    /// ES384, except that the signature is DER.
    static let es384AsDER = #"""
        eyJhbGciOiJFUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.MGQCMEFskBK__uRvYK9eFHjkRr4f83vu6kEpvcYn1Xl\#
        S6tfSELr3i2cFPtmYYd1y80RY3gIwGmKG4neQ3uO59-rI86XtuNwx2kJT6PEFZm_o8AzmKjJSw2ltWH1yMnsvB_15NV6s
        """#
    /// ES384 with an r that begins with one or two zero bytes.
    static let es384WithShortNumber = #"""
        eyJhbGciOiJFUzM4NCIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.ANH4OMtbMr6eYPSZ8blXWsXRcEaYZTDo4_JaauAvtkI\#
        RWSV6QvmMp6ASz-5Y6FBk5eOaa_6K6WRB_DWxz72Jut-eW5ZGR5AC8H6Z1apQtLi5DVa9jqk5AKp8qT2DfhkS
        """#
    static let jwk512 = #"""
        {"kty":"EC","crv":"P-521","kid":"k","x":"AZjNjJeyVLJ-BBwVQ2J1ehC7hGTvSSpv9c1TVBEJylB0QQXgVMO9S2MStAmGEOYZi7fuw\#
        -guuI8dogtznOzSaIN-","y":"AK21QwgJ_d3U1Asz8GP5Yg7Hw_TMZE3XM17xQWInOpjuYXu-qrIEIK9PIrV-md5Y_uTnXwQ0RZWeDCuPXmg8\#
        vop4"}
        """#
    static let es512 = #"""
        eyJhbGciOiJFUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.AWRHzUtr6EtvU6Hv2ig5-OsMZARPhcpihtKOfnnRxaR\#
        aqy3v99GMM1qka2YfRzmscLa3pZuv6YgWdHLJ_9WZttf8Ae95goZXIQ48A9ZnjgjpRu6of1EO4C-7n1QhXYSb5GAIE2cDikDTdUPtiJZOg0tsM\#
        5mWMuRLALRjys-fGBzQAwPC
        """#
    /// ES512, except that the signature is DER.
    static let es512AsDER = #"""
        eyJhbGciOiJFUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.MIGIAkIB0mGSb1eF8tPvU1hHb9CbCkIdqO2SrILAXeb\#
        ml-gvIk7He8T1Gftuu2z9UgPzqhqlRrS3JvNqsiiHr57xiuJuuysCQgGf2LZWZRXsxwDgBOeuiz5uwNiflU1DSvL2qRMX4BXI-TUv-_ur7h778\#
        okhbrJWIgzvcttTIq3dSCOllmy9Dwd11A
        """#
    /// ES512 with an r that begins with one or two zero bytes.
    static let es512WithShortNumber = #"""
        eyJhbGciOiJFUzUxMiIsImtpZCI6ImsifQ.eyJzdWIiOiJzb21lb25lIiwibiI6MX0.AABH9-x10PTu0MnsjlQnS3VN7tDjRDgnUBJNt5zESUd\#
        UyPoZS4g69No1SNWXh7O4LRPqFyZyPwmFJwpnxV2BZ0qMAZyIBE5q9vzjQVTSAZK1ug_cLGkCwqccHuu4ht-Byptu0mTiRwtTGCx19622c4B65\#
        5pUDJTTin_3pIVRTo8VCkAI
        """#
}
