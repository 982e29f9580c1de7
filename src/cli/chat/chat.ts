/**
 * `parlance chat`: finds a server or starts one, and then either answers one message (an argument or
 * a pipe: the answer goes to stdout and nothing else does) or holds a conversation in the terminal.
 */

import { ParlanceError } from '../../contract/index.ts';
import { findServer, readHealth } from '../client/find-server.ts';
import { parseServerUrl, requestJson, type ServerAddress } from '../client/server-client.ts';
import { coloursFor, hasColours, type Io } from '../io.ts';
import { readOptions } from '../options.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { streamAnswer } from './answer-stream.ts';
import type { ChatMessage } from './conversation.ts';
import { startOwnServer, type OwnServer } from './own-server.ts';
import { runConversation, type Ask } from './run-conversation.ts';
import { createChatTerminal } from './terminal.ts';

export interface ChatFlags {
  readonly url?: string;
  readonly key?: string;
  readonly model?: string;
  readonly system?: string;
  readonly temperature?: string;
  readonly topP?: string;
  readonly topK?: string;
  readonly maxTokens?: string;
  readonly seed?: string;
  readonly home?: string;
}

interface Chat {
  readonly server: ServerAddress;
  readonly model: string;
  readonly system: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Runs the command; what it prints is all there is. */
export async function chat(io: Io, message: string | undefined, flags: ChatFlags): Promise<void> {
  const parameters = toParameters(flags);
  const conversing = message === undefined && io.stdin.isTTY === true;
  const text = conversing ? null : (message ?? (await readAll(io.stdin))).trim();
  if (text === '') {
    throw new ParlanceError(
      'invalid_option',
      'There is no message: the standard input was empty. Try: parlance chat "Hello"',
    );
  }
  const { server, own } = await untilInterrupted(
    async (signal) => await findOrStart(io, flags, signal),
  );
  try {
    // What a server of our own serves is what --model said; it may be called otherwise there.
    const wanted = own === null ? flags.model : undefined;
    const model = await untilInterrupted(
      async (signal) => await chooseModel(io, server, wanted, signal),
    );
    const prepared = { server, model, system: flags.system ?? null, parameters };
    if (text === null) await converse(io, prepared);
    else await answerOnce(io, prepared, text);
  } finally {
    await own?.stop();
  }
}

interface Place {
  readonly server: ServerAddress;
  /** null when the server was there before. */
  readonly own: OwnServer | null;
}

async function findOrStart(io: Io, flags: ChatFlags, signal: AbortSignal): Promise<Place> {
  const key = flags.key ?? io.env['PARLANCE_API_KEY'] ?? null;
  if (flags.url !== undefined)
    return { server: { url: parseServerUrl(flags.url), key }, own: null };
  const { home } = await readOptions(io, { home: flags.home });
  const server = await findServer(home, key);
  if (server !== null) return { server, own: null };
  const own = await startOwn(io, flags, signal);
  return { server: { url: own.url, key }, own };
}

function toParameters(flags: ChatFlags): Record<string, unknown> {
  const given = {
    temperature: toNumber('--temperature', flags.temperature),
    top_p: toNumber('--top-p', flags.topP),
    top_k: toNumber('--top-k', flags.topK),
    max_tokens: toNumber('--max-tokens', flags.maxTokens),
    seed: toNumber('--seed', flags.seed),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Ranges are the server's matter; a whole number beyond 2^53 goes there exactly. */
function toNumber(flag: string, text: string | undefined): number | bigint | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new ParlanceError('invalid_option', `${flag}: expected a number, got "${text}".`);
  }
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

async function readAll(input: Io['stdin']): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of input) text += decoder.decode(bytes as Buffer, { stream: true });
  return text + decoder.decode();
}

async function startOwn(io: Io, flags: ChatFlags, signal: AbortSignal): Promise<OwnServer> {
  const { home, model } = await readOptions(io, { home: flags.home, model: flags.model });
  if (model !== 'none') {
    const { createProgressWriter, ensureModel } = await import('../../models/index.ts');
    const progress = createProgressWriter(io.stderr);
    // Fetched here and not by the silent server, so that the wait is seen.
    await ensureModel(model, {
      home,
      env: io.env,
      signal,
      onProgress: (update) => progress.update(update),
    }).finally(() => progress.done());
  }
  return await withNotice(io, 'starting a server for this chat', async () => {
    const args = ['--host', '127.0.0.1', '--home', home, '--model', model];
    return await startOwnServer({ args, env: io.env, signal });
  });
}

/** A line on stderr while something takes its time; a terminal gets it wiped away afterwards. */
async function withNotice<T>(io: Io, text: string, work: () => Promise<T>): Promise<T> {
  const { dim } = coloursFor(io, io.stderr);
  const wipes = hasColours(io, io.stderr);
  io.stderr.write(`${dim(`parlance: ${text} …`)}${wipes ? '' : '\n'}`);
  try {
    return await work();
  } finally {
    if (wipes) io.stderr.write('\r\u001B[K');
  }
}

const pollMs = 300;

async function chooseModel(
  io: Io,
  server: ServerAddress,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if ((await readHealth(server.url)) === 'starting') {
    await withNotice(io, 'waiting for the model', async () => {
      while ((await readHealth(server.url)) === 'starting') {
        signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    });
  }
  if (wanted !== undefined) return wanted;
  const body = await requestJson(server, { path: '/v1/models', signal });
  const first = (body as { data?: readonly { id?: unknown }[] } | null)?.data?.[0]?.id;
  if (typeof first === 'string') return first;
  throw new ParlanceError(
    'unknown_model',
    `The server at ${server.url} has no model yet. Make one: parlance deploy NAME --model smollm2-135m`,
  );
}

async function answerOnce(io: Io, chat: Chat, text: string): Promise<void> {
  const { dim } = coloursFor(io, io.stderr);
  await untilInterrupted(async (signal) => {
    const question = { ...chat, messages: [...systemOf(chat), userSays(text)] };
    let last = '';
    try {
      for await (const part of streamAnswer(chat.server, question, signal)) {
        if (part.type === 'text') io.stdout.write((last = part.text));
        else if (part.type === 'reasoning' && io.stderr.isTTY === true) {
          io.stderr.write(dim(part.text));
        }
      }
    } catch (error) {
      // In a terminal the message begins on a line of its own; a file keeps what came as it came.
      if (io.stdout.isTTY === true && last !== '') io.stdout.write('\n');
      throw error;
    }
    if (!last.endsWith('\n')) io.stdout.write('\n');
  });
}

function systemOf({ system }: Chat): ChatMessage[] {
  return system === null ? [] : [{ role: 'system', content: system }];
}

function userSays(content: string): ChatMessage {
  return { role: 'user', content };
}

async function converse(io: Io, chat: Chat): Promise<void> {
  // Prompts and answers go where the user looks, also when stdout is a file.
  const output = process.stdout.isTTY ? process.stdout : process.stderr;
  const colours = coloursFor(io, output);
  const terminal = createChatTerminal({ input: process.stdin, output, colours });
  terminal.write(`${chat.model} at ${chat.server.url}. /help says what can be typed.\n`, 'notice');
  const ask: Ask = (messages, signal) => streamAnswer(chat.server, { ...chat, messages }, signal);
  await runConversation(terminal, ask, chat.system).finally(() => terminal.close());
}
