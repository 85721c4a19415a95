/** What programs that use this package need for their own tests: models and upstreams that do as they are told. */
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
