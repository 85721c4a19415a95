/** Prompt composition: templates in two dialects, a registry, a message composer and a validator. */
export {
  type AudioPart,
  assertContentPart,
  audioPart,
  type ContentPart,
  type FilePart,
  filePart,
  type ImagePart,
  imagePart,
  type RefusalPart,
  type TextPart,
  textPart,
} from './content-part.js'
export {
  PromptComposer,
  type PromptMessage,
  type PromptRequest,
  type Role,
  type ToolCall,
  toWireMessages,
  type WireOptions,
} from './prompt-composer.js'
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
export {
  findSequenceViolations,
  type SequenceRule,
  type SequenceViolation,
  type ValidateMessagesOptions,
  validateMessages,
} from './validate-messages.js'
