extension CELCases {
    static let parse = CELCases(
        file: "parse",
        rows: #"""
            [nest]
            list_index: a[a[a[a[a[a[a[a[a[a[a[a[0]]]]]]]]]]]] where a = [0] => 0
            message_literal: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{child: NestedTestAllTypes{payload: TestAllTypes{single_int64: 137}}}}}}}}}}}}}.payload.single_int64 => 0
            funcall: int(uint(int(uint(int(uint(int(uint(int(uint(int(uint(7)))))))))))) => 7
            list_literal: size([[[[[[[[[[[[0]]]]]]]]]]]]) => 1
            map_literal: size({0: {0: {0: {0: {0: {0: {0: {0: {0: {0: {0: {0: 'foo'}}}}}}}}}}}}) => 1
            parens: ((((((((((((((((((((((((((((((((7)))))))))))))))))))))))))))))))) => 7
            [repeat]
            conditional: true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : true ? true : false => true
            or: false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || false || true => true
            and: true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && true && false => false
            add_sub: 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 - 3 + 3 => 3
            mul_div: 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 * 4 / 4 => 4
            not: !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!true => true
            unary_neg: --------------------------------19 => 19
            select: NestedTestAllTypes{}.child.child.child.child.child.child.child.child.child.child.payload.single_int32 => 0
            index: [[[[[[[[[[[['foo']]]]]]]]]]]][0][0][0][0][0][0][0][0][0][0][0][0] => 'foo'
            list_literal: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31][17] => 17
            map_literal: {0: 'zero', 1: 'one', 2: 'two', 3: 'three', 4: 'four', 5: 'five', 6: 'six', 7: 'seven', 8: 'eight', 9: 'nine', 10: 'ten', 11: 'eleven', 12: 'twelve', 13: 'thirteen', 14: 'fourteen', 15: 'fifteen', 16: 'sixteen', 17: 'seventeen', 18: 'eighteen', 19: 'nineteen', 20: 'twenty', 21: 'twenty-one', 22: 'twenty-two', 23: 'twenty-three', 24: 'twenty-four', 25: 'twenty-five', 26: 'twenty-six', 27: 'twenty-seven', 28: 'twenty-eight', 29: 'twenty-nine', 30: 'thirty', 31: 'thirty-one'}[17] => 'seventeen'
            message_literal: TestAllTypes{single_int32: 5, single_int64: 10, single_sint64: 30, ...}.single_sint64 => 30
            [string_literals]
            <quoted>: <quoted>hello<quoted> => 'hello'
            <quoted>_escaped_punctuation: <quoted> \\ \? \" \' \` <quoted> => ' \\ ? " \' ` '
            <triply_quoted>_unescaped_punctuation: <triply_quoted> ? " ' ` <triply_quoted> => ' ? " \' ` '
            <quoted>_escaped_special_control_characters: <quoted> \a \b \f \t \v <quoted> => ' \x07 \x08 \x0c \x09 \x0b '
            <quoted>_unescaped_special_control_characters: <quoted> ␇ ␈ ␌ ␉ ␋ <quoted> => ' \x07 \x08 \x0c \x09 \x0b '
            <quoted>_escaped_line_feed: <quoted> \n <quoted> => ' \x0a '
            <triply_quoted>_unescaped_line_feed: <triply_quoted> ␊ <triply_quoted> => ' \x0a '
            <quoted>_escaped_carriage_return: <quoted> \r <quoted> => ' \x0d '
            <triply_quoted>_unescaped_carriage_return: <triply_quoted> ␍ <triply_quoted> => ' \x0d '
            <quoted>_escaped_windows_line_end: <quoted> \r\n <quoted> => ' \x0d\x0a '
            <triply_quoted>_unescaped_windows_line_end: <triply_quoted> ␍␊ <triply_quoted> => ' \x0d\x0a '
            <quoted>_escaped_all_control_characters: <quoted> \x01 \x02 \x03 \x04 \x05 \x06 \x07 \x08 \x09 \x0B \x0C \x0E \x0F \x10 \x11 \x12 \x13 \x14 \x15 \x16 \x17 \x18 \x19 \x1A \x1B \x1C \x1D \x1E \x1f \x7F <quoted> => ' \x01 \x02 \x03 \x04 \x05 \x06 \x07 \x08 \x09 \x0b \x0c \x0e \x0f \x10 \x11 \x12 \x13 \x14 \x15 \x16 \x17 \x18 \x19 \x1a \x1b \x1c \x1d \x1e \x1f \x7f '
            <quoted>_unescaped_all_control_characters: <quoted> ␁ ␂ ␃ ␄ ␅ ␆ ␇ ␈ ␉ ␋ ␌ ␎ ␏ ␐ ␑ ␒ ␓ ␔ ␕ ␖ ␗ ␘ ␙ ␚ ␛ ␜ ␝ ␞ ␟ ␡ <quoted> => ' \x01 \x02 \x03 \x04 \x05 \x06 \x07 \x08 \x09 \x0b \x0c \x0e \x0f \x10 \x11 \x12 \x13 \x14 \x15 \x16 \x17 \x18 \x19 \x1a \x1b \x1c \x1d \x1e \x1f \x7f '
            <quoted>_octal_escapes: <quoted> \000 \012 \177 <quoted> => ' \x00 \x0a \x7f '
            <quoted>_lower_x_escapes: <quoted> \x00 \x0A \x7F <quoted> => ' \x00 \x0a \x7f '
            <quoted>_upper_x_escapes: <quoted> \X00 \X0A \X7F <quoted> => ' \x00 \x0a \x7f '
            <quoted>_lower_u_escapes: <quoted> \u0000 \u000A \u007F \u0100 \uFFFB <quoted> => ' \x00 \x0a \x7f Ā \u{fffb} '
            <quoted>_upper_u_escapes: <quoted> \U00000000 \U0000000A \U0000007F \U00000100 \U0000FFFB \U00010000 \U0001F62C <quoted> => ' \x00 \x0a \x7f Ā \u{fffb} \u{10000} 😬 '
            mixed_case_hex_<quoted>_escapes: <quoted> \x4a \x4B \X4c \X4D \u01aB \U000001aB <quoted> => ' J K L M ƫ ƫ '
            unassigned_code_point_<quoted>_escapes: <quoted> \U00088888 <quoted> => ' \u{88888} '
            unassigned_code_point_<quoted>_unescaped: <quoted> 򈢈 <quoted> => ' \u{88888} '
            raw_single_quoted_escapes: r' \\ \? \" \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 ' => ' \\\\ \\? \\" \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            raw_double_quoted_escapes: r" \\ \? \' \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 " => ' \\\\ \\? \\\' \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            raw_<triply_quoted>_escapes: r<triply_quoted> \\ \? \" \' \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 <triply_quoted> => ' \\\\ \\? \\" \\\' \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            upper_raw_single_quoted_escapes: R' \\ \? \" \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 ' => ' \\\\ \\? \\" \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            upper_raw_double_quoted_escapes: R" \\ \? \' \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 " => ' \\\\ \\? \\\' \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            upper_raw_<triply_quoted>_escapes: R<triply_quoted> \\ \? \" \' \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 <triply_quoted> => ' \\\\ \\? \\" \\\' \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            [bytes_literals]
            <quoted>: b<quoted>hello<quoted> => b'hello'
            <quoted>_escaped_punctuation: b<quoted> \\ \? \" \' \` <quoted> => b' \\ ? " \' ` '
            <triply_quoted>_unescaped_punctuation: b<triply_quoted> ? " ' ` <triply_quoted> => b' ? " \' ` '
            <quoted>_escaped_special_control_characters: b<quoted> \a \b \f \t \v <quoted> => b' \x07 \x08 \x0c \x09 \x0b '
            <quoted>_unescaped_special_control_characters: b<quoted> ␇ ␈ ␌ ␉ ␋ <quoted> => b' \x07 \x08 \x0c \x09 \x0b '
            <quoted>_escaped_line_feed: b<quoted> \n <quoted> => b' \x0a '
            <triply_quoted>_unescaped_line_feed: b<triply_quoted> ␊ <triply_quoted> => b' \x0a '
            <quoted>_escaped_carriage_return: b<quoted> \r <quoted> => b' \x0d '
            <triply_quoted>_unescaped_carriage_return: b<triply_quoted> ␍ <triply_quoted> => b' \x0d '
            <quoted>_escaped_windows_line_end: b<quoted> \r\n <quoted> => b' \x0d\x0a '
            <triply_quoted>_unescaped_windows_line_end: b<triply_quoted> ␍␊ <triply_quoted> => b' \x0d\x0a '
            <quoted>_escaped_all_control_characters: b<quoted> \x01 \x02 \x03 \x04 \x05 \x06 \x07 \x08 \x09 \x0B \x0C \x0E \x0F \x10 \x11 \x12 \x13 \x14 \x15 \x16 \x17 \x18 \x19 \x1A \x1B \x1C \x1D \x1E \x1f \x7F <quoted> => b' \x01 \x02 \x03 \x04 \x05 \x06 \x07 \x08 \x09 \x0b \x0c \x0e \x0f \x10 \x11 \x12 \x13 \x14 \x15 \x16 \x17 \x18 \x19 \x1a \x1b \x1c \x1d \x1e \x1f \x7f '
            <quoted>_unescaped_all_control_characters: b<quoted> ␁ ␂ ␃ ␄ ␅ ␆ ␇ ␈ ␉ ␋ ␌ ␎ ␏ ␐ ␑ ␒ ␓ ␔ ␕ ␖ ␗ ␘ ␙ ␚ ␛ ␜ ␝ ␞ ␟ ␡ <quoted> => b' \x01 \x02 \x03 \x04 \x05 \x06 \x07 \x08 \x09 \x0b \x0c \x0e \x0f \x10 \x11 \x12 \x13 \x14 \x15 \x16 \x17 \x18 \x19 \x1a \x1b \x1c \x1d \x1e \x1f \x7f '
            <quoted>_octal_escapes: b<quoted> \000 \012 \177 \377 <quoted> => b' \x00 \x0a \x7f \xff '
            <quoted>_lower_x_escapes: b<quoted> \x00 \x0A \x7F \xFF <quoted> => b' \x00 \x0a \x7f \xff '
            <quoted>_upper_x_escapes: b<quoted> \X00 \X0A \X7F \XFF <quoted> => b' \x00 \x0a \x7f \xff '
            mixed_case_hex_<quoted>_escapes: B<quoted> \x4a \x4B \X4c \X4D <quoted> => b' J K L M '
            raw_single_quoted_escapes: br' \\ \? \" \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 ' => b' \\\\ \\? \\" \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            raw_double_quoted_escapes: br" \\ \? \' \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 " => b' \\\\ \\? \\\' \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            raw_<triply_quoted>_escapes: br<triply_quoted> \\ \? \" \' \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 <triply_quoted> => b' \\\\ \\? \\" \\\' \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            upper_raw_single_quoted_escapes: bR' \\ \? \" \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 ' => b' \\\\ \\? \\" \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            upper_raw_double_quoted_escapes: bR" \\ \? \' \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 " => b' \\\\ \\? \\\' \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            upper_raw_<triply_quoted>_escapes: bR<triply_quoted> \\ \? \" \' \` \a \b \f \t \v \n \r \000 \x00 \X00 \u0000 \U00000000 <triply_quoted> => b' \\\\ \\? \\" \\\' \\` \\a \\b \\f \\t \\v \\n \\r \\000 \\x00 \\X00 \\u0000 \\U00000000 '
            [whitespace]
            spaces: [ . cel. expr .conformance. proto3. TestAllTypes { single_int64 : int ( 17 ) } . single_int64 ] [ 0 ] == ( 18 - 1 ) && ! false ? 1 : 2 => 1
            tabs: [␉.␉cel.␉expr␉.conformance.␉proto3.␉TestAllTypes␉{␉single_int64␉:␉int␉(␉17␉)␉}␉.␉single_int64␉]␉[␉0␉]␉==␉(␉18␉-␉1␉)␉&&␉!␉false␉?␉1␉:␉2 => 1
            new_lines: [␊.␊cel.␊expr␊.conformance.␊proto3.␊TestAllTypes␊{␊single_int64␊:␊int␊(␊17␊)␊}␊.␊single_int64␊]␊[␊0␊]␊==␊(␊18␊-␊1␊)␊&&␊!␊false␊?␊1␊:␊2 => 1
            new_pages: [␌.␌cel.␌expr␌.conformance.␌proto3.␌TestAllTypes␌{␌single_int64␌:␌int␌(␌17␌)␌}␌.␌single_int64␌]␌[␌0␌]␌==␌(␌18␌-␌1␌)␌&&␌!␌false␌?␌1␌:␌2 => 1
            carriage_returns: [␍.␍cel.␍expr␍.conformance.␍proto3.␍TestAllTypes␍{␍single_int64␍:␍int␍(␍17␍)␍}␍.␍single_int64␍]␍[␍0␍]␍==␍(␍18␍-␍1␍)␍&&␍!␍false␍?␍1␍:␍2 => 1
            [comments]
            new_line_terminated: [// @␊.// @␊cel.// @␊expr// @␊.conformance.// @␊proto3.// @␊TestAllTypes// @␊{// @␊single_int64// @␊:// @␊int// @␊(// @␊17// @␊)// @␊}// @␊.// @␊single_int64// @␊]// @␊[// @␊0// @␊]// @␊==// @␊(// @␊18// @␊-// @␊1// @␊)// @␊&&// @␊!// @␊false// @␊?// @␊1// @␊:// @␊2 => 1
            [selectors]
            <word>: { '<word>': 1 }.<word> => 1
            [receiver_function_names]
            <word>: a.<word>() || true => true
            [struct_field_names]
            <word>: TestAllTypes{ <word>: true } => message
            """#)
}
