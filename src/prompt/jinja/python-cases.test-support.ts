/** What Python's Jinja2 3.1.6 makes of templates, one for each corner of the language. Made by running it. */

/** Context, as JSON: 2.5 is a float. */
export const context = String.raw`{"s": "Hello World", "t": " a b  c\n", "q": "it's \"x\" \\ \n é 😀b", "l": [1, 2, 3], "d": {"a": 1, "b": [1, 2], "x": null}, "n": null, "i": 7, "f": 2.5, "b": true, "ms": [{"role": "user", "content": "hi", "k": 3}, {"role": "assistant", "content": "yo", "k": 1}], "big": 123456789012345678901234567890}`;

/** Template, then the text or the error. */
export const cases: readonly (readonly [string, { text: string } | { error: string }])[] = [
  [
    "{{ [1, 2.0, 'a', \"it's\", none, true, {'k': (1,)}, []] }}",
    { text: "[1, 2.0, 'a', \"it's\", None, True, {'k': (1,)}, []]" },
  ],
  [
    "{{ {'a': 1, 2: 'b', 1.5: none, (1, 2): {}} }}",
    { text: "{'a': 1, 2: 'b', 1.5: None, (1, 2): {}}" },
  ],
  ['{{ q }}|{{ [q] }}', { text: 'it\'s "x" \\ \n é 😀b|[\'it\\\'s "x" \\\\ \\n é 😀b\']' }],
  ['{{ n }}{{ b }}{{ undef }}{{ [undef] }}', { text: 'NoneTrue[Undefined]' }],
  [
    '{{ 1/3 }} {{ 4/2 }} {{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.0001 }} {{ -0.0 }} {{ 1e400 }} {{ 123456789.123 }}',
    { text: '0.3333333333333333 2.0 1e+16 1000000000000000.0 1e-05 0.0001 -0.0 inf 123456789.123' },
  ],
  [
    '{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % -3 }} {{ -7 % 3 }} {{ -7.5 % 2 }} {{ 7.5 // -2 }} {{ 2 ** 3 ** 2 }} {{ 2 ** -1 }}',
    { text: '3 -4 -2 2 0.5 -4.0 64 0.5' },
  ],
  [
    '{{ big * big }} {{ big // 7 }} {{ -big % 1000 }} {{ 9007199254740993 + 1 }}',
    {
      text: '15241578753238836750495351562536198787501905199875019052100 17636684144620811271604938270 110 9007199254740994',
    },
  ],
  [
    "{{ 'x' * 3 }}{{ 2 * 'ab' }}{{ [0] * 3 }}{{ (1,) * 2 }}{{ 'x' * -1 }}",
    { text: 'xxxabab[0, 0, 0](1, 1)' },
  ],
  ["{{ 'a' ~ 1 ~ none ~ 2.0 ~ [1] }}", { text: 'a1None2.0[1]' }],
  [
    "{{ 1 + true }} {{ 1 == true }} {{ 1 == 1.0 }} {{ '1' == 1 }} {{ none == false }} {{ undef == undef2 }}",
    { text: '2 True True False False True' },
  ],
  [
    "{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ (1,) <= (1, 0) }}",
    { text: 'True False True True True' },
  ],
  [
    "{{ 'ell' in s }} {{ 2 in l }} {{ 'a' in d }} {{ 1 not in (1, 2) }} {{ [1] in [[1]] }} {{ 3 in range(5) }} {{ 'x' in undef }}",
    { text: 'True True True False True True False' },
  ],
  [
    '{{ s[0] }}{{ s[-1] }}{{ s[1:4] }}{{ s[::-1] }}{{ s[::2] }}{{ s[-3:] }}{{ l[5] }}{{ l[-1] }}{{ l[1:][0] }}',
    { text: 'HdelldlroW olleHHloWrdrld32' },
  ],
  ["{{ q[-3:] }} {{ q|length }} {{ q.find('b') }}", { text: ' 😀b 17 16' }],
  [
    "{{ d.a }} {{ d['a'] }} {{ d.b[1] }} {{ d.zz }} {{ d.items }}|{{ d.get('zz', 5) }} {{ d.get('x', 5) }} {{ d.keys() }} {{ d.items() }}",
    {
      text: "1 1 2  <built-in method items of dict object>|5 None dict_keys(['a', 'b', 'x']) dict_items([('a', 1), ('b', [1, 2]), ('x', None)])",
    },
  ],
  [
    '{{ d.items()|list }} {{ d|list }} {{ d|items|list }} {{ d|dictsort }}',
    {
      text: "[('a', 1), ('b', [1, 2]), ('x', None)] ['a', 'b', 'x'] [('a', 1), ('b', [1, 2]), ('x', None)] [('a', 1), ('b', [1, 2]), ('x', None)]",
    },
  ],
  [
    "{{ '%s %d %5.2f|%-5s|%05d|%x|%r' % (s, i, f, 'a', i, 255, 'q') }}",
    { text: "Hello World 7  2.50|a    |00007|ff|'q'" },
  ],
  [
    "{{ '%(a)s-%(b)s' % d }} {{ '100%%' % () }} {{ '%s' % [1, 2] }} {{ '%+d % d' % (1, 2) }} {{ '%e %g' % (f, f) }}",
    { text: '1-[1, 2] 100% [1, 2] +1  2 2.500000e+00 2.5' },
  ],
  [
    "{{ '{} {1!r}'.format(1) if false }}{{ '{0} {1!r} {a:>5} {b[0]:05.1f}'.format(1, 'x', a='y', b=l) }} {{ '{:,}'.format(1234567) }} {{ '{{}}'.format() }}",
    { text: "1 'x'     y 001.0 1,234,567 {}" },
  ],
  [
    "{{ 'a,b,,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a b c'.split(' ', 1) }} {{ 'a b c'.rsplit(' ', 1) }} {{ 'a\\nb\\r\\nc\\n'.splitlines() }}",
    { text: "['a', 'b', '', 'c'] ['a', 'b'] ['a', 'b c'] ['a b', 'c'] ['a', 'b', 'c']" },
  ],
  [
    "{{ 'xxaxx'.strip('x') }} {{ '  a '.lstrip() }}| {{ 'a.b.c'.partition('.') }} {{ 'a.b.c'.rpartition('.') }} {{ 'abc'.removeprefix('a') }} {{ 'abc'.removesuffix('c') }}",
    { text: "a a | ('a', '.', 'b.c') ('a.b', '.', 'c') bc ab" },
  ],
  [
    "{{ 'hello wORLD'.title() }} {{ 'hello wORLD'.capitalize() }} {{ 'aB'.swapcase() }} {{ 'ß'.upper() }} {{ \"they're bill's\"|title }} {{ \"they're\".title() }}",
    { text: "Hello World Hello world Ab SS They're Bill's They'Re" },
  ],
  [
    "{{ 'abc'.isalpha() }} {{ '12'.isdigit() }} {{ 'aB'.islower() }} {{ ''.isspace() }} {{ '7'.zfill(3) }} {{ '-7'.zfill(4) }} {{ 'a'.center(4, '*') }} {{ 'a'.ljust(3) }}| {{ 'a'.rjust(3) }}",
    { text: 'True True False False 007 -007 *a** a  |   a' },
  ],
  [
    "{{ 'aXbXc'.replace('X', '-', 1) }} {{ 'abc'.replace('', '.') }} {{ 'banana'.count('an') }} {{ 'banana'.find('n', 3) }} {{ 'banana'.index('n') }} {{ 'abc'.startswith(('x', 'a')) }} {{ ', '.join(['a', 'b']) }}",
    { text: 'a-bXc .a.b.c. 2 4 2 True a, b' },
  ],
  [
    "{{ ms|map(attribute='role')|list }} {{ ms|selectattr('k', 'gt', 2)|map(attribute='content')|join }} {{ ms|rejectattr('role', 'equalto', 'user')|list|length }} {{ l|select('odd')|list }} {{ l|reject('in', [1])|list }} {{ ms|sum(attribute='k') }}",
    { text: "['user', 'assistant'] hi 1 [1, 3] [2, 3] 4" },
  ],
  [
    "{{ ms|groupby('role') }} {{ ms|sort(attribute='k')|map(attribute='k')|list }} {{ ['b', 'A', 'c']|sort }} {{ ['b', 'A', 'c']|sort(case_sensitive=true, reverse=true) }} {{ ['a', 'A', 'b']|unique|list }} {{ [3, 1]|max }} {{ []|max }}|",
    {
      text: "[('assistant', [{'role': 'assistant', 'content': 'yo', 'k': 1}]), ('user', [{'role': 'user', 'content': 'hi', 'k': 3}])] [1, 3] ['A', 'b', 'c'] ['c', 'b', 'A'] ['a', 'b'] 3 |",
    },
  ],
  [
    "{{ l|first }} {{ l|last }} {{ []|first }}| {{ l|reverse|list }} {{ 'abc'|reverse }} {{ l|batch(2, 0)|list }} {{ l|slice(2)|list }} {{ l|join(', ') }} {{ l|sum }}",
    { text: '1 3 | [3, 2, 1] cba [[1, 2], [3, 0]] [[1, 2], [3]] 1, 2, 3 6' },
  ],
  [
    "{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 2.1|round(0, 'ceil') }} {{ 7|round }} {{ '42'|int }} {{ 'x'|int(9) }} {{ '0x1F'|int(0, 16) }} {{ '3.9'|int }} {{ '1e3'|float }} {{ -3|abs }} {{ 1000000|filesizeformat }}",
    { text: '2.0 4.0 2.67 3.0 7 42 9 31 3 1000.0 3 1.0 MB' },
  ],
  [
    "{{ 'a b c d'|truncate(3, true) }} {{ 'foo bar baz qux'|truncate(9) }} {{ 'a\\nb\\n\\nc'|indent(2) }}|{{ 'a\\nb'|indent(2, true) }} {{ 'one two three'|wordwrap(7) }} {{ 'a b'|wordcount }}",
    { text: 'a b c d foo... a\n  b\n\n  c|  a\n  b one two\nthree 2' },
  ],
  [
    "{{ '<a href=\"x\">&'|e }} {{ '<b>'|e ~ '<i>' }} {{ ('<b>'|safe) + '<i>' }} {{ '<p>a  <b>b</b></p>'|striptags }} {{ 'a b&c/d'|urlencode }} {{ {'a': 1, 'b': 'x y'}|urlencode }} {{ {'a': 1, 'b': none}|xmlattr }}",
    {
      text: '&lt;a href=&#34;x&#34;&gt;&amp; &lt;b&gt;<i> <b>&lt;i&gt; a b a%20b%26c/d a=1&b=x+y  a="1"',
    },
  ],
  [
    "{{ d|tojson }} {{ [1.0, 'é', \"<'>\", none]|tojson }} {{ d|tojson(indent=2) }} {{ {'b': 1, 'a': [1, {}]}|tojson(separators=(',', ':'), sort_keys=true) }} {{ 'é😀'|tojson(ensure_ascii=true) }} {{ {1: 2, none: 3, true: 4}|tojson }} {{ []|tojson(indent=4) }}",
    {
      text: '{"a": 1, "b": [1, 2], "x": null} [1.0, "é", "<\'>", null] {\n  "a": 1,\n  "b": [\n    1,\n    2\n  ],\n  "x": null\n} {"a":[1,{}],"b":1} "\\u00e9\\ud83d\\ude00" {"1": 4, "null": 3} []',
    },
  ],
  [
    "{{ undef is defined }} {{ n is none }} {{ 1 is integer }} {{ 1.0 is float }} {{ true is integer }} {{ true is number }} {{ s is string }} {{ d is mapping }} {{ l is sequence }} {{ 5 is divisibleby 5 }} {{ 1 is odd }} {{ s is not upper }} {{ 3 is in l }} {{ s is sameas s }} {{ 1 is eq 1.0 }} {{ d.keys is callable }} {{ l is iterable }} {{ 'tojson' is filter }}",
    {
      text: 'False True True True False True True True True True True True True True True True True True',
    },
  ],
  [
    "{{ 'yes' if undef else 'no' }} {{ 'yes' if undef }}| {{ undef or 'x' }} {{ n and 1 }} {{ not undef }} {{ 0 or [] or 'z' }} {{ undef|default('d') }} {{ ''|d('e', true) }} {{ n|default('f') }}",
    { text: 'no | x None True z d e None' },
  ],
  [
    "{% for x in l %}{{ loop.index }}/{{ loop.length }}{{ ',' if not loop.last }}{{ loop.previtem }}{{ loop.nextitem }}{% else %}none{% endfor %}",
    { text: '1/3,22/3,133/32' },
  ],
  [
    "{% for x in [] %}a{% else %}empty{% endfor %} {% for x in undef %}a{% else %}undef{% endfor %} {% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %} {% for c in 'añ😀' %}[{{ c }}]{% endfor %}",
    { text: 'empty undef a=1;b=[1, 2];x=None; [a][ñ][😀]' },
  ],
  [
    '{% for x in range(10) if x is odd %}{% if x == 7 %}{% break %}{% endif %}{% if x == 3 %}{% continue %}{% endif %}{{ x }}{% endfor %}',
    { text: '15' },
  ],
  [
    '{% for x in [1, [2, [3]]] recursive %}{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}@{{ loop.depth }}{% endif %}{% endfor %}',
    { text: '1@1(2@2(3@3))' },
  ],
  [
    "{% for x in l %}{{ loop.cycle('a', 'b') }}{{ loop.changed(x // 2) }}{{ loop.revindex }}{% endfor %}",
    { text: 'aTrue3bTrue2aFalse1' },
  ],
  [
    '{% set x = 1 %}{% for i in l %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}',
    { text: '2341' },
  ],
  [
    '{% set ns = namespace(n=0) %}{% for i in l %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }} {{ ns }}',
    { text: "6 <Namespace {'n': 6}>" },
  ],
  [
    '{% if true %}{% set y = 1 %}{% endif %}{{ y }}{% for i in l %}{% if loop.first %}{% set z = i %}{% endif %}{{ z }}{% endfor %}{{ z }}',
    { text: '11' },
  ],
  [
    '{% macro m(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1) }} {{ m(1, 3, 4, 5, z=6) }} {{ m(b=1, a=0) }} {{ m }} {{ m.name }} {{ m.arguments }}',
    { text: "121(){} 134(5,){'z': 6} 010(){} <Macro 'm'> m ('a', 'b', 'c')" },
  ],
  [
    '{% macro w(x) %}<{{ caller(x) }}>{% endmacro %}{% call(v) w(5) %}v={{ v }}{% endcall %}',
    { text: '<v=5>' },
  ],
  [
    '{% set t2 %}a{{ i }}b{% endset %}[{{ t2 }}] {% set u | upper %}abc{% endset %}{{ u }} {% filter upper %}x{{ i }}{% endfilter %} {% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}',
    { text: '[a7b] ABC X7 3' },
  ],
  [
    '{% generation %}{{ s }}{% set inner = 1 %}{% endgeneration %}{{ inner }}',
    { text: 'Hello World' },
  ],
  [
    '{% raw %}{{ x }}{% endraw %} {# gone #}|{% set a, c = (1, 2) %}{{ a }}{{ c }}',
    { text: '{{ x }} |12' },
  ],
  [
    "{{ range(5)|list }} {{ range(1, 10, 3)|list }} {{ range(5, 0, -2)|list }} {{ range(3) }} {{ dict(a=1) }} {{ dict([('x', 1)]) }} {{ lipsum is callable }}",
    { text: "[0, 1, 2, 3, 4] [1, 4, 7] [5, 3, 1] range(0, 3) {'a': 1} {'x': 1} True" },
  ],
  [
    "{% set cy = cycler('a', 'b') %}{{ cy.next() }}{{ cy.next() }}{{ cy.next() }}{{ cy.current }} {% set j = joiner('; ') %}{{ j() }}x{{ j() }}y",
    { text: 'abab x; y' },
  ],
  ['{%- if true -%}   trimmed   {%- endif -%} end', { text: 'trimmedend' }],
  [
    '  {% if true %}\n  kept\n  {% endif %}\nline {{ 1 -}}   \n   next\n    {%+ if true %}plus{% endif +%}\nafter\n',
    { text: '  kept\nline 1next\n    plus\nafter' },
  ],
  [
    '{{ "a" "b" }} {{ \'it\\\'s\' }} {{ "tab\\tx\\x41\\u00e9" }} {{ 1_000 }} {{ 0x10 }} {{ 0b11 }} {{ 1.5e3 }}',
    { text: "ab it's tab\txAé 1000 16 3 1500.0" },
  ],
  [
    "{{ strftime_now('%Y-%m-%d %d %b %B %A %a %j %H:%M:%S %p %y %-d %e %U %%') }}",
    { text: '2026-11-21 21 Nov November Saturday Sat 325 00:00:00 AM 26 21 21 46 %' },
  ],
  [
    '{% block one %}in {{ s }}{% endblock %} {{ s.upper().lower()|upper|lower }} {{ -l|length }} {{ -3|abs }} {{ (1, 2)[0] }} {{ l.0 }}',
    { error: "TypeError: bad operand type for unary -: 'list'" },
  ],
  ["{{ raise_exception('no way: ' ~ s) }}", { error: 'TemplateError: no way: Hello World' }],
  ['{{ undef.x }}', { error: "UndefinedError: 'undef' is undefined" }],
  ['{{ n.x.y }}', { error: "UndefinedError: 'None' has no attribute 'x'" }],
  ['{{ n + 1 }}', { error: "TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'" }],
  ["{{ 'a' + 1 }}", { error: 'TypeError: can only concatenate str (not "int") to str' }],
  ["{{ l + 'a' }}", { error: 'TypeError: can only concatenate list (not "str") to list' }],
  ["{{ undef + 'a' }}", { error: "UndefinedError: 'undef' is undefined" }],
  ['{{ 1 / 0 }} ', { error: 'ZeroDivisionError: division by zero' }],
  ['{{ {}[[]] }}|{{ {[]: 1} }}', { error: "TypeError: unhashable type: 'list'" }],
  [
    '{{ l.append(4) }}',
    { error: "SecurityError: access to attribute 'append' of 'list' object is unsafe." },
  ],
  [
    '{{ d.update({}) }}',
    { error: "SecurityError: access to attribute 'update' of 'dict' object is unsafe." },
  ],
  [
    '{{ d.__class__ }}|{{ s.__init__.__globals__ }}',
    { error: "SecurityError: access to attribute '__init__' of 'str' object is unsafe." },
  ],
  ['{{ undef() }}', { error: "UndefinedError: 'undef' is undefined" }],
  ['{{ 5() }}', { error: "TypeError: 'int' object is not callable" }],
  ["{{ 1 < 'a' }}", { error: "TypeError: '<' not supported between instances of 'int' and 'str'" }],
  ['{{ 1 in 5 }}', { error: "TypeError: argument of type 'int' is not iterable" }],
  ['{{ 5|items|list }}', { error: 'TypeError: Can only get item pairs from a mapping.' }],
  [
    '{{ d.items()|tojson }}',
    { error: 'TypeError: Object of type dict_items is not JSON serializable' },
  ],
  [
    "{{ (l|map('string'))|tojson }}",
    { error: 'TypeError: Object of type generator is not JSON serializable' },
  ],
  ['{{ undef|tojson }}', { error: 'TypeError: Object of type Undefined is not JSON serializable' }],
  ['{% for x in 5 %}{% endfor %}', { error: "TypeError: 'int' object is not iterable" }],
  [
    '{% for a, b in [1] %}{% endfor %}',
    { error: 'TypeError: cannot unpack non-iterable int object' },
  ],
  [
    '{% for a, b in [[1, 2, 3]] %}{% endfor %}',
    { error: 'ValueError: too many values to unpack (expected 2)' },
  ],
  [
    '{% set n.x = 1 %}',
    { error: 'TemplateRuntimeError: cannot assign attribute on non-namespace object' },
  ],
  ['{{ x|nofilter }}', { error: "TemplateAssertionError: No filter named 'nofilter'." }],
  ['{% if false %}{{ x|nofilter }}{% endif %}ok', { text: 'ok' }],
  ['{{ x is notest }}', { error: "TemplateAssertionError: No test named 'notest'." }],
  [
    '{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}',
    { error: "TypeError: macro 'm' takes not more than 1 argument(s)" },
  ],
  [
    '{% macro m(a) %}{{ a.b }}{% endmacro %}{{ m() }}|{{ m(z=1) }}',
    { error: "UndefinedError: parameter 'a' was not provided" },
  ],
  ["{{ '%d' % 'x' }}", { error: 'TypeError: %d format: a real number is required, not str' }],
  ["{{ '%s %s' % (1,) }}", { error: 'TypeError: not enough arguments for format string' }],
  [
    "{{ '%s' % (1, 2) }}",
    { error: 'TypeError: not all arguments converted during string formatting' },
  ],
  [
    "{{ ','.join([1]) }}",
    { error: 'TypeError: sequence item 0: expected str instance, int found' },
  ],
  ["{{ 'abc'.index('z') }}", { error: 'ValueError: substring not found' }],
  ["{{ ''.split('') }}", { error: 'ValueError: empty separator' }],
  ['{{ l|first.x }}', { error: "TemplateAssertionError: No filter named 'first.x'." }],
  [
    '{{ range(1000000) }}',
    {
      error:
        'OverflowError: Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).',
    },
  ],
  ['{{ n|length }}', { error: "TypeError: object of type 'NoneType' has no len()" }],
  ['{{ n|list }}', { error: "TypeError: 'NoneType' object is not iterable" }],
  [
    '{% if %}x{% endif %}',
    { error: "TemplateSyntaxError: Expected an expression, got 'end of statement block'" },
  ],
  ['{% endfor %}', { error: "TemplateSyntaxError: Encountered unknown tag 'endfor'." }],
  [
    '{{ 1 2 }}',
    { error: "TemplateSyntaxError: expected token 'end of print statement', got 'integer'" },
  ],
  [
    '{% for x in l %}',
    {
      error:
        "TemplateSyntaxError: Unexpected end of template. Jinja was looking for the following tags: 'endfor' or 'else'. The innermost block that needs to be closed is 'for'.",
    },
  ],
  ["{{ 'open }}", { error: 'TemplateSyntaxError: unexpected char' }],
  ['{% unknown %}', { error: "TemplateSyntaxError: Encountered unknown tag 'unknown'." }],
  ['{{ (1 }}', { error: "TemplateSyntaxError: unexpected '}', expected ')'" }],
];
