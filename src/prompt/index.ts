/** Messages to prompt: chat templates and the context that they see. */

export type { AnswerPart, ToolDefinition } from './answer-formats/answer-part.ts';
export { detectFormat } from './answer-formats/detect-format.ts';
export { formats, type FormatName } from './answer-formats/formats.ts';
export { endParse, startParse, stepParse } from './answer-formats/parse-answer.ts';
export type { ParseOptions, ParseResult, ParseState } from './answer-formats/parse-answer.ts';
export {
  closesThinking,
  opensThinking,
  reasonings,
  type ReasoningName,
} from './answer-formats/reasoning.ts';
export { specialTokensOf } from './answer-formats/special-tokens.ts';
export { afterThinking, toolConstraint } from './answer-formats/tool-constraint.ts';
export type { ToolChoice, ToolConstraintOptions } from './answer-formats/tool-constraint.ts';
export { compileTemplate, type ChatTemplate, type RenderTemplateOptions } from './chat-template.ts';
export { createRenderer } from './create-renderer.ts';
export type { PromptCapabilities, PromptRenderer, RendererOptions } from './create-renderer.ts';
export { createFileReader } from './documents/read-file.ts';
export type { FileReader } from './documents/read-file.ts';
export { withFiles } from './documents/with-files.ts';
export type { FileNote, WithFiles } from './documents/with-files.ts';
export { asObject, readJsonObject, readTemplateDate } from './jinja/template-input.ts';
export { toPromptInput } from './prompt-input.ts';
export type { PromptInput, Rendered, SpecialTokens } from './prompt-input.ts';
export { finalAssistantText } from './template-messages.ts';
export { readToolUse, shownTools, type CallChoice, type ToolUse } from './tool-use.ts';
export { createUntrustedRenderer } from './untrusted/render-untrusted.ts';
export type { UntrustedRenderer } from './untrusted/render-untrusted.ts';
