/**
 * The names that `$dynamicRef` and `$recursiveRef` see: those of the outermost resource on the way to a
 * schema. Schemas are read once for each scope in which they mean something else. Immutable.
 */

import { stringOf } from './schema-documents.ts';
import type { DynamicNames, Place } from './schema-documents.ts';

/** Where the names of a resource are found. */
interface Names {
  readonly hasDynamicNames: boolean;
  dynamicNames(resource: string): DynamicNames;
}

export class DynamicScope {
  /** Equal for equal scopes. */
  readonly key: string;
  readonly #anchors: ReadonlyMap<string, Place>;
  readonly #recursive: Place | null;

  constructor(anchors: ReadonlyMap<string, Place>, recursive: Place | null) {
    this.#anchors = anchors;
    this.#recursive = recursive;
    const places = [...anchors].map(([name, place]) => `${name} ${place.base} ${place.pointer}`);
    this.key =
      anchors.size === 0 && recursive === null
        ? ''
        : JSON.stringify([recursive?.base ?? null, ...places.toSorted()]);
  }

  /** The scope inside a resource: names that are bound already stay. */
  enter(resource: string, names: Names): DynamicScope {
    if (!names.hasDynamicNames) return this;
    const { anchors, recursive } = names.dynamicNames(resource);
    const added = [...anchors].filter(([name]) => !this.#anchors.has(name));
    if (added.length === 0 && (this.#recursive !== null || recursive === null)) return this;
    return new DynamicScope(new Map([...this.#anchors, ...added]), this.#recursive ?? recursive);
  }

  /** What `$dynamicRef` means, when it would mean `found` as a `$ref`. */
  anchor(reference: string, found: Place): Place {
    const name = reference.split('#')[1] ?? '';
    if (stringOf(found.value, '$dynamicAnchor') !== name) return found;
    return this.#anchors.get(name) ?? found;
  }

  /** What `$recursiveRef` means, when it would mean `found` as a `$ref`. */
  recursive(found: Place, names: Names): Place {
    const own = names.dynamicNames(found.base).recursive;
    return own === null ? found : (this.#recursive ?? found);
  }
}

export const outerScope = new DynamicScope(new Map(), null);
