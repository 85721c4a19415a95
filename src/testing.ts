/** What programs that use this package need for their own tests: tests of prompts, scripted models and upstreams. */
export type { Reply } from './llm/reply-upstream.js'
export {
  createScriptedModel,
  type ScriptedAnswerReply,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
} from './testing/scripted-model.js'
export {
  chunk,
  completion,
  EVENT_STREAM,
  event,
  failure,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
  stream,
} from './testing/scripted-upstream.js'
export {
  type AnswerOptions,
  expectPrompt,
  openPromptCatalog,
  type PromptAssertion,
  type PromptCatalog,
  type PromptExpectation,
  type PromptSetup,
  type PromptTest,
  PromptTestError,
  type RenderedOutput,
  testPrompt,
} from './testing/test-prompt.js'
