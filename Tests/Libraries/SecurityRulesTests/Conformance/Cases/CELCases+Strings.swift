extension CELCases {
    static let strings = CELCases(
        file: "string",
        rows: #"""
            [size]
            empty: size('') => 0
            one_ascii: size('A') => 1
            one_unicode: size('ÿ') => 1
            ascii: size('four') => 4
            unicode: size('πέντε') => 5
            bytes_empty: size(b'') => 0
            bytes: size(b'abc') => 3
            [starts_with]
            basic_true: 'foobar'.startsWith('foo') => true
            basic_false: 'foobar'.startsWith('bar') => false
            empty_target: ''.startsWith('foo') => false
            empty_arg: 'foobar'.startsWith('') => true
            empty_empty: ''.startsWith('') => true
            unicode: 'завтра'.startsWith('за') => true
            unicode_smp: '🐱😀😛'.startsWith('🐱') => true
            [ends_with]
            basic_true: 'foobar'.endsWith('bar') => true
            basic_false: 'foobar'.endsWith('foo') => false
            empty_target: ''.endsWith('foo') => false
            empty_arg: 'foobar'.endsWith('') => true
            empty_empty: ''.endsWith('') => true
            unicode: 'forté'.endsWith('té') => true
            unicode_smp: '🐱😀😛'.endsWith('😛') => true
            [matches]
            basic: 'hubba'.matches('ubb') => true
            empty_target: ''.matches('foo|bar') => false
            empty_arg: 'cows'.matches('') => true
            empty_empty: ''.matches('') => true
            re_concat: 'abcd'.matches('bc') => true
            re_alt: 'grey'.matches('gr(a|e)y') => true
            re_rep: 'banana'.matches('ba(na)*') => true
            unicode: 'mañana'.matches('a+ñ+a+') => true
            unicode_smp: '🐱😀😀'.matches('(a|😀){2}') => true
            [concatentation]
            concat_true: 'he' + 'llo' => 'hello'
            concat_with_spaces: 'hello' + ' ' == 'hello' => false
            concat_empty_string_beginning: '' + 'abc' => 'abc'
            concat_empty_string_end: 'abc' + '' => 'abc'
            concat_empty_with_empty: '' + '' => ''
            unicode_unicode: '¢' + 'ÿ' + 'Ȁ' => '¢ÿȀ'
            ascii_unicode: 'r' + 'ô' + 'le' => 'rôle'
            ascii_unicode_unicode_smp: 'a' + 'ÿ' + '🐱' => 'aÿ🐱'
            empty_unicode: '' + 'Ω' + '' => 'Ω'
            [contains]
            contains_true: 'hello'.contains('he') => true
            contains_empty: 'hello'.contains('') => true
            contains_false: 'hello'.contains('ol') => false
            contains_multiple: 'abababc'.contains('ababc') => true
            contains_unicode: 'Straße'.contains('aß') => true
            contains_unicode_smp: '🐱😀😁'.contains('😀') => true
            empty_contains: ''.contains('something') => false
            empty_empty: ''.contains('') => true
            [bytes_concat]
            concat: b'abc' + b'def' => b'abcdef'
            left_unit: b'' + b'\xffoo' => b'\xffoo'
            right_unit: b'zxy' + b'' => b'zxy'
            empty_empty: b'' + b'' => b''
            """#)
}
