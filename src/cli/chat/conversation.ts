/**
 * A conversation in the terminal as a pure state machine: what was typed and what came from the
 * server go in, what is to be written, asked or stopped comes out. The terminal and the connection
 * are `run-conversation.ts`.
 */

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export type ChatEvent =
  /** What was typed, without its line end. */
  | { readonly type: 'line'; readonly text: string }
  /** Ctrl-C. */
  | { readonly type: 'interrupt' }
  /** Ctrl-D, or the input's end. */
  | { readonly type: 'end' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The answer is whole; `finishReason` as the server says it. */
  | { readonly type: 'finished'; readonly finishReason: string | null }
  /** The request was aborted, and its connection is closed. */
  | { readonly type: 'aborted' }
  | { readonly type: 'failed'; readonly message: string };

export type Tone = 'answer' | 'reasoning' | 'notice' | 'error';

export type ChatEffect =
  | { readonly type: 'write'; readonly tone: Tone; readonly text: string }
  /** Show the prompt and read a line. */
  | { readonly type: 'read' }
  | { readonly type: 'ask'; readonly messages: readonly ChatMessage[] }
  | { readonly type: 'abort' }
  | { readonly type: 'exit' };

export interface Conversation {
  readonly system: string | null;
  /** Without the system message. */
  readonly messages: readonly ChatMessage[];
  readonly phase: 'reading' | 'answering' | 'stopping' | 'over';
  /** Of the answer that is coming. */
  readonly answer: string;
  /** Whether the last thing at the prompt was a Ctrl-C. */
  readonly warned: boolean;
}

export interface Step {
  readonly state: Conversation;
  readonly effects: readonly ChatEffect[];
}

const chatHelp = `  /help         this
  /system TEXT  give the model a system message (without TEXT: remove it)
  /reset        forget the conversation
  /exit         leave (Ctrl-D and two Ctrl-C do, too)
  Ctrl-C stops an answer. A line that ends with \\ goes on in the next one.
`;

/** The state at the beginning; the first effect is to read. */
export function beginConversation(system: string | null): Step {
  return {
    state: { system, messages: [], phase: 'reading', answer: '', warned: false },
    effects: [{ type: 'read' }],
  };
}

/** Takes one event. Events that mean nothing in the present phase change nothing. */
export function stepConversation(state: Conversation, event: ChatEvent): Step {
  switch (state.phase) {
    case 'reading':
      return stepReading(state, event);
    case 'answering':
    case 'stopping':
      return stepAnswering(state, event);
    case 'over':
      return { state, effects: [] };
  }
}

function stepReading(state: Conversation, event: ChatEvent): Step {
  if (event.type === 'line') return takeLine({ ...state, warned: false }, event.text);
  if (event.type === 'end' || (event.type === 'interrupt' && state.warned)) return leave(state);
  if (event.type === 'interrupt') {
    return readAgain({ ...state, warned: true }, 'Ctrl-C again, or Ctrl-D, to leave.\n');
  }
  return { state, effects: [] };
}

function takeLine(state: Conversation, line: string): Step {
  const text = line.trim();
  if (text === '') return readAgain(state);
  if (text.startsWith('/')) return obey(state, text);
  const messages: ChatMessage[] = [...state.messages, { role: 'user', content: text }];
  const system: ChatMessage[] =
    state.system === null ? [] : [{ role: 'system', content: state.system }];
  return {
    state: { ...state, messages, phase: 'answering', answer: '' },
    effects: [{ type: 'ask', messages: [...system, ...messages] }],
  };
}

function obey(state: Conversation, line: string): Step {
  const [, command = '', rest = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  switch (command) {
    case 'help':
    case '?':
      return readAgain(state, chatHelp);
    case 'exit':
    case 'quit':
      return leave(state);
    case 'reset':
      return readAgain({ ...state, messages: [] }, 'The conversation begins anew.\n');
    case 'system': {
      const system = rest === '' ? null : rest;
      return readAgain(
        { ...state, system },
        system === null ? 'No system message.\n' : 'The system message is set.\n',
      );
    }
    default:
      return readAgain(state, `There is no /${command}; /help lists what there is.\n`);
  }
}

function stepAnswering(state: Conversation, event: ChatEvent): Step {
  switch (event.type) {
    case 'text':
      return {
        state: { ...state, answer: state.answer + event.text },
        effects: [{ type: 'write', tone: 'answer', text: event.text }],
      };
    case 'reasoning':
      return { state, effects: [{ type: 'write', tone: 'reasoning', text: event.text }] };
    case 'interrupt':
      if (state.phase === 'stopping') return { state, effects: [] };
      return { state: { ...state, phase: 'stopping' }, effects: [{ type: 'abort' }] };
    case 'finished':
      return endAnswer(state, noteOf(event.finishReason));
    case 'aborted':
      return endAnswer(state, '[stopped]');
    case 'failed': {
      // The question is taken back, so that it can be asked again as it was.
      const messages = state.messages.slice(0, -1);
      const error = `${state.answer === '' ? '' : '\n'}${event.message}\n`;
      return {
        state: { ...state, messages, phase: 'reading', answer: '' },
        effects: [{ type: 'write', tone: 'error', text: error }, { type: 'read' }],
      };
    }
    case 'line':
    case 'end':
      return { state, effects: [] };
  }
}

/** What was said so far belongs to the conversation, also when it was stopped. */
function endAnswer(state: Conversation, note: string | null): Step {
  const messages: readonly ChatMessage[] =
    state.answer === ''
      ? state.messages.slice(0, -1)
      : [...state.messages, { role: 'assistant', content: state.answer }];
  const end: ChatEffect[] = [{ type: 'write', tone: 'answer', text: '\n' }];
  if (note !== null) end.push({ type: 'write', tone: 'notice', text: `${note}\n` });
  return {
    state: { ...state, messages, phase: 'reading', answer: '' },
    effects: [...end, { type: 'read' }],
  };
}

function noteOf(finishReason: string | null): string | null {
  if (finishReason === 'length') return '[cut off: the limit of tokens was reached]';
  if (finishReason === 'content_filter') return '[cut off by a content filter]';
  return null;
}

function readAgain(state: Conversation, notice?: string): Step {
  const said: ChatEffect[] =
    notice === undefined ? [] : [{ type: 'write', tone: 'notice', text: notice }];
  return { state, effects: [...said, { type: 'read' }] };
}

function leave(state: Conversation): Step {
  return { state: { ...state, phase: 'over' }, effects: [{ type: 'exit' }] };
}
