/** Prompt composition: templates in two dialects, a registry, a message composer and a validator. */
export { audioPart, filePart, imagePart, textPart } from '../conversation/content-part.js'
export type {
  AudioPart,
  ContentPart,
  FilePart,
  ImagePart,
  Message,
  RefusalPart,
  TextPart,
  WireToolCall,
} from '../conversation/message.js'
export {
  findSequenceViolations,
  type SequenceRule,
  type SequenceViolation,
  type ValidateMessagesOptions,
} from '../conversation/validate-messages.js'
export type { ChatRequest } from '../llm/model.js'
export type { Role } from '../schema/role.js'
export { PromptComposer, toWireMessages, type WireOptions } from './prompt-composer.js'
export {
  PROMPT_ERROR_CODES,
  PromptError,
  type PromptErrorKind,
  type PromptErrorOptions,
} from './prompt-error.js'
export {
  type PromptRenderOptions,
  PromptTemplate,
  type PromptTemplateLookup,
  type PromptTemplateOptions,
  type PromptVariables,
} from './prompt-template.js'
export { PromptTemplateRegistry } from './prompt-template-registry.js'
export { TemplateContext, type TemplateValue } from './template-context.js'
export { assertContentPart, validateMessages } from './validate-messages.js'
