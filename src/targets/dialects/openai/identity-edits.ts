/** What every answer and chunk of an upstream gets of ours: its ID, the model's name, the episode. */

import type { Identity } from '../../target.ts';

export function identityEdits({ id, model, episodeId }: Identity): Map<string, string | null> {
  const edits = new Map<string, string | null>([
    ['id', JSON.stringify(id)],
    ['model', JSON.stringify(model)],
  ]);
  return episodeId === null ? edits : edits.set('episode_id', JSON.stringify(episodeId));
}
