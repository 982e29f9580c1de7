/**
 * What a family of tool-call formats is: data that the parser reads by and the constraint is written from.
 * The families themselves are in `formats/`. Where a text is a pattern, `pattern.ts` says what that is.
 */

/** How the arguments of a call are written. */
export type BodyKind =
  /** A JSON object that has the name, the arguments and perhaps an id in it. */
  | { readonly kind: 'object'; readonly fields: ObjectFields }
  /** A JSON object with one member: the name, and the arguments as its value. */
  | { readonly kind: 'keyed' }
  /** The arguments alone, as JSON. */
  | { readonly kind: 'json' }
  /** One element for each argument. */
  | { readonly kind: 'parameters'; readonly layout: ParameterLayout }
  /** `key=value, ...)` in Python. */
  | { readonly kind: 'python' }
  /** `{key:value, ...}` with bare keys, strings between quotes of the family's own. */
  | { readonly kind: 'bare-keys'; readonly quote: string };

/** How a call object is written; all spellings are read. */
export interface ObjectFields {
  readonly name: string;
  readonly arguments: string;
  /** Written before the others; null = not written. */
  readonly id: string | null;
}

export interface ParameterLayout {
  /** Before a value (pattern); has `«key»`, and `«type»` where the family tells the type. */
  readonly open: string;
  /** Behind a value; `«key»` stands for the name again. */
  readonly close: string;
  /** The value stands on lines of its own. */
  readonly lines: boolean;
  /** What `«type»` says: whether it is a string (`true`), or the JSON type. */
  readonly types: 'is-string' | 'json-type' | null;
  /** Objects and arrays are nested elements, each tag behind this prefix; null = they are JSON. */
  readonly nested: string | null;
  /** Strings may stand in `<![CDATA[...]]>`. */
  readonly cdata: boolean;
  /** Between two parameters. */
  readonly between: string;
}

/** One way to write a call. Patterns; `also`: what is read besides what is written. */
export interface CallForm {
  /** Up to the arguments. */
  readonly head: string;
  readonly alsoHeads: readonly string[];
  readonly body: BodyKind;
  /** Behind the arguments; empty for nothing. */
  readonly tail: string;
  readonly alsoTails: readonly string[];
  /** Read where no group is open, inside one, or in both places. */
  readonly place: 'alone' | 'group' | 'both';
  /** Read only at the beginning of the answer, and after another call. */
  readonly atStart: boolean;
}

export interface CallGroup {
  readonly open: string;
  readonly alsoOpen: readonly string[];
  readonly close: string;
  readonly alsoClose: readonly string[];
  readonly atStart: boolean;
}

/** Free text where it is marked, or known by how it begins; families without this have tags in free text. */
export interface MarkedText {
  readonly lead: string;
  readonly tail: string;
  /** Regex of the text; null = any. */
  readonly pattern: string | null;
}

export interface ToolFormat {
  /** Around the calls of one answer; null where each call stands alone. */
  readonly group: CallGroup | null;
  /** The first is the one that is written; the last is the first to be tried when reading. */
  readonly forms: readonly CallForm[];
  /** Between two calls. */
  readonly between: string;
  /** Whether one answer may have several. */
  readonly several: boolean;
  /** Patterns that are dropped wherever they occur, and at the beginning only: marks of free text. */
  readonly noise: readonly string[];
  readonly noiseAtStart: readonly string[];
  /** Before the first call where the answer has no text. */
  readonly callLead: string;
  readonly marked: MarkedText | null;
  /** Regex of an id; null = the index of the call. */
  readonly idPattern: string | null;
}

const formDefaults = {
  alsoHeads: [],
  tail: '',
  alsoTails: [],
  place: 'alone',
  atStart: false,
} as const;

export type FormData = Pick<CallForm, 'head' | 'body'> & Partial<CallForm>;
export type GroupData = Pick<CallGroup, 'open' | 'close'> & Partial<CallGroup>;

export interface FormatData extends Partial<Omit<ToolFormat, 'forms' | 'group'>> {
  readonly group?: GroupData;
  readonly forms: readonly FormData[];
}

/** Fills in what a family does not say: a form stands alone, or in the group where there is one. */
export function toolFormat(data: FormatData): ToolFormat {
  const place = data.group === undefined ? 'alone' : 'group';
  return {
    between: '\n',
    several: true,
    noise: [],
    noiseAtStart: [],
    callLead: '',
    marked: null,
    idPattern: null,
    ...data,
    group:
      data.group === undefined
        ? null
        : { alsoOpen: [], alsoClose: [], atStart: false, ...data.group },
    forms: data.forms.map((form) => ({ ...formDefaults, place, ...form })),
  };
}

const layoutDefaults = {
  lines: false,
  types: null,
  nested: null,
  cdata: false,
  between: '\n',
} as const;

/** The body of a call with one element for each argument. */
export function parameterBody(
  layout: Pick<ParameterLayout, 'open' | 'close'> & Partial<ParameterLayout>,
): BodyKind {
  return { kind: 'parameters', layout: { ...layoutDefaults, ...layout } };
}

/** The body of a call that is one JSON object. */
export function objectBody(name = 'name', args = 'arguments', id: string | null = null): BodyKind {
  return { kind: 'object', fields: { name, arguments: args, id } };
}
