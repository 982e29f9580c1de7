/**
 * The way from messages to a prompt for one model: its own templates compiled and tried once, the
 * request's own template where one is sent, and what becomes of each parameter on that way. The embedded
 * target makes one for each model; engines behind other targets render themselves.
 */

import { ParlanceError } from '../contract/errors.ts';
import {
  emulated,
  honoured,
  refused,
  type CapabilityRecord,
  type ChatRequest,
  type Support,
} from '../contract/index.ts';
import { compileTemplate } from './chat-template.ts';
import {
  composePrompt,
  createComposer,
  documentsNote,
  toolsNote,
  writesCalls,
  type Composer,
} from './compose-prompt.ts';
import { findKnownTemplate } from './known-templates.ts';
import type { PromptInput, Rendered, SpecialTokens } from './prompt-input.ts';
import { planEffort } from './reasoning-effort.ts';
import type { UntrustedRenderer } from './untrusted/render-untrusted.ts';

export interface RendererOptions {
  /** The template in the model's file; null: the family's known one, where its traits tell the family. */
  readonly chatTemplate: string | null;
  /** The file's own template for requests with tools, where it has one (`tool_use`). */
  readonly toolTemplate?: string | null;
  /** No family's template stands in: messages are taken with a template of the request only. */
  readonly rawOnly?: boolean;
  readonly architecture: string;
  readonly special: SpecialTokens;
  /** Texts of the tokens that end a turn, beside the end token. */
  readonly turnEnds?: readonly string[];
  readonly hasToken?: (text: string) => boolean;
  /** Renders the templates of requests; shared by all models of a server. */
  readonly untrusted: UntrustedRenderer;
}

/** The rows of the capability record that the way to the prompt decides. */
export type PromptCapabilities = Pick<
  CapabilityRecord,
  | 'documents'
  | 'chat_template'
  | 'chat_template_kwargs'
  | 'reasoning_effort'
  | 'add_generation_prompt'
  | 'continue_final_message'
  | 'tools'
  | 'messages[].name'
  | 'messages[].tool_calls'
  | 'messages[].reasoning_content'
>;

export interface PromptRenderer {
  /** The text of the template that plain requests use; null: the model has none. */
  readonly source: string | null;
  /** The text of the template that requests with tools use. */
  readonly toolSource: string | null;
  /** The family whose known template stands in for the file's own, or null. */
  readonly family: string | null;
  readonly capabilities: PromptCapabilities;
  /** Whether tools reach the model through the template (`native`) or the system message. */
  readonly tools: 'native' | 'emulated';
  /**
   * @param chatTemplate the request's own template, or null
   * @throws ParlanceError `invalid_template` in the template's own words
   */
  render(input: PromptInput, chatTemplate: string | null, signal: AbortSignal): Promise<Rendered>;
}

/** The model's own templates. */
interface Own {
  readonly plain: Composer;
  readonly withTools: Composer;
}

/**
 * @throws ParlanceError `invalid_template` when a template of the model does not parse or fails on the
 * plainest conversation, so that a broken one fails the deployment and not a request
 */
export function createRenderer(options: RendererOptions): PromptRenderer {
  const known = options.chatTemplate === null && !options.rawOnly ? findFamily(options) : null;
  const source = options.chatTemplate ?? known?.source ?? null;
  const own = source === null ? null : compileOwn(source, options);
  return {
    source,
    toolSource: source === null ? null : (options.toolTemplate ?? source),
    family: known?.family ?? null,
    capabilities: capabilitiesOf(own),
    tools: own !== null && own.withTools.profile.toolsVariable() !== null ? 'native' : 'emulated',
    async render(input, chatTemplate, signal) {
      if (chatTemplate !== null) {
        const { special } = options;
        return await options.untrusted.render({ source: chatTemplate, special, input }, signal);
      }
      return composePrompt(composerOf(own ?? noTemplate(), input), input);
    },
  };
}

function findFamily({ architecture, special, turnEnds = [], hasToken }: RendererOptions) {
  const endTokens = [special.eos, ...turnEnds].filter((token) => token !== null);
  return findKnownTemplate({
    architecture,
    endTokens,
    ...(hasToken === undefined ? {} : { hasToken }),
  });
}

function compileOwn(source: string, { toolTemplate, special }: RendererOptions): Own {
  const compile = (text: string): Composer => {
    const composer = createComposer(compileTemplate(text, 'model'), text, special);
    tryOnce(composer);
    return composer;
  };
  const plain = compile(source);
  return { plain, withTools: toolTemplate ? compile(toolTemplate) : plain };
}

const plainest: PromptInput = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: null,
  documents: null,
  templateKwargs: null,
  reasoningEffort: null,
  addGenerationPrompt: true,
  continueFinalMessage: false,
};

