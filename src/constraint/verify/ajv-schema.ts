/**
 * A schema in the form that Ajv gets: its own keywords in its own dialect, but references led to where
 * they lead, and nothing that Ajv reads differently than the standard does (`$async`, `nullable`,
 * identifiers, formats that are annotations, siblings of `$ref` in old drafts).
 */

import type { JsonValue } from '../json/json-value.ts';
import { membersOf } from '../json/members.ts';
import { readJson } from '../json/read-json.ts';
import { writeJson } from '../json/write-json.ts';
import { childrenOf } from '../json-schema/read/dialect.ts';
import type { Dialect } from '../json-schema/read/dialect.ts';
import { outerScope } from '../json-schema/read/dynamic-scope.ts';
import type { DynamicScope } from '../json-schema/read/dynamic-scope.ts';
import { findTarget, referenceKeywords } from '../json-schema/read/find-target.ts';
import { SchemaDocuments } from '../json-schema/read/schema-documents.ts';
import type { Place } from '../json-schema/read/schema-documents.ts';
import { SchemaKeywords } from '../json-schema/read/schema-keywords.ts';
import { formatPatterns } from '../regex/formats.ts';

export type PlainSchema = boolean | { [keyword: string]: unknown };

export interface AjvSchema {
  readonly draft: Dialect['draft'];
  readonly schema: PlainSchema;
}

/** Throws `invalid_constraint` as `readSchema` does. */
export function toAjvSchema(text: string): AjvSchema {
  const documents = new SchemaDocuments(readJson(text));
  return { draft: documents.root.dialect.draft, schema: new Emitter(documents).root() };
}

const references: ReadonlySet<string> = new Set(referenceKeywords);

class Emitter {
  readonly #documents: SchemaDocuments;
  readonly #names = new Map<JsonValue, Map<string, string>>();
  readonly #pending: { name: string; place: Place; scope: DynamicScope }[] = [];

  constructor(documents: SchemaDocuments) {
    this.#documents = documents;
  }

  root(): PlainSchema {
    const { root } = this.#documents;
    const first = this.#refer(root, outerScope);
    const definitions: Record<string, PlainSchema> = {};
    // It grows while it is gone through.
    for (const { name, place, scope } of this.#pending) {
      definitions[name] = this.#schema(place, scope);
    }
    return { ...first, definitions };
  }

  #refer(place: Place, outer: DynamicScope): { $ref: string } {
    const scope = outer.enter(place.base, this.#documents);
    const names = this.#names.get(place.value) ?? new Map<string, string>();
    this.#names.set(place.value, names);
    let name = names.get(scope.key);
    if (name === undefined) {
      name = `s${this.#pending.length}`;
      names.set(scope.key, name);
      this.#pending.push({ name, place, scope });
    }
    return { $ref: `#/definitions/${name}` };
  }

  #schema(place: Place, scope: DynamicScope): PlainSchema {
    if (place.value.type === 'boolean') return place.value.value;
    const keywords = new SchemaKeywords(place);
    const target = (name: string): { $ref: string } =>
      this.#refer(findTarget(this.#documents, keywords, name, scope), scope);
    if (place.dialect.draft <= 7 && keywords.has('$ref')) return target('$ref');
    const made: { [keyword: string]: unknown } = {};
    const applied: PlainSchema[] = [];
    for (const name of keywords.names()) {
      const value = keywords.get(name);
      if (value === null || name === 'definitions' || name === '$defs') continue;
      if (references.has(name)) applied.push(target(name));
      else made[name] = this.#value(place, scope, name);
    }
    if (applied.length > 0) made['allOf'] = [...((made['allOf'] as unknown[]) ?? []), ...applied];
    return adapt(made, place.dialect);
  }

  /** A keyword's value, with the schemas in it. */
  #value(place: Place, scope: DynamicScope, keyword: string): unknown {
    const value = membersOf(place.value).get(keyword) as JsonValue;
    const below = (step?: string | number): PlainSchema => {
      const child = this.#documents.child(place, keyword, step) as Place;
      return this.#schema(child, scope.enter(child.base, this.#documents));
    };
    const children = childrenOf(place.dialect, keyword);
    if (children === null || children === 'none') return toPlain(value);
    if (value.type === 'array') return value.items.map((_, index) => below(index));
    if (children === 'schema' || children === 'schema or list') return below();
    return Object.fromEntries(
      [...membersOf(value)].map(([name, one]) => [
        name,
        children === 'dependencies' && one.type === 'array' ? toPlain(one) : below(name),
      ]),
    );
  }
}

/** Without what Ajv would take for something else; old spellings in new words where none is declared. */
function adapt(schema: { [keyword: string]: unknown }, dialect: Dialect): PlainSchema {
  const made = { ...schema };
  const { format } = made;
  if (format !== 'uri-template' && !Object.hasOwn(formatPatterns, String(format))) {
    delete made['format'];
  }
  if (!dialect.mixed) return made;
  if (Array.isArray(made['items'])) {
    made['prefixItems'] = made['items'];
    delete made['items'];
    if ('additionalItems' in made) made['items'] = made['additionalItems'];
  }
  delete made['additionalItems'];
  for (const side of ['minimum', 'maximum']) {
    const name = side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
    if (typeof made[name] !== 'boolean') continue;
    const isExclusive = made[name];
    delete made[name];
    if (!isExclusive || !(side in made)) continue;
    made[name] = made[side];
    delete made[side];
  }
  return made;
}

/** As JSON.parse reads it. */
export const toPlain = (value: JsonValue): unknown => JSON.parse(writeJson(value));
