import type { EventCall, TurnEvent, WireApproval } from '../../agents/cycle/turn-event.js'
import type { Message } from '../../conversation/message.js'
import type {
  ChoiceQuery,
  DETAIL_ANSWERS,
  EntrySummary,
  EnvironAnswer,
  ErrorAnswer,
  ListAnswer,
  RenderAnswer,
} from '../../schema/api.js'
import type { ModelEntry as Model } from '../../schema/chat-api.js'
import type { DiagnosticShape } from '../../schema/diagnostic.js'
import type { CatalogEventShape } from '../../schema/events-api.js'
import type { KeyScope } from '../../schema/keys-file.js'
import type {
  HistoryRecord,
  LabelSummary as Label,
  RenderedDiffAnswer,
  VersionSummary as Version,
} from '../../schema/life-api.js'
import type { MeAnswer, StatusAnswer } from '../../schema/operation-api.js'
import type { DependentsAnswer } from '../../schema/proof-api.js'
import type { SearchAnswer as Search } from '../../schema/search-api.js'
import type { MessagesAnswer, SessionAnswer } from '../../schema/session-api.js'
import type { SourceAnswer } from '../../schema/source-api.js'
import type { RunTestsAnswer as TestRun, TestsAnswer as Tests } from '../../schema/tests-api.js'
import type { Static } from '../../schema/type.js'
import type { WireTask, WireTaskSummary } from '../../tasks/wire-task.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'

export type {
  EventCall,
  JsonObject,
  JsonValue,
  KeyScope,
  Message,
  TurnEvent,
  WireApproval,
  WireTask,
  WireTaskSummary,
}

/** What the key of a request may do. */
export type Me = Static<typeof MeAnswer>

/** What lists hold. */
export type Kind = keyof Omit<typeof DETAIL_ANSWERS, 'extension'> | 'environ'

/** One page of a list. */
export interface Page<Item> extends Pick<Static<typeof ListAnswer>, 'total' | 'next_cursor'> {
  readonly items: readonly Item[]
}

/** One row of a list. */
export type Summary = Static<typeof EntrySummary>

/** What the page shows of what is wrong with a document. */
export type Diagnostic = Pick<Static<typeof DiagnosticShape>, 'message' | 'hint' | 'line' | 'column'> &
  Partial<Pick<Static<typeof DiagnosticShape>, 'severity'>>

/** A document with errors, as lists show it. */
export type BrokenDocument = Required<Pick<Summary, 'id' | 'serving_last_good' | 'diagnostics'>>

/** What the status says of the catalog and where it is from. */
export type Status = Static<typeof StatusAnswer>

/** A prompt as it was written, with what the service read from it. */
export type PromptDetail = JsonObject & Pick<Static<typeof DETAIL_ANSWERS.prompt>, 'id' | 'revision'>

/** A shared variable, or something inside one. */
export type EnvironDetail = Narrowed<Static<typeof EnvironAnswer>, { readonly value?: JsonValue }>

/** What a rendered prompt is: a text, or messages. */
type RenderedPrompt = string | readonly Message[]

/** An answer of which some members are narrower than its schema, which names what any client may count on. */
type Narrowed<Answer, Members> = Omit<Answer, keyof Members> & Members

/** A rendered prompt. */
export type Rendered = Narrowed<
  Static<typeof RenderAnswer>,
  { readonly rendered_prompt: RenderedPrompt; readonly explain?: Explanation }
>

/** Something that a render wants said. */
export type Warning = NonNullable<Rendered['warnings']>[number]

/** What happened while a prompt rendered. */
export type Explanation = NonNullable<Static<typeof RenderAnswer>['explain']>

/** A path that templates read. */
export type ReadPath = Explanation['variables'][number]

/** One call of a tool while a prompt rendered. */
export type ToolActivity = Explanation['tools'][number]

/** Where a stretch of the rendered text comes from; offsets are UTF-16. */
export type Span = NonNullable<Explanation['spans']>[number][number]

/** Tokens that come from one place. */
export type TokensOfOrigin = NonNullable<Explanation['tokens_by_origin']>[number]

/** A language model, or a prompt or agent as one. */
export type ModelEntry = Static<typeof Model>

/** A session with an agent. */
export type SessionDetail = Static<typeof SessionAnswer>

/** One version of a prompt. */
export type VersionSummary = Static<typeof Version>

/** One label of a prompt, and what it serves. */
export type LabelSummary = Static<typeof Label>

/** One entry of a prompt's history. */
export type HistoryEntry = Static<typeof HistoryRecord>

/** Two texts of a prompt, rendered with the same variables. */
export type RenderedDiff = Narrowed<
  Static<typeof RenderedDiffAnswer>,
  Record<'before' | 'after', RenderedPrompt>
>

/** A message of a session, as it is stored. */
export type StoredMessage = Narrowed<
  Static<typeof MessagesAnswer>['items'][number],
  { readonly message: Message }
>

/** A change of the catalog, as its stream of events reports it: of a document, or of whether it has errors. */
export type CatalogChange = Extract<Static<typeof CatalogEventShape>, { readonly change: unknown }>

/** What the page reads of the body of every error; of what never arrived it makes the same. */
export interface ErrorBody {
  readonly error: Pick<Static<typeof ErrorAnswer>['error'], 'message' | 'code' | 'details'>
}

/** A version or a label of a prompt, as queries name it. */
export type Choice = { [Name in keyof ChoiceQuery]-?: Record<Name, string> }[keyof ChoiceQuery]

/** What uses a part of the catalog. */
export type Dependents = Static<typeof DependentsAnswer>

/** The document of a prompt as its author wrote it. */
export type PromptSource = Static<typeof SourceAnswer>

/** Places in the texts of the catalog. */
export type SearchAnswer = Static<typeof Search>

/** The tests of a prompt. */
export type PromptTests = Static<typeof Tests>

/** The results of a prompt's tests. */
export type PromptTestRun = Static<typeof TestRun>
