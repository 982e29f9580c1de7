/**
 * The schemas of a request's functions as the client wrote them: spelling of numbers and order of keys count.
 * Whoever shows functions to a model, or keeps it to their schemas, asks here.
 */

import { sourceItemsAt, sourceTextAt, type ChatRequest } from '../contract/index.ts';

/** One for each tool; null where it has none. Takes one pass over the request, whatever it holds. */
export function parameterTextsOf({
  source,
  parameters,
  wire,
}: Pick<ChatRequest, 'source' | 'parameters' | 'wire'>): readonly (string | null)[] {
  if (!parameters.tools?.length) return [];
  const isOld = !wire.tools;
  const path = isOld ? ['parameters'] : ['function', 'parameters'];
  return sourceItemsAt(source, [isOld ? 'functions' : 'tools']).map((tool) =>
    sourceTextAt(tool, path),
  );
}
