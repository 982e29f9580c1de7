/** Messages to prompt: chat templates and the context that they see. */

export { compileTemplate, type ChatTemplate } from './chat-template.ts';
export {
  finalAssistantText,
  renderPrompt,
  type RenderOptions,
  type SpecialTokens,
} from './render-prompt.ts';
