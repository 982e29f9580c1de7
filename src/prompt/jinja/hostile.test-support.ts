/**
 * Templates that would take very long, fill the memory or end the process if they were let. The key
 * says what is abused; `s` is a text of a million characters.
 */

export const hostileTemplates: Readonly<Record<string, string>> = {
  nested:
    '{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}',
  nestedOut:
    '{% for a in range(99999) %}{% for b in range(99999) %}{{ b }}{% endfor %}{% endfor %}',
  loopctx:
    '{% for a in range(99999) %}{% for b in range(99999) %}{{ loop.index }}{% endfor %}{% endfor %}',
  emptyloop:
    '{% for a in range(99999) %}{% for b in range(99999) if false %}{% endfor %}{% endfor %}',
  rep: "{{ 'a'*10**9 }}",
  rep2: "{{ ('a'*10**7)*10**7 }}",
  listrep: '{{ [0]*10**9 }}',
  listrep2: '{% set x=[1]*100000 %}{% for i in range(1000) %}{% set y = x*10 %}{% endfor %}',
  macro: '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
  macro2: '{% macro m(n) %}{{ m(n+1) }}{{ m(n+1) }}{% endmacro %}{{ m(0) }}',
  macro3:
    '{% macro m(n) %}{% if n > 0 %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(60) }}',
  recloop: '{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}',
  recloop2: '{% for x in [1,2] recursive %}{{ loop([1,2]) }}{% endfor %}',
  range: '{{ range(10**12)|list }}',
  pow3: '{% set ns=namespace(x=3) %}{% for i in range(100) %}{% set ns.x = ns.x*ns.x %}{% endfor %}{{ ns.x }}',
  pow4: '{% for i in range(99999) %}{% set x = 3**60000 %}{% endfor %}',
  powmod: '{% set x=3**60000 %}{% for i in range(99999) %}{% set y = x % 7**17000 %}{% endfor %}',
  width: "{{ '%1000000000d' % 5 }}",
  width2: "{{ '%*d' % (10**9, 5) }}",
  prec: "{{ '%.1000000000f' % 0.1 }}",
  fmt: "{{ '{:1000000000}'.format(5) }}",
  fmt2: "{{ '{:{}}'.format(5, 10**9) }}",
  fmtprec: "{{ '{:.999999f}'.format(0.1) }}",
  deep: '{{ ' + '('.repeat(5000) + '1' + ')'.repeat(5000) + ' }}',
  deepl: '{{ ' + '['.repeat(100000) + ' }}',
  deepnot: '{{ ' + 'not '.repeat(100000) + '1 }}',
  deepneg: '{{ ' + '-'.repeat(100000) + '1 }}',
  chain: '{{ 1' + ' + 1'.repeat(100000) + ' }}',
  deepif: '{% if 1 %}'.repeat(5000),
  attr: '{{ a' + '.a'.repeat(100000) + ' }}',
  filt: "{{ ''" + '|e'.repeat(100000) + ' }}',
  elif: '{% if 0 %}' + '{% elif 0 %}'.repeat(20000) + '{% endif %}',
  tern: '{{ ' + '1 if 0 else '.repeat(50000) + '1 }}',
  pipeif: '{{ 1 ' + 'if 0 '.repeat(50000) + '}}',
  replace: "{% set x = 'a'*1000000 %}{{ x.replace('a','b'*1000000) }}",
  replace2:
    "{% set x = 'a'*1000000 %}{% for i in range(100000) %}{% set y = x.replace('a','b') %}{% endfor %}",
  replaceE:
    "{% set x = 'a'*1000000 %}{% for i in range(100000) %}{% set y = x.replace('','b') %}{% endfor %}",
  join: "{% set x = ('a'*1000000) %}{{ (x|list)|join(x) }}",
  join2:
    "{% set l = range(99999)|list %}{% for i in range(99999) %}{% set y = l|join(',') %}{% endfor %}",
  doubling:
    "{% set ns=namespace(x='a') %}{% for i in range(100) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
  dlist:
    '{% set ns=namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = ns.x + ns.x %}{% endfor %}',
  dag: '{% set ns=namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x,ns.x] %}{% endfor %}{{ ns.x }}',
  dagjson:
    '{% set ns=namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x,ns.x] %}{% endfor %}{{ ns.x|tojson }}',
  dageq:
    '{% set ns=namespace(x=[1],y=[1]) %}{% for i in range(100) %}{% set ns.x = [ns.x,ns.x] %}{% set ns.y = [ns.y,ns.y] %}{% endfor %}{{ ns.x == ns.y }}',
  dagtuple:
    '{% set ns=namespace(x=(1,)) %}{% for i in range(100) %}{% set ns.x = (ns.x,ns.x) %}{% endfor %}{{ {ns.x:1} }}',
  deepnest:
    '{% set ns=namespace(x=[1]) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}',
  deepjson:
    '{% set ns=namespace(x=[1]) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x|tojson(indent=2) }}',
  deepgen:
    "{% set ns=namespace(x=[1]) %}{% for i in range(99999) %}{% set ns.x = ns.x|map('upper') %}{% endfor %}{{ ns.x|list }}",
  sort: '{% set l = range(99999)|list %}{% for i in range(99999) %}{% set y = l|sort %}{% endfor %}',
  unique:
    '{% set l = range(99999)|list %}{% for i in range(9999) %}{% set y = l|unique|list %}{% endfor %}',
  tojson: '{% for i in range(99999) %}{% set y = s|tojson %}{% endfor %}',
  tojsonindent: '{{ [1]|tojson(indent=10**9) }}',
  tojsonindent2: '{{ ([1]*100000)|tojson(indent=100000) }}',
  slice: '{% for i in range(99999) %}{% set y = s[::-1] %}{% endfor %}',
  slice2: '{% for i in range(99999) %}{% set y = s[1:] %}{% endfor %}',
  inn: "{% for i in range(99999) %}{% set y = 'zq' in s %}{% endfor %}",
  upper: '{% for i in range(99999) %}{% set y = s|upper %}{% endfor %}',
  strip: "{% set x=' '*1000000 %}{% for i in range(99999) %}{% set y = x|trim %}{% endfor %}",
  strip2: "{% for i in range(99999) %}{% set y = s.strip('xyz') %}{% endfor %}",
  split: "{% for i in range(99999) %}{% set y = s.split('x') %}{% endfor %}",
  split2: "{% set x=' '*1000000 %}{% for i in range(99999) %}{% set y = x.split() %}{% endfor %}",
  splitlines:
    "{% set x='\n'*1000000 %}{% for i in range(99999) %}{% set y = x.splitlines() %}{% endfor %}",
  title: '{% for i in range(99999) %}{% set y = s|title %}{% endfor %}',
  mtitle: '{% for i in range(99999) %}{% set y = s.title() %}{% endfor %}',
  swap: '{% for i in range(99999) %}{% set y = s.swapcase() %}{% endfor %}',
  islower: '{% for i in range(99999) %}{% set y = s.islower() %}{% endfor %}',
  isalpha: '{% for i in range(99999) %}{% set y = s.isalpha() %}{% endfor %}',
  wordwrap: '{% for i in range(99999) %}{% set y = s|wordwrap(10) %}{% endfor %}',
  wordwrap2:
    "{% set x='a-'*100000 %}{% for i in range(99999) %}{% set y = x|wordwrap(10) %}{% endfor %}",
  striptags:
    "{% set x='<'*100000 %}{% for i in range(99999) %}{% set y = x|striptags %}{% endfor %}",
  wordcount: '{% for i in range(99999) %}{% set y = s|wordcount %}{% endfor %}',
  urlencode:
    "{% set x='é'*1000000 %}{% for i in range(99999) %}{% set y = x|urlencode %}{% endfor %}",
  escape: "{% set x='<'*1000000 %}{% for i in range(99999) %}{% set y = x|e %}{% endfor %}",
  truncate: '{% for i in range(99999) %}{% set y = s|truncate(500000) %}{% endfor %}',
  indent:
    "{% set x='a\n'*500000 %}{% for i in range(99999) %}{% set y = x|indent(10) %}{% endfor %}",
  indent2: "{{ 'a\nb'|indent(10**9) }}",
  center: "{{ 'a'|center(10**9) }}",
  ljust: "{{ 'a'.ljust(10**9) }}",
  zfill: "{{ 'a'.zfill(10**9) }}",
  batch: '{{ [1]|batch(10**9, 0)|list }}',
  bslice: '{{ [1]|slice(10**9)|list }}',
  intf: "{% set x='9'*4000 %}{% for i in range(99999) %}{% set y = x|int %}{% endfor %}",
  floatf: "{% set x='9'*900 %}{% for i in range(99999) %}{% set y = x|float %}{% endfor %}",
  repr: '{% set x=[s] %}{% for i in range(99999) %}{% set y = x|string %}{% endfor %}',
  astral: "{% set x='😀'*500000 %}{% for i in range(99999) %}{% set y = x[5] %}{% endfor %}",
  astrallen: "{% set x='😀'*500000 %}{% for i in range(99999) %}{% set y = x|length %}{% endfor %}",
  find: "{% for i in range(99999) %}{% set y = s.find('zz') %}{% endfor %}",
  rfind:
    "{% set x='a'*500000 %}{% for i in range(99999) %}{% set y = x.rfind('a'*1000~'b') %}{% endfor %}",
  quadfind2: "{% set x='a'*1000000 %}{% set y='b' ~ 'a'*500000 %}{{ x.rfind(y) }}",
  quadcount:
    "{% set x='ab'*500000 %}{% set y='ab'*100000 ~ 'c' %}{% for i in range(9999) %}{% set z = x.count(y) %}{% endfor %}",
  expandtabs: "{{ ('\t'*1000000).expandtabs(10**6) }}",
  fmtbr: "{{ ('{'*100000).format(1) }}",
  groupby:
    "{% set l = range(99999)|list %}{% for i in range(9999) %}{% set y = l|groupby('real') %}{% endfor %}",
  dictlit:
    '{% for i in range(99999) %}{% set d = {' +
    Array.from({ length: 500 }, (_, i) => `'k${i}':${i}`).join() +
    '} %}{% endfor %}',
  keys:
    '{% set d = {' +
    Array.from({ length: 5000 }, (_, i) => `'k${i}':${i}`).join() +
    '} %}{% for i in range(99999) %}{% for k in d %}{% endfor %}{% endfor %}',
  items:
    '{% set d = {' +
    Array.from({ length: 5000 }, (_, i) => `'k${i}':${i}`).join() +
    '} %}{% for i in range(99999) %}{% set x = d.items()|first %}{% endfor %}',
  dcopy:
    '{% set d = {' +
    Array.from({ length: 5000 }, (_, i) => `'k${i}':${i}`).join() +
    '} %}{% for i in range(99999) %}{% set x = dict(d, a=1) %}{% endfor %}',
  out: '{% for i in range(99999) %}{{ s }}{% endfor %}',
  nsout:
    "{% set ns=namespace(x='') %}{% for i in range(99999) %}{% set ns.x = ns.x ~ 'abcdefghij' %}{% set y = ns.x[0] %}{% set z = 'q' in ns.x %}{% endfor %}",
  strcmp:
    "{% set x='a'*1000000 %}{% set y='a'*1000000 %}{% for i in range(99999) %}{% set z = x == y %}{% endfor %}",
  listeq:
    '{% set x=[1]*100000 %}{% set y=[1]*100000 %}{% for i in range(99999) %}{% set z = x == y %}{% endfor %}',
  inlist: '{% set x=[1]*100000 %}{% for i in range(99999) %}{% set z = 2 in x %}{% endfor %}',
  strftime: "{{ strftime_now('%c'*100000) }}",
  strftime2:
    "{% set x='%c'*100000 %}{% for i in range(9999) %}{% set y = strftime_now(x) %}{% endfor %}",
  callargs:
    '{% macro m() %}{{ varargs|length }}{% endmacro %}{% set l=[1]*100000 %}{% for i in range(9999) %}{{ m(*l) }}{% endfor %}',
  lengthrange: '{% for i in range(99999) %}{% set y = range(99999)|sum %}{% endfor %}',
  withs:
    '{% for i in range(99999) %}{% for j in range(99999) %}{% with a=1 %}{% endwith %}{% endfor %}{% endfor %}',
  calls:
    '{% macro m() %}{% endmacro %}{% for i in range(99999) %}{% for j in range(99999) %}{{ m() }}{% endfor %}{% endfor %}',
  callblk:
    '{% macro m() %}{{ caller() }}{% endmacro %}{% for i in range(99999) %}{% for j in range(99999) %}{% call m() %}x{% endcall %}{% endfor %}{% endfor %}',
  undef:
    "{% for i in range(99999) %}{% for j in range(99999) %}{{ q.x if q else '' }}{% endfor %}{% endfor %}",
  methods:
    "{% for i in range(99999) %}{% for j in range(99999) %}{% if 'abc'.startswith('a') %}{% endif %}{% endfor %}{% endfor %}",
  percent:
    "{% for i in range(99999) %}{% for j in range(99999) %}{% set x = '%s' % 1 %}{% endfor %}{% endfor %}",
  fixed: "{% for i in range(99999) %}{% set x = '%.300f' % 1e-300 %}{% endfor %}",
  fixed2: "{% for i in range(99999) %}{% set x = '%.100000f' % 1e-300 %}{% endfor %}",
  round:
    '{% for i in range(99999) %}{% for j in range(99999) %}{% set x = 1.5|round(2) %}{% endfor %}{% endfor %}',
  sortstr:
    '{% set l = (s[:100000])|list %}{% for i in range(99) %}{% set y = l|sort %}{% endfor %}',
  sortlong: "{% set l = [s~'a', s~'b', s~'c']*1000 %}{{ l|sort|length }}",
  bigfmt: "{% set x=3**60000 %}{% for i in range(9999) %}{% set y='%x' % x %}{% endfor %}",
  bigfmt2: "{% set x=3**60000 %}{{ '{:b}'.format(x) }}{{ '%d' % x }}",
  bigdict: '{% set x=3**60000 %}{% for i in range(9999) %}{% set y={x:1} %}{% endfor %}',
  bigadd: '{% set x=3**60000 %}{% for i in range(99999) %}{% set y= x + x %}{% endfor %}',
  bigfloat: '{% set x=3**60000 %}{% for i in range(99999) %}{% set y= x > 1.5 %}{% endfor %}',
  bigneg: '{% set x=3**60000 %}{% for i in range(99999) %}{% set y= -x %}{% endfor %}',
  opens: '{{'.repeat(100000),
  opens2: '{%'.repeat(100000),
  raws: '{% raw %}'.repeat(50000),
  manytags: '{{ 1 }}'.repeat(200000),
  macrodefs: Array.from({ length: 20000 }, (_, i) => `{% macro m${i}() %}{% endmacro %}`).join(''),
  fordefs: '{% for x in y %}{% endfor %}'.repeat(20000),
  ifnest: '{% for x in y %}'.repeat(90) + '{% set a=1 %}'.repeat(1000) + '{% endfor %}'.repeat(90),
  ifsets: Array.from({ length: 5000 }, (_, i) => `{% if a %}{% set v${i}=1 %}{% endif %}`).join(''),
  numbers: '{{ ' + '9'.repeat(100000) + ' }}',
  floats: '{{ 1.' + '9'.repeat(900000) + ' }}',
  floats2: '{{ ' + '1_'.repeat(400000) + ' }}',
  spaces: '{{' + ' '.repeat(900000) + '}}',
  nls: '{% set x=1 -%}' + '\n'.repeat(900000),
  lstrip: (' '.repeat(1000) + '\n').repeat(900) + '{%- if 1 %}',
  names: '{{ ' + Array.from({ length: 100000 }, (_, i) => 'a' + i).join('~') + ' }}',
  cyc: '{% set ns=namespace() %}{% set ns.a=ns %}{{ ns }}{{ ns|tojson }}',
  cyc2: '{% set ns=namespace() %}{% set ns.a=[ns] %}{{ ns }}',
  pprint: '{% set l = [1]*100000 %}{% for i in range(99) %}{% set y = l|pprint %}{% endfor %}',
  joinmap: "{% for i in range(99999) %}{% set y = s|map('upper')|join %}{% endfor %}",
  selectattr: "{% for i in range(99999) %}{% set y = s|selectattr('a')|list %}{% endfor %}",
  sumlist: '{{ ([[1]]*100000)|sum(start=[]) }}',
  reject:
    "{{ range(99999)|map('string')|map('int')|map('string')|join|length }}{% for i in range(9999) %}{{ range(99999)|map('string')|map('int')|map('string')|join|length }}{% endfor %}",
  floatText:
    "{% set x='9'*900 ~ 'x' %}{% for i in range(99999) %}{% set y = x|float %}{% endfor %}",
};
