/** Messages to prompt: chat templates and the context that they see. */

export { compileTemplate, type ChatTemplate } from './chat-template.ts';
export { createRenderer } from './create-renderer.ts';
export type { PromptCapabilities, PromptRenderer, RendererOptions } from './create-renderer.ts';
export { toPromptInput } from './prompt-input.ts';
export type { PromptInput, Rendered, SpecialTokens } from './prompt-input.ts';
export { renderPrompt, type RenderOptions } from './render-prompt.ts';
export { finalAssistantText } from './template-messages.ts';
export { createUntrustedRenderer } from './untrusted/render-untrusted.ts';
export type { UntrustedRenderer } from './untrusted/render-untrusted.ts';
