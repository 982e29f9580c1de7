/**
 * Where schemas stand: a document, the resources inside it that have names of their own, and what a
 * reference means at a place. Follows `$id`, `id`, `$anchor`, plain-name fragments and JSON pointers.
 * It fetches nothing: what is neither in the document nor a meta-schema is not found.
 */

import { ParlanceError } from '../../../contract/errors.ts';
import type { JsonValue } from '../../json/json-value.ts';
import { membersOf } from '../../json/members.ts';
import { childrenOf, findDialect, mixedDialect } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import { findMetaSchema } from './meta-schemas.ts';

/** One schema in a document. */
export interface Place {
  readonly value: JsonValue;
  /** What relative references are resolved against; names the resource that the schema is in. */
  readonly base: string;
  /** From the root of the document, `#/definitions/a`; for messages. */
  readonly pointer: string;
  readonly dialect: Dialect;
}

/** Names that are looked up along the way of evaluation, by the resource that has them. */
export interface DynamicNames {
  /** `$dynamicAnchor`. */
  readonly anchors: ReadonlyMap<string, Place>;
  /** The resource's root, where it has `$recursiveAnchor: true`. */
  readonly recursive: Place | null;
}

const noNames: DynamicNames = { anchors: new Map(), recursive: null };
const unnamed = 'schema:/';

export function stringOf(value: JsonValue, name: string): string | null {
  const found = membersOf(value).get(name);
  return found?.type === 'string' ? found.value : null;
}

export class SchemaDocuments {
  readonly root: Place;
  readonly #resources = new Map<string, Place>();
  readonly #anchors = new Map<string, Place>();
  readonly #dynamic = new Map<string, { anchors: Map<string, Place>; recursive: Place | null }>();

  /** Throws `invalid_constraint` where `$schema` names a dialect that is not known. */
  constructor(value: JsonValue) {
    this.root = this.#add(value, unnamed, mixedDialect);
  }

  get hasDynamicNames(): boolean {
    return this.#dynamic.size > 0;
  }

  dynamicNames(resource: string): DynamicNames {
    return this.#dynamic.get(resource) ?? noNames;
  }

  /** The place that a reference means; null where there is nothing by that name. */
  resolve(reference: string, from: Place): Place | null {
    const hash = reference.indexOf('#');
    const address = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = decoded(hash < 0 ? '' : reference.slice(hash + 1));
    const resource = address === '' ? from.base : absolute(address, from.base);
    if (resource === null) return null;
    const found = this.#resources.get(resource) ?? this.#meta(resource);
    if (found === null) return null;
    if (fragment === '') return found;
    if (fragment.startsWith('/')) return this.#walk(found, fragment);
    return this.#anchors.get(`${found.base}#${fragment}`) ?? null;
  }

  /** The schema that is a member or an item of the value at a place. */
  child(place: Place, keyword: string, step?: string | number): Place | null {
    const held = membersOf(place.value).get(keyword);
    const value =
      step === undefined || held === undefined
        ? held
        : held.type === 'array'
          ? held.items[Number(step)]
          : membersOf(held).get(String(step));
    if (value === undefined) return null;
    const tail = step === undefined ? '' : `/${escaped(String(step))}`;
    return this.#place(value, place, `${place.pointer}/${escaped(keyword)}${tail}`);
  }

