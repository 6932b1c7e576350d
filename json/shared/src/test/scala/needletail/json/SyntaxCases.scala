package needletail.json

/**
 * The inputs of JSONTestSuite (github.com/nst/JSONTestSuite, test_parsing), by their names: one a line, a name and the
 * input, with percent-encoding for what is not printable ASCII. Three that are only long are made in `JsonSyntaxSuite`.
 */
private[json] object SyntaxCases {
  final case class Case(name: String, input: Array[Byte])

  /** Must be accepted (`y_`), must be refused (`n_`), may be either (`i_`). */
  def accepted: List[Case]    = cases(Accepted)
  def refused: List[Case]     = cases(Refused)
  def unspecified: List[Case] = cases(Unspecified)

  private def cases(text: String): List[Case] =
    text.linesIterator.filter(_.nonEmpty).map { line =>
      val space = line.indexOf(' ')
      if (space < 0) Case(line, new Array[Byte](0)) else Case(line.take(space), decode(line.drop(space + 1)))
    }.toList

  private def decode(text: String): Array[Byte] = {
    val out = Array.newBuilder[Byte]
    var i   = 0
    while (i < text.length) {
      if (text.charAt(i) == '%') {
        out += Integer.parseInt(text.substring(i + 1, i + 3), 16).toByte
        i += 3
      } else {
        out += text.charAt(i).toByte
        i += 1
      }
    }
    out.result()
  }

  private def Accepted =
    """
    |array_arraysWithSpaces [[]%20%20%20]
    |array_empty-string [""]
    |array_empty []
    |array_ending_with_newline ["a"]
    |array_false [false]
    |array_heterogeneous [null,%201,%20"1",%20{}]
    |array_null [null]
    |array_with_1_and_newline [1%0A]
    |array_with_leading_space %20[1]
    |array_with_several_null [1,null,null,null,2]
    |array_with_trailing_space [2]%20
    |number [123e65]
    |number_0e+1 [0e+1]
    |number_0e1 [0e1]
    |number_after_space [%204]
    |number_double_close_to_zero [-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]%0A
    |number_int_with_exp [20e1]
    |number_minus_zero [-0]
    |number_negative_int [-123]
    |number_negative_one [-1]
    |number_negative_zero [-0]
    |number_real_capital_e [1E22]
    |number_real_capital_e_neg_exp [1E-2]
    |number_real_capital_e_pos_exp [1E+2]
    |number_real_exponent [123e45]
    |number_real_fraction_exponent [123.456e78]
    |number_real_neg_exp [1e-2]
    |number_real_pos_exponent [1e+2]
    |number_simple_int [123]
    |number_simple_real [123.456789]
    |object {"asd":"sdf",%20"dfg":"fgh"}
    |object_basic {"asd":"sdf"}
    |object_duplicated_key {"a":"b","a":"c"}
    |object_duplicated_key_and_value {"a":"b","a":"b"}
    |object_empty {}
    |object_empty_key {"":0}
    |object_escaped_null_in_key {"foo%5Cu0000bar":%2042}
    |object_extreme_numbers {%20"min":%20-1.0e+28,%20"max":%201.0e+28%20}
    |object_long_strings {"x":[{"id":%20"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}],%20"id":%20"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}
    |object_simple {"a":[]}
    |object_string_unicode {"title":"%5Cu041f%5Cu043e%5Cu043b%5Cu0442%5Cu043e%5Cu0440%5Cu0430%20%5Cu0417%5Cu0435%5Cu043c%5Cu043b%5Cu0435%5Cu043a%5Cu043e%5Cu043f%5Cu0430"%20}
    |object_with_newlines {%0A"a":%20"b"%0A}
    |string_1_2_3_bytes_UTF-8_sequences ["%5Cu0060%5Cu012a%5Cu12AB"]
    |string_accepted_surrogate_pair ["%5CuD801%5Cudc37"]
    |string_accepted_surrogate_pairs ["%5Cud83d%5Cude39%5Cud83d%5Cudc8d"]
    |string_allowed_escapes ["%5C"%5C%5C%5C/%5Cb%5Cf%5Cn%5Cr%5Ct"]
    |string_backslash_and_u_escaped_zero ["%5C%5Cu0000"]
    |string_backslash_doublequotes ["%5C""]
    |string_comments ["a/*b*/c/*d//e"]
    |string_double_escape_a ["%5C%5Ca"]
    |string_double_escape_n ["%5C%5Cn"]
    |string_escaped_control_character ["%5Cu0012"]
    |string_escaped_noncharacter ["%5CuFFFF"]
    |string_in_array ["asd"]
    |string_in_array_with_leading_space [%20"asd"]
    |string_last_surrogates_1_and_2 ["%5CuDBFF%5CuDFFF"]
    |string_nbsp_uescaped ["new%5Cu00A0line"]
    |string_nonCharacterInUTF-8_U+10FFFF ["%F4%8F%BF%BF"]
    |string_nonCharacterInUTF-8_U+FFFF ["%EF%BF%BF"]
    |string_null_escape ["%5Cu0000"]
    |string_one-byte-utf-8 ["%5Cu002c"]
    |string_pi ["%CF%80"]
    |string_reservedCharacterInUTF-8_U+1BFFF ["%F0%9B%BF%BF"]
    |string_simple_ascii ["asd%20"]
    |string_space "%20"
    |string_surrogates_U+1D11E_MUSICAL_SYMBOL_G_CLEF ["%5CuD834%5CuDd1e"]
    |string_three-byte-utf-8 ["%5Cu0821"]
    |string_two-byte-utf-8 ["%5Cu0123"]
    |string_u+2028_line_sep ["%E2%80%A8"]
    |string_u+2029_par_sep ["%E2%80%A9"]
    |string_uEscape ["%5Cu0061%5Cu30af%5Cu30EA%5Cu30b9"]
    |string_uescaped_newline ["new%5Cu000Aline"]
    |string_unescaped_char_delete ["%7F"]
    |string_unicode ["%5CuA66D"]
    |string_unicodeEscapedBackslash ["%5Cu005C"]
    |string_unicode_2 ["%E2%8D%82%E3%88%B4%E2%8D%82"]
    |string_unicode_U+10FFFE_nonchar ["%5CuDBFF%5CuDFFE"]
    |string_unicode_U+1FFFE_nonchar ["%5CuD83F%5CuDFFE"]
    |string_unicode_U+200B_ZERO_WIDTH_SPACE ["%5Cu200B"]
    |string_unicode_U+2064_invisible_plus ["%5Cu2064"]
    |string_unicode_U+FDD0_nonchar ["%5CuFDD0"]
    |string_unicode_U+FFFE_nonchar ["%5CuFFFE"]
    |string_unicode_escaped_double_quote ["%5Cu0022"]
    |string_utf8 ["%E2%82%AC%F0%9D%84%9E"]
    |string_with_del_character ["a%7Fa"]
    |structure_lonely_false false
    |structure_lonely_int 42
    |structure_lonely_negative_real -0.1
    |structure_lonely_null null
    |structure_lonely_string "asd"
    |structure_lonely_true true
    |structure_string_empty ""
    |structure_trailing_newline ["a"]%0A
    |structure_true_in_array [true]
    |structure_whitespace_array %20[]%20
    |""".stripMargin

  private def Refused = """
    |array_1_true_without_comma [1%20true]
    |array_a_invalid_utf8 [a%E5]
    |array_colon_instead_of_comma ["":%201]
    |array_comma_after_close [""],
    |array_comma_and_number [,1]
    |array_double_comma [1,,2]
    |array_double_extra_comma ["x",,]
    |array_extra_close ["x"]]
    |array_extra_comma ["",]
    |array_incomplete ["x"
    |array_incomplete_invalid_value [x
    |array_inner_array_no_comma [3[4]]
    |array_invalid_utf8 [%FF]
    |array_items_separated_by_semicolon [1:2]
    |array_just_comma [,]
    |array_just_minus [-]
    |array_missing_value [%20%20%20,%20""]
    |array_newlines_unclosed ["a",%0A4%0A,1,
    |array_number_and_comma [1,]
    |array_number_and_several_commas [1,,]
    |array_spaces_vertical_tab_formfeed ["%0Ba"%5Cf]
    |array_star_inside [*]
    |array_unclosed [""
    |array_unclosed_trailing_comma [1,
    |array_unclosed_with_new_lines [1,%0A1%0A,1
    |array_unclosed_with_object_inside [{}
    |incomplete_false [fals]
    |incomplete_null [nul]
    |incomplete_true [tru]
    |multidigit_number_then_00 123%00
    |number_++ [++1234]
    |number_+1 [+1]
    |number_+Inf [+Inf]
    |number_-01 [-01]
    |number_-1.0. [-1.0.]
    |number_-2. [-2.]
    |number_-NaN [-NaN]
    |number_.-1 [.-1]
    |number_.2e-3 [.2e-3]
    |number_0.1.2 [0.1.2]
    |number_0.3e+ [0.3e+]
    |number_0.3e [0.3e]
    |number_0.e1 [0.e1]
    |number_0_capital_E+ [0E+]
    |number_0_capital_E [0E]
    |number_0e+ [0e+]
    |number_0e [0e]
    |number_1.0e+ [1.0e+]
    |number_1.0e- [1.0e-]
    |number_1.0e [1.0e]
    |number_1_000 [1%20000.0]
    |number_1eE2 [1eE2]
    |number_2.e+3 [2.e+3]
    |number_2.e-3 [2.e-3]
    |number_2.e3 [2.e3]
    |number_9.e+ [9.e+]
    |number_Inf [Inf]
    |number_NaN [NaN]
    |number_U+FF11_fullwidth_digit_one [%EF%BC%91]
    |number_expression [1+2]
    |number_hex_1_digit [0x1]
    |number_hex_2_digits [0x42]
    |number_infinity [Infinity]
    |number_invalid+- [0e+-1]
    |number_invalid-negative-real [-123.123foo]
    |number_invalid-utf-8-in-bigger-int [123%E5]
    |number_invalid-utf-8-in-exponent [1e1%E5]
    |number_invalid-utf-8-in-int [0%E5]%0A
    |number_minus_infinity [-Infinity]
    |number_minus_sign_with_trailing_garbage [-foo]
    |number_minus_space_1 [-%201]
    |number_neg_int_starting_with_zero [-012]
    |number_neg_real_without_int_part [-.123]
    |number_neg_with_garbage_at_end [-1x]
    |number_real_garbage_after_e [1ea]
    |number_real_with_invalid_utf8_after_e [1e%E5]
    |number_real_without_fractional_part [1.]
    |number_starting_with_dot [.123]
    |number_with_alpha [1.2a-3]
    |number_with_alpha_char [1.8011670033376514H-308]
    |number_with_leading_zero [012]
    |object_bad_value ["x",%20truth]
    |object_bracket_key {[:%20"x"}%0A
    |object_comma_instead_of_colon {"x",%20null}
    |object_double_colon {"x"::"b"}
    |object_emoji {%F0%9F%87%A8%F0%9F%87%AD}
    |object_garbage_at_end {"a":"a"%20123}
    |object_key_with_single_quotes {key:%20'value'}
    |object_lone_continuation_byte_in_key_and_trailing_comma {"%B9":"0",}
    |object_missing_colon {"a"%20b}
    |object_missing_key {:"b"}
    |object_missing_semicolon {"a"%20"b"}
    |object_missing_value {"a":
    |object_no-colon {"a"
    |object_non_string_key {1:1}
    |object_non_string_key_but_huge_number_instead {9999E9999:1}
    |object_repeated_null_null {null:null,null:null}
    |object_several_trailing_commas {"id":0,,,,,}
    |object_single_quote {'a':0}
    |object_trailing_comma {"id":0,}
    |object_trailing_comment {"a":"b"}/**/
    |object_trailing_comment_open {"a":"b"}/**//
    |object_trailing_comment_slash_open {"a":"b"}//
    |object_trailing_comment_slash_open_incomplete {"a":"b"}/
    |object_two_commas_in_a_row {"a":"b",,"c":"d"}
    |object_unquoted_key {a:%20"b"}
    |object_unterminated-value {"a":"a
    |object_with_single_string {%20"foo"%20:%20"bar",%20"a"%20}
    |object_with_trailing_garbage {"a":"b"}#
    |single_space %20
    |string_1_surrogate_then_escape ["%5CuD800%5C"]
    |string_1_surrogate_then_escape_u ["%5CuD800%5Cu"]
    |string_1_surrogate_then_escape_u1 ["%5CuD800%5Cu1"]
    |string_1_surrogate_then_escape_u1x ["%5CuD800%5Cu1x"]
    |string_accentuated_char_no_quotes [%C3%A9]
    |string_backslash_00 ["%5C%00"]
    |string_escape_x ["%5Cx00"]
    |string_escaped_backslash_bad ["%5C%5C%5C"]
    |string_escaped_ctrl_char_tab ["%5C%09"]
    |string_escaped_emoji ["%5C%F0%9F%8C%80"]
    |string_incomplete_escape ["%5C"]
    |string_incomplete_escaped_character ["%5Cu00A"]
    |string_incomplete_surrogate ["%5CuD834%5CuDd"]
    |string_incomplete_surrogate_escape_invalid ["%5CuD800%5CuD800%5Cx"]
    |string_invalid-utf-8-in-escape ["%5Cu%E5"]
    |string_invalid_backslash_esc ["%5Ca"]
    |string_invalid_unicode_escape ["%5Cuqqqq"]
    |string_invalid_utf8_after_escape ["%5C%E5"]
    |string_leading_uescaped_thinspace [%5Cu0020"asd"]
    |string_no_quotes_with_bad_escape [%5Cn]
    |string_single_doublequote "
    |string_single_quote ['single%20quote']
    |string_single_string_no_double_quotes abc
    |string_start_escape_unclosed ["%5C
    |string_unescaped_ctrl_char ["a%00a"]
    |string_unescaped_newline ["new%0Aline"]
    |string_unescaped_tab ["%09"]
    |string_unicode_CapitalU "%5CUA66D"
    |string_with_trailing_garbage ""x
    |structure_U+2060_word_joined [%E2%81%A0]
    |structure_UTF8_BOM_no_data %EF%BB%BF
    |structure_angle_bracket_. <.>
    |structure_angle_bracket_null [<null>]
    |structure_array_trailing_garbage [1]x
    |structure_array_with_extra_array_close [1]]
    |structure_array_with_unclosed_string ["asd]
    |structure_ascii-unicode-identifier a%C3%A5
    |structure_capitalized_True [True]
    |structure_close_unopened_array 1]
    |structure_comma_instead_of_closing_brace {"x":%20true,
    |structure_double_array [][]
    |structure_end_array ]
    |structure_incomplete_UTF8_BOM %EF%BB{}
    |structure_lone-invalid-utf-8 %E5
    |structure_lone-open-bracket [
    |structure_no_data
    |structure_null-byte-outside-string [%00]
    |structure_number_with_trailing_garbage 2@
    |structure_object_followed_by_closing_object {}}
    |structure_object_unclosed_no_value {"":
    |structure_object_with_comment {"a":/*comment*/"b"}
    |structure_object_with_trailing_garbage {"a":%20true}%20"x"
    |structure_open_array_apostrophe ['
    |structure_open_array_comma [,
    |structure_open_array_open_object [{
    |structure_open_array_open_string ["a
    |structure_open_array_string ["a"
    |structure_open_object {
    |structure_open_object_close_array {]
    |structure_open_object_comma {,
    |structure_open_object_open_array {[
    |structure_open_object_open_string {"a
    |structure_open_object_string_with_apostrophes {'a'
    |structure_open_open ["%5C{["%5C{["%5C{["%5C{
    |structure_single_eacute %E9
    |structure_single_star *
    |structure_trailing_# {"a":"b"}#{}
    |structure_uescaped_LF_before_string [%5Cu000A""]
    |structure_unclosed_array [1
    |structure_unclosed_array_partial_null [%20false,%20nul
    |structure_unclosed_array_unfinished_false [%20true,%20fals
    |structure_unclosed_array_unfinished_true [%20false,%20tru
    |structure_unclosed_object {"asd":"asd"
    |structure_unicode-identifier %C3%A5
    |structure_whitespace_U+2060_word_joiner [%E2%81%A0]
    |structure_whitespace_formfeed [%0C]
    |""".stripMargin

  private def Unspecified =
    """
    |number_double_huge_neg_exp [123.456e-789]
    |number_huge_exp [0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006]
    |number_neg_int_huge_exp [-1e+9999]
    |number_pos_double_huge_exp [1.5e+9999]
    |number_real_neg_overflow [-123123e100000]
    |number_real_pos_overflow [123123e100000]
    |number_real_underflow [123e-10000000]
    |number_too_big_neg_int [-123123123123123123123123123123]
    |number_too_big_pos_int [100000000000000000000]
    |number_very_big_negative_int [-237462374673276894279832749832423479823246327846]
    |object_key_lone_2nd_surrogate {"%5CuDFAA":0}
    |string_1st_surrogate_but_2nd_missing ["%5CuDADA"]
    |string_1st_valid_surrogate_2nd_invalid ["%5CuD888%5Cu1234"]
    |string_UTF-16LE_with_BOM %FF%FE[%00"%00%E9%00"%00]%00
    |string_UTF-8_invalid_sequence ["%E6%97%A5%D1%88%FA"]
    |string_UTF8_surrogate_U+D800 ["%ED%A0%80"]
    |string_incomplete_surrogate_and_escape_valid ["%5CuD800%5Cn"]
    |string_incomplete_surrogate_pair ["%5CuDd1ea"]
    |string_incomplete_surrogates_escape_valid ["%5CuD800%5CuD800%5Cn"]
    |string_invalid_lonely_surrogate ["%5Cud800"]
    |string_invalid_surrogate ["%5Cud800abc"]
    |string_invalid_utf-8 ["%FF"]
    |string_inverted_surrogates_U+1D11E ["%5CuDd1e%5CuD834"]
    |string_iso_latin_1 ["%E9"]
    |string_lone_second_surrogate ["%5CuDFAA"]
    |string_lone_utf8_continuation_byte ["%81"]
    |string_not_in_unicode_range ["%F4%BF%BF%BF"]
    |string_overlong_sequence_2_bytes ["%C0%AF"]
    |string_overlong_sequence_6_bytes ["%FC%83%BF%BF%BF%BF"]
    |string_overlong_sequence_6_bytes_null ["%FC%80%80%80%80%80"]
    |string_truncated-utf-8 ["%E0%FF"]
    |string_utf16BE_no_BOM %00[%00"%00%E9%00"%00]
    |string_utf16LE_no_BOM [%00"%00%E9%00"%00]%00
    |structure_UTF-8_BOM_empty_object %EF%BB%BF{}
    |""".stripMargin
}
