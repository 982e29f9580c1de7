/**
 * Syntax trees to languages. Anchors that stand where the text begins or ends for certain vanish here;
 * `^` elsewhere, `\b` and lookbehinds become questions to trackers, `$` elsewhere a condition on the
 * rest.
 */

import { rangesOf } from './code-points.ts';
import { refused } from './refusals.ts';
import { aheadOf, altOf, behindOf, catOf, setOf } from './syntax.ts';
import type { Syntax } from './syntax.ts';
import type { TermFactory } from './term-factory.ts';
import type { Fragment, Language } from './term.ts';

/** Whether a place is the start (or the end) of the text. */
type Certainty = 'yes' | 'no' | 'maybe';

interface Place {
  readonly start: Certainty;
  readonly end: Certainty;
}

const mostTrackers = 30;

export class LanguageBuilder {
  readonly #terms: TermFactory;
  readonly #pattern: string;
  readonly #trackerNumbers: Map<Language, number>;
  #behind = false;
  readonly #aheads = new Map<Syntax, Map<Certainty, Language>>();

  /** `trackerNumbers` is shared by all builders of one machine. */
  constructor(terms: TermFactory, pattern: string, trackerNumbers: Map<Language, number>) {
    this.#terms = terms;
    this.#pattern = pattern;
    this.#trackerNumbers = trackerNumbers;
  }

  /** Texts all of which the regex matches. */
  whole(syntax: Syntax): Language {
    const fragment = this.#fragment(syntax, { start: 'yes', end: 'yes' });
    return this.#terms.seq(fragment, this.#terms.end);
  }

  /** Texts in which the regex matches somewhere. */
  search(syntax: Syntax): Language {
    const terms = this.#terms;
    const later = (): Language =>
      terms.seq(terms.cat(terms.any, terms.anyText), this.#opening(syntax, 'no'));
    if (syntax.start) return terms.or([this.#opening(syntax, 'yes'), later()]);
    return terms.seq(terms.anyText, this.#opening(syntax, 'maybe'));
  }

  /** Texts that begin with a match. */
  #opening(syntax: Syntax, start: Certainty): Language {
    const terms = this.#terms;
    if (!syntax.end) return terms.seq(this.#fragment(syntax, { start, end: 'maybe' }), terms.all);
    const more = terms.seq(terms.any, terms.all);
    return terms.or([
      terms.seq(this.#fragment(syntax, { start, end: 'yes' }), terms.end),
      terms.seq(this.#fragment(syntax, { start, end: 'no' }), more),
    ]);
  }

  #fragment(syntax: Syntax, place: Place): Fragment {
    const terms = this.#terms;
    switch (syntax.type) {
      case 'set':
        return terms.set(syntax.ranges);
      case 'cat':
        return this.#cat(syntax.parts, place);
      case 'alt':
        return this.#alt(syntax.options, place);
      case 'repeat': {
        const inner = syntax.most === 1 ? place : inRepetition(place);
        return terms.repeat(this.#fragment(syntax.body, inner), syntax.least, syntax.most);
      }
      case 'ahead': {
        const language = this.#ahead(syntax.body, place.start);
        return terms.ahead(syntax.negative ? terms.not(language) : language);
      }
      case 'behind':
        return this.#lookbehind(syntax.body, syntax.negative);
      case 'boundary':
        return this.#boundary(syntax.word, syntax.negative, place);
      case 'start':
        return this.#start(place.start);
      case 'end':
        if (place.end === 'maybe') return terms.ahead(this.#atEnd());
        return place.end === 'yes' ? terms.empty : terms.none;
    }
  }

  #cat(parts: readonly Syntax[], place: Place): Fragment {
    const starts: Certainty[] = [];
    let start = place.start;
    for (const part of parts) {
      starts.push(start);
      start = beyond(part, start);
    }
    let end = place.end;
    let built = this.#terms.empty;
    for (let i = parts.length - 1; i >= 0; i -= 1) {
      const part = parts[i]!;
      built = this.#terms.cat(this.#fragment(part, { start: starts[i]!, end }), built);
      end = beyond(part, end);
    }
    return built;
  }

  /** Options of one character each are one set. */
  #alt(options: readonly Syntax[], place: Place): Fragment {
    const ranges = options.flatMap((option) => (option.type === 'set' ? option.ranges : []));
    const others = options.filter((option) => option.type !== 'set');
    const set = this.#terms.set(rangesOf(ranges));
    return this.#terms.alt([set, ...others.map((option) => this.#fragment(option, place))]);
  }

  /** Each lookahead is built once for each place, however often what it stands in is. */
  #ahead(body: Syntax, start: Certainty): Language {
    if (this.#behind) throw this.#notBehind();
    const known = this.#aheads.get(body) ?? new Map<Certainty, Language>();
    this.#aheads.set(body, known);
    const language = known.get(start) ?? this.#opening(body, start);
    known.set(start, language);
    return language;
  }

  #start(start: Certainty): Fragment {
    const terms = this.#terms;
    if (start !== 'maybe') return start === 'yes' ? terms.empty : terms.none;
    return this.#track(terms.seq(terms.any, terms.seq(terms.anyText, terms.end)), true);
  }

  #lookbehind(body: Syntax, negative: boolean): Fragment {
    if (this.#behind) throw this.#notBehind();
    this.#behind = true;
    const terms = this.#terms;
    const ending = (start: Certainty): Language =>
      terms.seq(this.#fragment(body, { start, end: 'maybe' }), terms.end);
    const tracked = body.start
      ? terms.or([ending('yes'), terms.seq(terms.cat(terms.any, terms.anyText), ending('no'))])
      : terms.seq(terms.anyText, ending('maybe'));
    this.#behind = false;
    return this.#track(tracked, negative);
  }

  #track(language: Language, negative: boolean): Fragment {
    const terms = this.#terms;
    let tracker = this.#trackerNumbers.get(language);
    if (tracker === undefined) {
      if (terms.trackers.length === mostTrackers) {
        throw this.#refused(`It has more than ${mostTrackers} of them.`);
      }
      tracker = terms.trackers.push(language) - 1;
      this.#trackerNumbers.set(language, tracker);
    }
    return terms.behind(tracker, negative);
  }

  #boundary(word: readonly number[], negative: boolean, place: Place): Fragment {
    const set = setOf(word);
    const before = (is: boolean): Syntax => behindOf(set, !is);
    const after = (is: boolean): Syntax => aheadOf(set, !is);
    if (place.start === 'yes') return this.#fragment(after(!negative), place);
    if (place.end === 'yes') return this.#fragment(before(!negative), place);
    const sides = [true, false].map((is) => catOf([before(is), after(is === negative)]));
    return this.#fragment(altOf(sides), place);
  }

  /** The rest of the text is empty. */
  #atEnd(): Language {
    if (this.#behind) throw this.#notBehind();
    return this.#terms.end;
  }

  #notBehind(): Error {
    return this.#refused('It may not have lookarounds, `$` or word boundaries in it.');
  }

  #refused(why: string): Error {
    const at = Math.max(0, this.#pattern.search(/\(\?<[=!]/));
    return refused({ pattern: this.#pattern, at }, 'lookbehind', why);
  }
}

/** The place behind (or before) a part that stands at such a place. */
function beyond(part: Syntax, place: Certainty): Certainty {
  if (part.flat || place === 'no') return place;
  return part.min > 0 ? 'no' : 'maybe';
}

function inRepetition(place: Place): Place {
  const inner = (one: Certainty): Certainty => (one === 'no' ? 'no' : 'maybe');
  return { start: inner(place.start), end: inner(place.end) };
}
