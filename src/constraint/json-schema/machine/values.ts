/**
 * For each set of roots, what a value that they judge begins with: plans of strings, numbers, literals,
 * arrays and objects, each made when it is first asked for and shared by all places.
 */

import type { Budget, CharacterClass } from '../../machine.ts';
import { internClass } from '../../regex/character-class.ts';
import { compileText } from '../../regex/compile-text.ts';
import { formatPatterns } from '../../regex/formats.ts';
import type { NodeId, SchemaNode } from '../node.ts';
import { ArrayPlan } from './array-plan.ts';
import { ArrayHere } from './array-state.ts';
import { atomGroups } from './atom-groups.ts';
import { judge } from './evaluate-plan.ts';
import type { Leaf } from './leaf.ts';
import { isPlain } from './lexer.ts';
import { LiteralLeaf } from './literal.ts';
import { NumberPlan } from './number.ts';
import { NumberRange } from './number-range.ts';
import { ObjectPlan } from './object-plan.ts';
import { ObjectHere } from './object-state.ts';
import type { Blank } from './phase.ts';
import type { Composite, ValueStarts, Values } from './place.ts';
import { makePlan } from './plan.ts';
import type { Kind, Plan } from './plan.ts';
import type { SchemaNodes } from './schema-nodes.ts';
import { LengthText, ListText, RegexText, takes } from './string-machine.ts';
import type { StringMachine } from './string-machine.ts';
import { StringPlan } from './string.ts';
import { Verdicts, yes } from './truth.ts';

export class JsonValues implements Values {
  readonly verdicts: Verdicts;
  readonly ahead = { depth: 0 };
  readonly schema: SchemaNodes;
  readonly blank: Blank;
  readonly budget: Budget;
  readonly #starts = new Map<string, ValueStarts>();
  readonly #machines = new Map<string, StringMachine>();

  constructor(schema: SchemaNodes, blank: Blank) {
    this.schema = schema;
    this.blank = blank;
    this.budget = schema.budget;
    this.verdicts = new Verdicts(schema.budget);
  }

  spend(work: number, kept: number, keyword: string): void {
    this.budget.spend(work, kept, keyword);
  }

  starts(ids: readonly NodeId[], needed: readonly boolean[]): ValueStarts {
    const key = `${ids.join(',')};${needed.map(Number).join('')}`;
    const known = this.#starts.get(key);
    if (known !== undefined) return known;
    const made = new Starts(this, ids, needed);
    this.#starts.set(key, made);
    return made;
  }

  /** The machine of all that the nodes say of strings. */
  textOf(nodes: readonly SchemaNode[]): StringMachine {
    const rules = nodes.flatMap((one) => (one.string === null ? [] : [one.string]));
    const patterns = [...new Set(rules.flatMap((one) => one.patterns))];
    const formats = [...new Set(rules.flatMap((one) => one.formats))];
    const minLength = Math.max(0, ...rules.map((one) => one.minLength));
    const maxLength = Math.min(Infinity, ...rules.map((one) => one.maxLength));
    const lists = nodes.flatMap((one) => (one.values === null ? [] : [stringsOf(one)]));
    const key = JSON.stringify([patterns, formats, minLength, String(maxLength), lists]);
    const known = this.#machines.get(key);
    if (known !== undefined) return known;
    const plain = patterns.length + formats.length === 0;
    const keyword = patterns.length > 0 ? 'pattern' : 'format';
    const whole = formats.map((one) => formatPatterns[one]);
    let made: StringMachine = plain
      ? new LengthText(minLength, maxLength, this.budget, anyCharacter)
      : new RegexText(
          compileText({ patterns, whole, minLength, maxLength }, this.budget, keyword),
          anyCharacter,
        );
    const [first, ...others] = lists;
    if (first !== undefined) {
      const more = others.map((list) => new Set(list));
      const texts = first.filter(
        (text) => text.isWellFormed() && more.every((list) => list.has(text)) && takes(made, text),
      );
      made = new ListText(texts, this.budget, 'enum');
    }
    this.#machines.set(key, made);
    return made;
  }
}

const stringsOf = (node: SchemaNode): string[] =>
  (node.values ?? []).flatMap((one) => (one.type === 'string' ? [one.value] : []));

const anyCharacter: CharacterClass = internClass(new Uint8Array(128).fill(1), true);

const plainCharacter: CharacterClass = internClass(
  Uint8Array.from({ length: 128 }, (_, one) => (isPlain(one) ? 1 : 0)),
  true,
);

const meet = (a: CharacterClass, b: CharacterClass): CharacterClass =>
  internClass(
    a.ascii.map((flag, i) => flag & b.ascii[i]!),
    a.beyond && b.beyond,
  );

const literals: ReadonlyMap<number, { kind: Kind; text: string }> = new Map([
  [0x74, { kind: 'true', text: 'true' }],
  [0x66, { kind: 'false', text: 'false' }],
  [0x6e, { kind: 'null', text: 'null' }],
]);

class Starts implements ValueStarts {
  readonly ids: readonly NodeId[];
  readonly #values: JsonValues;
  readonly #needed: readonly boolean[];
  readonly #known = new Map<number, Leaf | Composite | null>();

  constructor(values: JsonValues, ids: readonly NodeId[], needed: readonly boolean[]) {
    this.#values = values;
    this.ids = ids;
    this.#needed = needed;
  }

  begin(byte: number): Leaf | Composite | null {
    const known = this.#known.get(byte);
    if (known !== undefined) return known;
    const made = this.#begin(byte);
    this.#known.set(byte, made);
    return made;
  }

  #numbers: NumberPlan | undefined;

  #begin(byte: number): Leaf | Composite | null {
    const values = this.#values;
    if (byte === 0x22) return this.#string();
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.#numbers ??= this.#number();
      return this.#numbers.begin(byte);
    }
    if (byte === 0x7b) {
      return new ObjectPlan(this.#plan('object'), values.schema, values, (plan, place) =>
        new ObjectHere(plan, place, values.blank).begin(),
      );
    }
    if (byte === 0x5b) {
      return new ArrayPlan(this.#plan('array'), values.schema, values, (plan, place) =>
        new ArrayHere(plan, place, values.blank).begin(),
      );
    }
    const literal = literals.get(byte);
    if (literal === undefined) return null;
    const plan = this.#plan(literal.kind);
    const own = new Uint8Array(plan.nodes.length).fill(yes);
    return new LiteralLeaf(literal.text.slice(1), judge(plan, own, values.verdicts));
  }

  #plan(kind: Kind): Plan {
    return makePlan(this.#values.schema, this.ids, this.#needed, kind);
  }

  #tools(plan: Plan): { verdicts: Verdicts; keyword: string; spend: Budget['spend'] } {
    const values = this.#values;
    return {
      verdicts: values.verdicts,
      keyword: plan.keyword,
      spend: (work, kept, keyword) => values.spend(work, kept, keyword),
    };
  }

  #string(): Leaf {
    const plan = this.#plan('string');
    const machines = atomGroups(plan).map((group) =>
      group === null ? null : this.#values.textOf(group),
    );
    const usual =
      machines.some((one) => one !== null) &&
      machines.every((one) => one === null || one instanceof ListText);
    const tools = { ...this.#tools(plan), plain: plainCharacter, meet };
    return new StringPlan(plan, machines, usual, tools).start;
  }

  #number(): NumberPlan {
    const plan = this.#plan('number');
    const strict = this.#values.schema.strictIntegers;
    const ranges = atomGroups(plan).map((group) =>
      group === null ? null : new NumberRange(group, strict),
    );
    return new NumberPlan(plan, ranges, this.#tools(plan));
  }
}
