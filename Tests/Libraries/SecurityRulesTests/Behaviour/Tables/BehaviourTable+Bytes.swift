extension BehaviourTable {
    static let bytes = BehaviourTable(
        #"""
        Bytes.size
            true: $bytes.size() == 2; b''.size() == 0
            false: $bytes.size() == 3
            fails: $int.size() == 2
        Bytes.toBase64
            true: $bytes.toBase64() == 'YWI='; b'\xfb\xff\xfe'.toBase64() == '-__-'; b''.toBase64() == ''
            false: $bytes.toBase64() == 'ab'
            fails: $string.toBase64() == ''
        Bytes.toHexString
            true: b'\x00\xff'.toHexString().lower() == '00ff'
            false: $bytes.toHexString() == 'ab'
            fails: $string.toHexString() == ''
        hashing.md5
            true: hashing.md5('abc').toHexString().lower() == '900150983cd24fb0d6963f7d28e17f72'
            true: hashing.md5(b'abc') == hashing.md5('abc'); hashing.md5('').size() == 16
            false: hashing.md5('abc') == hashing.md5('abd')
            fails: hashing.md5($int).size() == 16
            refused: hashing.md5(1).size() == 16
        hashing.sha256
            true: hashing.sha256('abc').toHexString().lower() == 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
            true: hashing.sha256($bytes) == hashing.sha256('ab')
            false: hashing.sha256('abc') == hashing.sha256('')
            fails: hashing.sha256($null).size() == 32
            refused: hashing.sha256().size() == 32
        hashing.crc32
            true: hashing.crc32('123456789').toHexString().lower() == 'cbf43926'
            true: hashing.crc32('') == b'\x00\x00\x00\x00'
            false: hashing.crc32('a') == hashing.crc32('b')
            fails: hashing.crc32($list).size() == 4
        hashing.crc32c
            true: hashing.crc32c('123456789').toHexString().lower() == 'e3069283'; hashing.crc32c(b'').size() == 4
            false: hashing.crc32c('a') == hashing.crc32('a')
            fails: hashing.crc32c($map).size() == 4
            refused: hashing.sha1('a').size() == 20
        """#)
}