  #place(value: JsonValue, parent: Place, pointer: string): Place {
    return {
      value,
      base: baseOf(value, parent.base, parent.dialect),
      pointer,
      dialect: parent.dialect,
    };
  }

  /** Makes a document known: its root, and every name in it. */
  #add(value: JsonValue, address: string, otherwise: Dialect): Place {
    const declared = stringOf(value, '$schema');
    const dialect = declared === null ? otherwise : findDialect(declared);
    if (dialect === null) {
      throw new ParlanceError(
        'invalid_constraint',
        '`$schema` names a dialect that is not supported. Use draft-04, draft-06, draft-07, 2019-09 or 2020-12, or leave it out.',
        { keyword: '$schema' },
      );
    }
    const root: Place = { value, base: baseOf(value, address, dialect), pointer: '#', dialect };
    this.#resources.set(address, root);
    const pending = [root];
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      this.#name(place, place === root);
      for (const child of this.#children(place)) pending.push(child);
    }
    return root;
  }

  #children(place: Place): Place[] {
    return [...membersOf(place.value)].flatMap(([keyword, held]) => {
      const kind = childrenOf(place.dialect, keyword);
      if (kind === null || kind === 'none') return [];
      if (held.type === 'array') {
        return held.items.map((_, index) => this.child(place, keyword, index)).filter(isPlace);
      }
      if (kind === 'schema' || kind === 'schema or list') {
        return [this.child(place, keyword)].filter(isPlace);
      }
      return [...membersOf(held).keys()]
        .map((name) => this.child(place, keyword, name))
        .filter(isPlace);
    });
  }

  #name(place: Place, isRoot: boolean): void {
    const { value, base, dialect } = place;
    const id = idOf(value, dialect);
    if (id !== null && !id.startsWith('#')) this.#resource(place, isRoot);
    const fragment = id?.split('#')[1] ?? '';
    if (fragment !== '' && dialect.draft <= 7) this.#anchor(base, fragment, place);
    if (dialect.mixed) this.#nameByOldId(place);
    if (dialect.draft < 2019) return;
    const anchor = stringOf(value, '$anchor');
    if (anchor !== null) this.#anchor(base, anchor, place);
    const dynamicAnchor = dialect.draft === 2020 ? stringOf(value, '$dynamicAnchor') : null;
    if (dynamicAnchor !== null) {
      this.#anchor(base, dynamicAnchor, place);
      this.#dynamicNamesOf(base).anchors.set(dynamicAnchor, place);
    }
    const recursive = dialect.draft === 2019 ? membersOf(value).get('$recursiveAnchor') : undefined;
    if (recursive?.type === 'boolean' && recursive.value && (isRoot || id !== null)) {
      this.#dynamicNamesOf(base).recursive = place;
    }
  }

  #resource(place: Place, isRoot: boolean): void {
    const declared = isRoot ? null : stringOf(place.value, '$schema');
    if (declared !== null && findDialect(declared)?.draft !== place.dialect.draft) {
      throw new ParlanceError(
        'invalid_constraint',
        `\`$schema\` at ${place.pointer} changes the dialect inside a schema, which is not supported. Use one dialect.`,
        { keyword: '$schema' },
      );
    }
    if (!this.#resources.has(place.base)) this.#resources.set(place.base, place);
  }

  /** Without `$schema` an `id` may be older spelling or mean nothing: it names, but moves no base. */
  #nameByOldId(place: Place): void {
    const id = stringOf(place.value, 'id');
    if (id === null) return;
    if (id.startsWith('#')) {
      this.#anchor(place.base, id.slice(1), place);
      return;
    }
    const resource = absolute(id.split('#')[0] ?? '', place.base);
    if (resource !== null && !this.#resources.has(resource)) this.#resources.set(resource, place);
  }

  #anchor(base: string, name: string, place: Place): void {
    const key = `${base}#${name}`;
    if (!this.#anchors.has(key)) this.#anchors.set(key, place);
  }

  #dynamicNamesOf(base: string): { anchors: Map<string, Place>; recursive: Place | null } {
    const known = this.#dynamic.get(base) ?? { anchors: new Map<string, Place>(), recursive: null };
    this.#dynamic.set(base, known);
    return known;
  }

  #meta(address: string): Place | null {
    const value = findMetaSchema(address);
    return value === null ? null : this.#add(value, address, mixedDialect);
  }

  #walk(from: Place, pointer: string): Place | null {
    let place = from;
    for (const step of pointer.slice(1).split('/')) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const { value } = place;
      const next =
        value.type === 'array' && /^(0|[1-9][0-9]*)$/.test(name)
          ? value.items[Number(name)]
          : membersOf(value).get(name);
      if (next === undefined) return null;
      place = this.#place(next, place, `${place.pointer}/${step}`);
    }
    return place;
  }
}

const isPlace = (place: Place | null): place is Place => place !== null;

const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function absolute(address: string, base: string): string | null {
  const url = URL.parse(address, base);
  if (url === null) return null;
  url.hash = '';
  return url.href.replace(/#$/, '');
}

function idOf(value: JsonValue, dialect: Dialect): string | null {
  if (dialect.draft <= 7 && membersOf(value).has('$ref')) return null;
  return stringOf(value, dialect.draft === 4 ? 'id' : '$id');
}

function baseOf(value: JsonValue, outer: string, dialect: Dialect): string {
  if (value.type !== 'object') return outer;
  const id = idOf(value, dialect);
  if (id === null || id.startsWith('#')) return outer;
  return absolute(id.split('#')[0] ?? '', outer) ?? outer;
}
