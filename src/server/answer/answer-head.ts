/** What is the same in every chunk of an answer, and the names of the four shapes. */

/**
 * `chat`: messages on the chat route. `prompt`: a raw prompt on the chat route. `text`: the legacy
 * completions route.
 */
export type AnswerShape = 'chat' | 'prompt' | 'text';

export interface AnswerHead {
  readonly id: string;
  /** Whole seconds. */
  readonly created: number;
  /** As the client asked for it. */
  readonly model: string;
  readonly episodeId: string | null;
  readonly fingerprint: string;
}

const objects = {
  chat: { body: 'chat.completion', chunk: 'chat.completion.chunk' },
  prompt: { body: 'text_completion', chunk: 'text_completion.chunk' },
  text: { body: 'text_completion', chunk: 'text_completion' },
} as const;

/** The fields before `choices`, in their order on the wire. */
export function headFields(
  shape: AnswerShape,
  kind: 'body' | 'chunk',
  head: AnswerHead,
): Record<string, unknown> {
  return {
    id: head.id,
    object: objects[shape][kind],
    created: head.created,
    model: head.model,
    ...(head.episodeId === null ? {} : { episode_id: head.episodeId }),
    system_fingerprint: head.fingerprint,
    service_tier: 'default',
  };
}
