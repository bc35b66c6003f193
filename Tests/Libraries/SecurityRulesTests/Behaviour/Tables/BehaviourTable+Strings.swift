extension BehaviourTable {
    static let strings = BehaviourTable(
        #"""
        String.size
            true: $string.size() == 3; $empty.size() == 0; $text.size() == 5; 'e\u0301'.size() == 2
            false: $string.size() == 4
            fails: $int.size() == 3; $null.size() == 0; $missing.size() == 0
            refused: $string.size(1) == 3; 1.size() == 1
        String.lower
            true: $string.lower() == 'ada'; 'ÄÉ'.lower() == 'äé'
            false: $string.lower() == 'Ada'
            fails: $int.lower() == 'ada'
            refused: 1.lower() == 'ada'
        String.upper
            true: $string.upper() == 'ADA'
            false: $string.upper() == 'Ada'
            fails: $null.upper() == 'ADA'
            refused: $string.upper('a') == 'ADA'
        String.trim
            true: '  a b\t\n'.trim() == 'a b'; $string.trim() == 'Ada'
            false: ' a '.trim() == ' a '
            fails: $int.trim() == '7'
        String.replace
            true: 'banana'.replace('a', 'o') == 'bonono'; 'banana'.replace('(an)+', 'x') == 'bxa'
            true: $string.replace('[Aa]', '') == 'd'; 'ab'.replace('(a)(b)', '\\2\\1') == 'ba'
            false: 'banana'.replace('an', 'x') == 'banana'
            fails: $string.replace($int, 'a') == 'Ada'; $string.replace('a', $null) == 'Ada'
            fails: $string.replace($broken, 'a') == 'Ada'; $int.replace('a', 'b') == '7'
            refused: $string.replace('(', 'a') == 'Ada'; $string.replace('a') == 'Ada'
        String.split
            true: 'a,b,c'.split(',') == ['a', 'b', 'c']; 'a1b22c'.split('[0-9]+') == ['a', 'b', 'c']
            true: $string.split(',') == ['Ada']; ','.split(',').size() == 2
            false: 'a,b'.split(',') == ['a,b']
            fails: $string.split($int) == ['Ada']; $string.split($broken) == ['Ada']; $list.split(',') == []
            refused: $string.split('[') == ['Ada']
        String.matches
            true: $string.matches('A.*'); $string.matches('[A-Z][a-z]+'); $string.matches('(?i)ADA')
            true: $empty.matches(''); 'a\nb'.matches('a\\nb'); $text.matches('h.llo')
            false: $string.matches('d'); $string.matches('A'); $string.matches('ada'); 'a\nb'.matches('a.b')
            fails: $int.matches('7'); $string.matches($int); $string.matches($broken); $null.matches('')
            refused: $string.matches('('); $string.matches('a(?=b)'); $string.matches('(a)\\1'); $string.matches()
        String.toUtf8
            true: $string.toUtf8() == b'Ada'; 'é'.toUtf8() == b'\xc3\xa9'; $text.toUtf8().size() == 6
            false: $string.toUtf8() == b'ada'
            fails: $int.toUtf8() == b'7'; $bytes.toUtf8() == b'ab'
        String[i]
            true: $string[0] == 'A'; $text[1] == 'é'; $string[$int - 5] == 'a'
            false: $string[0] == 'a'
            fails: $string[3] == 'a'
            refused: $string[-1] == 'a'
            fails: $string['a'] == 'a'
            refused: $string[1.0] == 'd'
            fails: $empty[0] == 'a'
            refused: 'abc'['a'] == 'a'
        String[i:j]
            true: $string[0:2] == 'Ad'; $string[0:3] == $string; $string[1:1] == ''; $text[1:3] == 'él'
            false: $string[0:2] == 'Ada'
            fails: $string[0:4] == 'Ada'
            refused: $string[2:1] == ''; $string[-1:1] == ''; $string['a':'b'] == ''; $string[1:] == 'da'
            refused: $string[:1] == 'A'
        """#)
}
