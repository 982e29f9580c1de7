/**
 * The door of the engine: a chat template's text to something that renders. It renders as Jinja2 does
 * in Hugging Face transformers, within limits, and everything that goes wrong is one kind of error.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { compileBody } from './compile/compile-statement.ts';
import { Frame, Scope, enterScope } from './compile/frame.ts';
import { childrenOf, type Node, type Statement } from './syntax/ast.ts';
import { parseTemplate } from './syntax/parser.ts';
import { getAttribute, getItem } from './values/attributes.ts';
import { TemplateFailure } from './values/failure.ts';
import { contextFromHost, type HostContext } from './values/from-host.ts';
import { globals } from './values/globals.ts';
import { Render, defaultLimits, type Limits } from './values/render.ts';
import { textOf } from './values/value.ts';

export type { HostContext };

export interface RenderTemplateOptions {
  /** What `strftime_now` prints: the date's local fields. The clock, if absent. */
  readonly now?: Date;
  readonly limits?: Partial<Limits>;
}

export interface JinjaTemplate {
  /**
   * @param context strings, numbers (whole ones are integers), booleans, null, BigInts, arrays, and
   *   objects or maps of them
   * @returns the text
   * @throws ParlanceError `invalid_template` when the template raises, fails or goes beyond a limit
   */
  render(context: HostContext, options?: RenderTemplateOptions): string;
  /** Whether the template has a variable, attribute or constant key of this name. */
  mentions(identifier: string): boolean;
}

const lookups = { attribute: getAttribute, item: getItem };
/** Longer templates are not compiled; the longest known has 30,000 characters. */
const maxSourceLength = 200_000;

/** @throws ParlanceError `invalid_template` with the line, when the source is no template */
export function compileTemplate(source: string): JinjaTemplate {
  const { execute, enter, size, names } = guarded(() => compile(source), null);
  return {
    render(context, options = {}) {
      let render: Render | null = null;
      return guarded(
        () => {
          render = new Render(contextFromHost(context), {
            now: options.now ?? new Date(),
            limits: { ...defaultLimits, ...options.limits },
            lookups,
            globals,
          });
          const frame = new Frame(render, null, size());
          enter?.(frame);
          execute(frame);
          return render.out;
        },
        () => render?.line ?? null,
      );
    },
    mentions: (identifier) => names.has(identifier),
  };
}

function compile(source: string) {
  if (source.length > maxSourceLength) {
    throw new TemplateFailure('LimitError', `longer than ${maxSourceLength} characters`);
  }
  const tree = parseTemplate(source);
  const scope = Scope.root(true);
  scope.symbols.analyseAll(tree);
  const execute = compileBody(tree, scope);
  return {
    execute,
    enter: enterScope(scope),
    size: () => scope.symbols.scope.size,
    names: namesIn(tree),
  };
}

/** The texts that a node takes for names: subscripts, left sides of `in`, arguments. */
function keysOf(node: Node): readonly (Node | null)[] {
  switch (node.kind) {
    case 'item':
      return [node.index];
    case 'compare':
      return [node.first];
    case 'call':
    case 'filter':
    case 'test':
      return [...node.args, ...node.kwargs.map(({ value }) => value)];
    default:
      return [];
  }
}

function namesIn(tree: readonly Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: Node): void => {
    if (node.kind === 'name' || node.kind === 'attribute' || node.kind === 'namespace') {
      names.add(node.name);
    }
    for (const key of keysOf(node)) {
      const text = key?.kind === 'constant' ? textOf(key.value) : undefined;
      if (text !== undefined) names.add(text);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  for (const node of tree) visit(node);
  return names;
}

/** Turns every failure of the work into the error that users meet. */
function guarded<T>(work: () => T, line: (() => number | null) | null): T {
  try {
    return work();
  } catch (error) {
    throw toUserError(error, line);
  }
}

/** Templates put what they were given into their errors, which may be long. */
const shortened = (message: string): string =>
  message.length > 500 ? `${message.slice(0, 500)}…` : message;

function toUserError(error: unknown, line: (() => number | null) | null): unknown {
  let failure = error;
  if (error instanceof RangeError) {
    // The host's stack or a text's greatest length: both are the template's doing.
    failure = new TemplateFailure('RecursionError', 'maximum recursion depth exceeded');
  }
  if (!(failure instanceof TemplateFailure)) return error;
  const at = failure.line ?? line?.() ?? null;
  const place = at === null ? '' : ` (line ${at})`;
  const words =
    line === null ? 'The chat template does not parse' : 'The chat template refused these messages';
  return new ParlanceError(
    'invalid_template',
    `${words}: ${failure.kind}: ${shortened(failure.message)}${place}`,
    { cause: failure },
  );
}