/** Beside the plainest conversation, what a template can do is found now and not by the first request. */
function tryOnce(composer: Composer): void {
  composePrompt(composer, plainest);
  const { profile } = composer;
  profile.toolsVariable();
  profile.showsCalls();
  profile.takesSystem();
  profile.takesDocuments();
  composer.controls();
}

function noTemplate(): never {
  throw new ParlanceError(
    'invalid_template',
    'The model is deployed without a chat template, so it cannot take `messages` alone: send a `chat_template` with them, or a raw `prompt`.',
    { param: 'messages' },
  );
}

const composerOf = (own: Own, { tools }: Pick<PromptInput, 'tools'>): Composer =>
  tools?.length ? own.withTools : own.plain;

/** Decides a parameter by the template that the request will use. */
type ByTemplate = (composer: Composer, request: ChatRequest) => Support;

/** A template that comes with a request is not run before it is rendered: what it names, it takes. */
const names = (source: string, identifier: string): boolean =>
  new RegExp(`\\b${identifier}\\b`).test(source);

/** Parameters of the chat template mean nothing where no template is used. */
function capabilitiesOf(own: Own | null): PromptCapabilities {
  const decided =
    (byTemplate: ByTemplate, bySource: (source: string, request: ChatRequest) => Support) =>
    (request: ChatRequest): Support => {
      if (request.input.kind === 'prompt') {
        return refused('a raw prompt uses no chat template', 'Send `messages`');
      }
      const sent = request.parameters.chat_template;
      if (sent !== undefined) return bySource(sent, request);
      // Without a template the request fails as a whole, and says so better than any parameter.
      if (own === null) return honoured;
      return byTemplate(composerOf(own, { tools: request.parameters.tools ?? null }), request);
    };
  const always = decided(
    () => honoured,
    () => honoured,
  );
  return {
    chat_template: always,
    add_generation_prompt: always,
    continue_final_message: always,
    documents: decided(
      ({ profile }) => (profile.takesDocuments() ? honoured : emulated(documentsNote)),
      (source) => (names(source, 'documents') ? honoured : emulated(documentsNote)),
    ),
    tools: decided(
      ({ profile }) => (profile.toolsVariable() === null ? emulated(toolsNote) : honoured),
      (source) => (names(source, 'tools') ? honoured : emulated(toolsNote)),
    ),
    chat_template_kwargs: decided(
      ({ template }, request) => kwargsSupport(request, (name) => template.mentions(name)),
      (source, request) => {
        // Once for all names: both the template and the list of them are as long as a client likes.
        const words = new Set(source.match(/[\p{L}\p{M}\p{N}_]+/gu));
        return kwargsSupport(request, (name) => words.has(name));
      },
    ),
    reasoning_effort: decided(
      (composer, { parameters }) =>
        parameters.reasoning_effort === undefined
          ? honoured
          : planEffort(parameters.reasoning_effort, composer.controls()).support,
      (source) =>
        ['reasoning_effort', 'enable_thinking', 'thinking'].some((name) => names(source, name))
          ? honoured
          : refused('the chat template of the request has no control of thinking'),
    ),
    'messages[].name': decided(
      ({ profile }, request) => {
        const speakers = messagesOf(request).filter(({ name }) => name);
        const lost = speakers.find(
          ({ role }) => !profile.showsName(role === 'developer' ? 'system' : role),
        );
        return lost === undefined
          ? honoured
          : refused(`the model’s chat template has no place for the name of the ${lost.role}`);
      },
      (source) => inTemplate(names(source, 'name'), 'name'),
    ),
    'messages[].tool_calls': decided(
      ({ profile }, request) => {
        const tools = request.parameters.tools ?? null;
        return writesCalls(profile, { messages: messagesOf(request), tools })
          ? emulated('the chat template takes no calls; they are written as messages')
          : honoured;
      },
      () => honoured,
    ),
    'messages[].reasoning_content': decided(
      ({ profile }) => inTemplate(profile.reasoningField() !== null, 'reasoning_content'),
      (source) => inTemplate(names(source, 'reasoning_content'), 'reasoning_content'),
    ),
  };
}

const messagesOf = ({ input }: ChatRequest) => (input.kind === 'messages' ? input.messages : []);

const inTemplate = (isThere: boolean, identifier: string): Support =>
  isThere ? honoured : refused(`the chat template has no place for ${identifier}`);

/** A variable that the template never reads would change nothing. */
function kwargsSupport({ parameters }: ChatRequest, mentions: (name: string) => boolean): Support {
  const given = Object.keys(parameters.chat_template_kwargs ?? {});
  const unread = given.filter((name) => !mentions(name));
  if (unread.length === 0) return honoured;
  const shown = unread.map((name) => `\`${name.slice(0, 64)}\``).join(', ');
  return refused(`the chat template does not read ${shown}`, `Leave ${shown} out`);
}
