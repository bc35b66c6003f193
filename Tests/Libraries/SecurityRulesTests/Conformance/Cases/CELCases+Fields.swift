extension CELCases {
    static let fields = CELCases(
        file: "fields",
        rows: #"""
            [map_fields]
            map_key_int64: {0:1,2:2,5:true}[5] => true
            map_key_uint64: {0u:1u,2u:'happy',5u:3u}[2u] => 'happy'
            map_key_string: {'name':100u}['name'] => 100u
            map_key_bool: {true:5}[true] => 5
            map_key_mixed_type: {true:1,2:2,5u:3}[true] => 1
            map_key_mixed_numbers_double_key: {1u: 1.0, 2: 2.0, 3u: 3.0}[3.0] => 3.0
            map_key_mixed_numbers_lossy_double_key: {1u: 1.0, 2: 2.0, 3u: 3.0}[3.1] => error
            map_key_mixed_numbers_uint_key: {1u: 1.0, 2: 2.0, 3u: 3.0}[2u] => 2.0
            map_key_mixed_numbers_int_key: {1u: 1.0, 2: 2.0, 3u: 3.0}[1] => 1.0
            map_field_access: x.name where x = {'name': 1024} => 1024
            map_no_such_key: {0:1,2:2,5:3}[1] => error
            map_field_select_no_such_key: x.name where x = {'holiday': 'field'} => error
            map_value_null: {true:null}[true] => null
            map_value_bool: {27:false}[27] => false
            map_value_string: {'n':'x'}['n'] => 'x'
            map_value_float: {3:15.15}[3] => 15.15
            map_value_uint64: {0u:1u,2u:2u,5u:3u}[0u] => 1u
            map_value_int64: {true:1,false:2}[true] => 1
            map_value_bytes: {0:b""}[0] => b''
            map_value_list: {0u:[1]}[0u] => [1]
            map_value_map: {"map": {"k": "v"}}["map"] => {'k': 'v'}
            map_value_mix_type: {"map": {"k": "v"}, "list": [1]}["map"] => {'k': 'v'}
            [map_has]
            has: has({'a': 1, 'b': 2}.a) => true
            has_not: has({'a': 1, 'b': 2}.c) => false
            has_empty: has({}.a) => false
            [qualified_identifier_resolution]
            qualified_ident: a.b.c where a.b.c = 'yeah' => 'yeah'
            map_field_select: a.b.c where a.b = {'c': 'yeah'} => 'yeah'
            qualified_identifier_resolution_unchecked: a.b.c where a.b.c = 'yeah', a.b = {'c': 'oops'} => 'yeah'
            list_field_select_unsupported: a.b.pancakes where a.b = ['pancakes'] => error
            int64_field_select_unsupported: a.pancakes where a = 15 => error
            ident_with_longest_prefix_check: a.b.c where a.b.c = 'yeah', a.b = {'c': 'oops'} => 'yeah'
            map_key_float: {3.3:15.15, 1.0: 5}[1.0] => error
            map_key_null: {null:false}[null] => error
            map_value_repeat_key: {true:1,false:2,true:3}[true] => error
            map_value_repeat_key_heterogeneous: {0: 1, 0u: 2}[0.0] => error
            [in]
            empty: 7 in {} => false
            singleton: true in {true: 1} => true
            present: 'George' in {'John': 'smart', 'Paul': 'cute', 'George': 'quiet', 'Ringo': 'funny'} => true
            absent: 'spider' in {'ant': 6, 'fly': 6, 'centipede': 100} => false
            mixed_numbers_and_keys_present: 3.0 in {1: 1, 2: 2, 3u: 3} && 2u in {1u: 1, 2: 2} && 1 in {1u: 1, 2: 2} => true
            mixed_numbers_and_keys_absent: 3.1 in {1: 1, 2: 2, 3u: 3} => false
            """#)
}
