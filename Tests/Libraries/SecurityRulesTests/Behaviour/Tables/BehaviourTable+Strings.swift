extension BehaviourTable {
    static let strings = BehaviourTable(
        #"""
        String.size
            true: $string.size() == 3
            true: $empty.size() == 0
            true: $text.size() == 5
            true: 'e\u0301'.size() == 2
            false: $string.size() == 4
            fails: $int.size() == 3
            fails: $null.size() == 0
            fails: $missing.size() == 0
            refused: $string.size(1) == 3
            refused: 1.size() == 1
        String.lower
            true: $string.lower() == 'ada'
            true: 'ÄÉ'.lower() == 'äé'
            false: $string.lower() == 'Ada'
            fails: $int.lower() == 'ada'
            refused: 1.lower() == 'ada'
        String.upper
            true: $string.upper() == 'ADA'
            false: $string.upper() == 'Ada'
            fails: $null.upper() == 'ADA'
            refused: $string.upper('a') == 'ADA'
        String.trim
            true: '  a b\t\n'.trim() == 'a b'
            true: $string.trim() == 'Ada'
            false: ' a '.trim() == ' a '
            fails: $int.trim() == '7'
        String.replace
            true: 'banana'.replace('a', 'o') == 'bonono'
            true: 'banana'.replace('(an)+', 'x') == 'bxa'
            true: $string.replace('[Aa]', '') == 'd'
            true: 'ab'.replace('(a)(b)', '\\2\\1') == 'ba'
            false: 'banana'.replace('an', 'x') == 'banana'
            fails: $string.replace($int, 'a') == 'Ada'
            fails: $string.replace('a', $null) == 'Ada'
            fails: $string.replace($broken, 'a') == 'Ada'
            fails: $int.replace('a', 'b') == '7'
            refused: $string.replace('(', 'a') == 'Ada'
            refused: $string.replace('a') == 'Ada'
        String.split
            true: 'a,b,c'.split(',') == ['a', 'b', 'c']
            true: 'a1b22c'.split('[0-9]+') == ['a', 'b', 'c']
            true: $string.split(',') == ['Ada']
            true: ','.split(',').size() == 2
            false: 'a,b'.split(',') == ['a,b']
            fails: $string.split($int) == ['Ada']
            fails: $string.split($broken) == ['Ada']
            fails: $list.split(',') == []
            refused: $string.split('[') == ['Ada']
        String.matches
            true: $string.matches('A.*')
            true: $string.matches('[A-Z][a-z]+')
            true: $string.matches('(?i)ADA')
            true: $empty.matches('')
            true: 'a\nb'.matches('a\\nb')
            true: $text.matches('h.llo')
            false: $string.matches('d')
            false: $string.matches('A')
            false: $string.matches('ada')
            false: 'a\nb'.matches('a.b')
            fails: $int.matches('7')
            fails: $string.matches($int)
            fails: $string.matches($broken)
            fails: $null.matches('')
            refused: $string.matches('(')
            refused: $string.matches('a(?=b)')
            refused: $string.matches('(a)\\1')
            refused: $string.matches()
        String.toUtf8
            true: $string.toUtf8() == b'Ada'
            true: 'é'.toUtf8() == b'\xc3\xa9'
            true: $text.toUtf8().size() == 6
            false: $string.toUtf8() == b'ada'
            fails: $int.toUtf8() == b'7'
            fails: $bytes.toUtf8() == b'ab'
        String[i]
            true: $string[0] == 'A'
            true: $text[1] == 'é'
            true: $string[$int - 5] == 'a'
            false: $string[0] == 'a'
            fails: $string[3] == 'a'
            refused: $string[-1] == 'a'
            fails: $string['a'] == 'a'
            refused: $string[1.0] == 'd'
            fails: $empty[0] == 'a'
            refused: 'abc'['a'] == 'a'
        String[i:j]
            true: $string[0:2] == 'Ad'
            true: $string[0:3] == $string
            true: $string[1:1] == ''
            true: $text[1:3] == 'él'
            false: $string[0:2] == 'Ada'
            fails: $string[0:4] == 'Ada'
            refused: $string[2:1] == ''
            refused: $string[-1:1] == ''
            refused: $string['a':'b'] == ''
            refused: $string[1:] == 'da'
            refused: $string[:1] == 'A'
        """#)
}
