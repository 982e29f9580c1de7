/**
 * The way to the prompt for one model: with the chat template of its file, of its family, or of its
 * deployment. Whoever starts an engine makes one first, so that a model whose prompts nobody can make fails
 * before its weights are loaded; targets of the model share it.
 */

import { ParlanceError } from '../../contract/index.ts';
import type { ModelMetadata } from '../../models/index.ts';
import { createRenderer, type PromptRenderer } from '../../prompt/index.ts';
import type { TargetServices } from '../services.ts';

/** What the deployment says of the template; null: nothing; `none`: raw prompts only. */
export type TemplateWish = { readonly source: string } | 'none' | null;

export interface ModelRenderer {
  readonly renderer: PromptRenderer;
  /** Where the template comes from: `option`, `file`, `none`, or the family whose known one it is. */
  readonly origin: string;
}

export interface ModelRendererOptions {
  readonly metadata: ModelMetadata;
  readonly services: Pick<TargetServices, 'untrusted'>;
  readonly template?: TemplateWish;
}

/**
 * @throws ParlanceError `invalid_template` when there is no template, or when one does not parse or fails
 * on the plainest conversation, so that it fails the deployment and not a request
 */
export function createModelRenderer(options: ModelRendererOptions): ModelRenderer {
  const { template: wish = null } = options;
  const renderer = rendererOf(options);
  if (renderer.source === null && wish !== 'none') throw noTemplate();
  return { renderer, origin: originOf(renderer, wish) };
}

function originOf({ family, source }: PromptRenderer, wish: TemplateWish): string {
  if (source === null) return 'none';
  return wish === null ? (family ?? 'file') : 'option';
}

function rendererOf({ metadata, services, template }: ModelRendererOptions): PromptRenderer {
  const { bos, eos, pad, unknown, eot, eom, specialTexts } = metadata.tokenizer;
  const own = {
    chatTemplate: metadata.chatTemplate,
    toolTemplate: metadata.namedChatTemplates['tool_use'] ?? null,
  };
  const special = new Set(specialTexts);
  return createRenderer({
    ...own,
    ...templatesFrom(template ?? null),
    architecture: metadata.architecture,
    special: { bos: textOf(bos), eos: textOf(eos), pad: textOf(pad), unknown: textOf(unknown) },
    turnEnds: [textOf(eot), textOf(eom)].filter((text) => text !== null),
    hasToken: (text) => special.has(text),
    untrusted: services.untrusted,
  });
}

const textOf = (token: { readonly text: string | null } | null | undefined): string | null =>
  token?.text ?? null;

/** What a deployment says goes for requests with functions too. */
function templatesFrom(wish: TemplateWish) {
  if (wish === null) return {};
  if (wish === 'none') return { chatTemplate: null, toolTemplate: null, rawOnly: true };
  return { chatTemplate: wish.source, toolTemplate: null };
}

const noTemplate = (): ParlanceError =>
  new ParlanceError(
    'invalid_template',
    'The model’s file has no chat template, and nothing in it tells whose form it was trained on. ' +
      'Deploy it with the option `chat_template` (at start: --chat-template): a .jinja file, the text of a template, or "none" for raw prompts only.',
    { param: 'options.chat_template' },
  );
