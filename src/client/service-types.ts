// Written by `npm run openapi` from openapi.yaml: do not edit.

/** The answer, as an OpenAI chat message */
export type AnswerMessage = {
  /** `assistant` */
  readonly role: string
  /** A text, content parts, or null */
  readonly content?: unknown
  readonly [name: string]: unknown
}

/** A tool call that waits for a person, or was decided */
export type Approval = {
  /** Its id */
  readonly id: string
  /** The session that it belongs to */
  readonly session?: string
  /** The task that it belongs to */
  readonly task?: string
  /** The turn that waits for it */
  readonly turn: number
  /** Of the tool call */
  readonly call_id: string
  /** The tool to be called */
  readonly tool: string
  /** Of the call; after an edit the new ones */
  readonly arguments: Readonly<Record<string, unknown>>
  /** What was decided */
  readonly status: 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | (string & {})
  /** Why it was rejected */
  readonly reason?: string
}

/** `ApprovalDecision` of openapi.yaml. */
export type ApprovalDecision = {
  /** `edit` approves the call with other arguments */
  readonly decision: 'approve' | 'reject' | 'edit'
  /** With `edit`: the arguments to call the tool with */
  readonly arguments?: Readonly<Record<string, unknown>>
  /** With `reject`: the reason; the model reads it */
  readonly reason?: string
}

/** `ApprovalPage` of openapi.yaml. */
export type ApprovalPage = {
  /** Of this page */
  readonly items: readonly Approval[]
  /** How many there are, on all pages */
  readonly total: number
  /** `cursor` of the next page; absent on the last one */
  readonly next_cursor?: string
}

/** A call waits for a person */
export type ApprovalRequiredEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'approval.required'
  readonly approval: Approval
}

/** An approval was decided */
export type ApprovalResolvedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'approval.resolved'
  readonly approval: Approval
}

/** Tokens that come from one place */
export type BilledTokens = {
  /** The innermost origin. `text` is text of the template itself, `partial` of an included one; `function`: computed by a function from constants. */
  readonly kind: 'text' | 'variable' | 'environ' | 'tool' | 'partial' | 'function'
  /** Of a `variable` or `environ`, up to the first index */
  readonly path?: string
  /** The name of the `function` or `tool` */
  readonly call?: string
  /** The prompt that contains the `text` or `partial` */
  readonly template?: string
  /** How many */
  readonly tokens: number
}

/** A document is new, has other contents, or is gone */
export type CatalogChangeEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'change'
  /** Of the document */
  readonly kind:
    | 'extension'
    | 'prompt'
    | 'environ'
    | 'tool'
    | 'agent'
    | 'release'
    | 'agent-release'
    | (string & {})
  /** Of the document */
  readonly id: string
  /** Of the document; null if it is gone */
  readonly revision: string | null
  /** What changed */
  readonly change: 'added' | 'changed' | 'removed' | (string & {})
}

/** What happens in the catalog */
export type CatalogEvent =
  | CatalogHelloEvent
  | CatalogResetEvent
  | CatalogChangeEvent
  | CatalogReleaseEvent
  | DocumentBrokenEvent
  | DocumentMendedEvent

/** The first event: the state of the catalog */
export type CatalogHelloEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'hello'
  /** Of the catalog */
  readonly revision: string
  /** Counts the states of the catalog that this process has served */
  readonly sequence: number
}

/** A label moved: `id` names it behind an `@` */
export type CatalogReleaseEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'release'
  /** Of the document */
  readonly kind:
    | 'extension'
    | 'prompt'
    | 'environ'
    | 'tool'
    | 'agent'
    | 'release'
    | 'agent-release'
    | (string & {})
  /** Of the document */
  readonly id: string
  /** Of the document; null if it is gone */
  readonly revision: string | null
  /** What changed */
  readonly change: 'added' | 'changed' | 'removed' | (string & {})
}

/** The first event where missed ones are gone: the lists have to be read again */
export type CatalogResetEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'reset'
  /** Of the catalog */
  readonly revision: string
  /** Counts the states of the catalog that this process has served */
  readonly sequence: number
}

/** The model’s own JSON, nothing dropped */
export type ChatCompletion = {
  /** Of the answer */
  readonly id?: string
  /** `chat.completion` */
  readonly object?: string
  /** The model that answered */
  readonly model?: string
  /** The answers, each with its `message` */
  readonly choices: readonly Readonly<Record<string, unknown>>[]
  /** Token counts */
  readonly usage?: unknown
  readonly [name: string]: unknown
}

/** The model’s own JSON, nothing dropped; the stream ends with `[DONE]` */
export type ChatCompletionChunk = {
  /** Of the answer */
  readonly id?: string
  /** `chat.completion.chunk` */
  readonly object?: string
  /** The model that answers */
  readonly model?: string
  /** Empty in a chunk of usage */
  readonly choices: readonly {
    /** Of the answer, from 0 */
    readonly index: number
    /** What is new */
    readonly delta: {
      /** In the first chunk: `assistant` */
      readonly role?: string
      /** The next piece of the text */
      readonly content?: unknown
      readonly [name: string]: unknown
    }
    /** In the last chunk: why the answer ended */
    readonly finish_reason?: string | null
    readonly [name: string]: unknown
  }[]
  /** Token counts, where the request asks for them */
  readonly usage?: unknown
  readonly [name: string]: unknown
}

/** Every further field, such as `temperature` or `tools`, is passed on to the model unchanged; a variable of the prompt is refused there */
export type ChatRequest = {
  /** What it is for, such as chat, completion, codereview: 400 unless prompt and tools support it */
  readonly scenario?: string
  /** Default: the prompt’s `model`, then `LLM_MODEL` */
  readonly model?: string
  /** What the templates read as `.variables` */
  readonly variables?: Readonly<Record<string, unknown>>
  /** The conversation so far; follows the prompt’s own messages */
  readonly messages?: readonly Message[]
  /** Answer as server-sent events, closed by `[DONE]` */
  readonly stream?: boolean | null
  /** How the model writes tool calls; with all but `native` it sees and writes text, and you see `tool_calls` */
  readonly protocol?:
    | 'native'
    | 'mcp-xml'
    | 'hermes'
    | 'qwen-coder'
    | 'glm'
    | 'kimi'
    | 'deepseek'
    | 'llama'
    | 'harmony'
    | 'mistral'
    | 'minimax'
    | 'minimax-m3'
    | 'lfm2'
    | 'dsml'
    | 'gemma'
    | 'functiongemma'
    | 'kimi-k3'
    | 'cohere'
    | 'nemotron'
    | 'step3'
    | 'hunyuan'
    | 'hunyuan-a13b'
    | 'pythonic'
    | 'mimo'
    | 'granite'
    | 'phi'
    | 'auto'
    | null
  /** Whether the prompt’s own `tools` run here: by default they do, unless the request has `tools`; `false` answers with `tool_calls` */
  readonly run_tools?: boolean | null
  /** Have the answer follow the prompt’s `returns` schema, and check it; `repair` asks once more if it does not */
  readonly structured?: boolean | 'repair'
  /** A conversation assembled from texts, prompts and parts; follows the prompt that the path names */
  readonly compose?: readonly ComposeItem[]
  readonly [name: string]: unknown
}

/** Older messages were summarized */
export type CompactedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'compacted'
  /** Of the whole conversation */
  readonly tokens_before: number
  /** With the summary */
  readonly tokens_after: number
}

/** One step of a conversation */
export type ComposeItem = {
  /** Role of the message. Required with `text` and `parts`; with `prompt` it is `user` unless given */
  readonly role?: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  /** Sent unchanged; not a template */
  readonly text?: string
  /** OpenAI content parts, sent as they are, and prompts that become text parts */
  readonly parts?: readonly (
    | PromptPart
    | {
        /** Such as `text` or `image_url` */
        readonly type: string
        readonly [name: string]: unknown
      }
  )[]
  /** A prompt; one with `messages` brings its own roles and all its messages */
  readonly prompt?: string | Readonly<Record<string, unknown>>
  /** The prompt's variables, on top of the request's own `variables` */
  readonly variables?: Readonly<Record<string, unknown>>
  /** Earlier messages of the conversation, sent as they are */
  readonly messages?: readonly {
    /** Such as `user` */
    readonly role: string
    readonly [name: string]: unknown
  }[]
  /** Of who says it, where several have a role */
  readonly name?: string
  /** Of a `tool` message: the call that it answers */
  readonly tool_call_id?: string
  /** Of an `assistant` message: its calls */
  readonly tool_calls?: readonly {
    /** Of the call */
    readonly id: string
    readonly [name: string]: unknown
  }[]
}

/** `CreateSessionRequest` of openapi.yaml. */
export type CreateSessionRequest = {
  /** Of an agent of the catalog */
  readonly agent: string
  /** Of a session */
  readonly id?: string
  /** Variables that the agent’s templates read as `.variables` */
  readonly variables?: Readonly<Record<string, unknown>>
}

/** `CreateTaskRequest` of openapi.yaml. */
export type CreateTaskRequest = {
  /** Description of the task */
  readonly description: string
  /** Its id; default: a random one. An id that is taken is 409 */
  readonly id?: string
  /** Facts of the task; required parameters of steps that the plan leaves out are filled from it */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Agent that executes it; default: the model with all tools of the catalog */
  readonly agent?: string
  /** What a planner should know about the field */
  readonly domain_knowledge?: string
  /** The first round’s plan: `{steps: […]}`, checked at once */
  readonly plan?: Readonly<Record<string, unknown>>
  readonly config?: TaskConfig
}

/** What is wrong with a document */
export type Diagnostic = {
  /** As the store names it: `templates`, `environs`, `tools`, `agents`, `extensions` */
  readonly kind: string
  /** Of the document */
  readonly id: string
  /** The file below the catalog’s directory, or the key */
  readonly location: string
  /** What is wrong, such as `template_syntax`: stable, to branch on */
  readonly code: string
  /** Human-readable */
  readonly message: string
  /** What to write instead */
  readonly hint?: string
  /** From 1 */
  readonly line?: number
  /** From 1, in UTF-16 code units */
  readonly column?: number
  /** Only errors keep a document from being served */
  readonly severity: 'error' | 'warning'
  /** An earlier version keeps serving */
  readonly serving_last_good: boolean
  /** The prompt it is about, for an extension with several */
  readonly prompt?: string
  readonly [name: string]: unknown
}

/** A document has errors now */
export type DocumentBrokenEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'broken'
  /** Of the document */
  readonly kind:
    | 'extension'
    | 'prompt'
    | 'environ'
    | 'tool'
    | 'agent'
    | 'release'
    | 'agent-release'
    | (string & {})
  /** Of the document */
  readonly id: string
  /** The same as `type` */
  readonly change: 'broken' | 'mended' | (string & {})
  /** The first error */
  readonly message?: string
  /** From 1 */
  readonly line?: number
  /** From 1, in UTF-16 code units */
  readonly column?: number
  /** An earlier version keeps serving */
  readonly serving_last_good?: boolean
}

/** A document has no errors any more */
export type DocumentMendedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'mended'
  /** Of the document */
  readonly kind:
    | 'extension'
    | 'prompt'
    | 'environ'
    | 'tool'
    | 'agent'
    | 'release'
    | 'agent-release'
    | (string & {})
  /** Of the document */
  readonly id: string
  /** The same as `type` */
  readonly change: 'broken' | 'mended' | (string & {})
}

/** `EntryPage` of openapi.yaml. */
export type EntryPage = {
  /** Sorted by id */
  readonly items: readonly EntrySummary[]
  /** How many match, on all pages */
  readonly total: number
  /** How many have errors; `?status=broken` lists them */
  readonly broken: number
  /** `cursor` of the next page; absent on the last one */
  readonly next_cursor?: string
}

/** One row of a list */
export type EntrySummary = {
  /** Dotted id */
  readonly id: string
  /** Absent only where `fields` does not name it */
  readonly revision?: string | null
  /** As the document has it */
  readonly name?: string
  /** As the document has it */
  readonly description?: string
  /** Of an extension */
  readonly displayName?: string
  /** Of an extension */
  readonly version?: string
  /** Of an extension */
  readonly publisher?: string
  /** Of an extension: the names of its prompts */
  readonly prompts?: readonly unknown[]
  /** Of a prompt: `prompt` for one text, `messages` for several */
  readonly kind?: string
  /** Of a prompt: `direct` for a document of its own, or who has it */
  readonly origin?: string
  /** Of a prompt: the extension that has it */
  readonly extension?: string
  /** Of a prompt or tool: the only scenarios it is for; empty for all */
  readonly supports?: readonly string[]
  /** Of a tool: what templates call it */
  readonly function?: string
  /** Of a tool: its connection; of an environ: what its value is */
  readonly type?: string
  /** Of a tool */
  readonly module?: string
  /** Of a tool: that it changes nothing */
  readonly readOnly?: boolean
  /** Of an agent: what it names as its tools */
  readonly tools?: readonly string[]
  /** Of an agent */
  readonly model?: string
  /** Of an agent: how its model writes tool calls */
  readonly protocol?: string
  /** Of an agent */
  readonly role?: string
  /** Of a prompt: the names of its examples; absent without any */
  readonly examples?: readonly string[]
  /** With `status=broken`: an earlier version keeps serving */
  readonly serving_last_good?: boolean
  /** With `status=broken`: what is wrong with it */
  readonly diagnostics?: readonly Diagnostic[]
  readonly [name: string]: unknown
}

/** The body of every error */
export type ErrorBody = {
  /** Answers of a render say `success` */
  readonly status: 'error'
  readonly error: ErrorFacts
  /** `x-request-id` of the answer, also in the log */
  readonly request_id: string
}

/** Stable name to branch on */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_request'
  | 'invalid_variables'
  | 'missing_variables'
  | 'template_syntax'
  | 'invalid_prompt'
  | 'invalid_sequence'
  | 'invalid_agent'
  | 'invalid_plan'
  | 'context_overflow'
  | 'invalid_api_key'
  | 'forbidden'
  | 'hook_blocked'
  | 'agent_not_found'
  | 'session_not_found'
  | 'turn_not_found'
  | 'context_not_found'
  | 'task_not_found'
  | 'response_not_found'
  | 'conversation_not_found'
  | 'item_not_found'
  | 'previous_response_not_found'
  | 'approval_not_found'
  | 'memory_not_found'
  | 'extension_not_found'
  | 'prompt_not_found'
  | 'version_not_found'
  | 'label_not_found'
  | 'environ_not_found'
  | 'tool_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'session_busy'
  | 'task_busy'
  | 'revision_changed'
  | 'conversation_locked'
  | 'already_exists'
  | 'approval_conflict'
  | 'idempotency_conflict'
  | 'prompt_not_portable'
  | 'task_ended'
  | 'limit_exceeded'
  | 'version_gone'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'template_error'
  | 'partial_not_found'
  | 'not_an_array'
  | 'max_depth_reached'
  | 'io_error'
  | 'internal_error'
  | 'invalid_config'
  | 'state_unreadable'
  | 'task_failed'
  | 'tool_failed'
  | 'llm_unavailable'
  | 'llm_bad_response'
  | 'tape_miss'
  | 'llm_rejected'
  | 'render_timeout'
  | 'render_limit'
  | 'release_unusable'
  | 'not_ready'
  | 'state_unavailable'
  | 'turn_interrupted'
  | 'outcome_unknown'
  | 'overloaded'
  | 'client_closed_request'
  | (string & {})

/** What is wrong */
export type ErrorFacts = {
  /** Human-readable */
  readonly message: string
  readonly type: ErrorType
  readonly code: ErrorCode
  /** Which part of the request is wrong */
  readonly param: string | null
  /** Structured facts, such as every violation */
  readonly details?: unknown
}

/** The family of the code */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'template_error'
  | 'internal_error'
  | 'upstream_error'
  | 'unavailable_error'
  | (string & {})

/** What the evaluator says of a round */
export type Evaluation = {
  /** The evaluator’s own */
  readonly evaluation_id?: string
  /** From 0 to 100 */
  readonly overall_score: number
  /** Whether the round did what was asked */
  readonly is_successful: boolean
  /** What the score is made of */
  readonly dimensions: {
    /** From 0 to 100 */
    readonly completeness: number
    /** From 0 to 100 */
    readonly correctness: number
    /** From 0 to 100 */
    readonly efficiency: number
    /** From 0 to 100 */
    readonly reliability: number
  }
  /** What went well */
  readonly successes: readonly string[]
  /** What did not */
  readonly failures: readonly string[]
  /** What to do better */
  readonly improvement_suggestions: readonly string[]
  /** The evaluator’s answer could not be used */
  readonly unusable?: true
}

/** The result of the evaluation */
export type EvaluationEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'evaluation'
  /** From 1 */
  readonly round: number
  readonly evaluation: Evaluation
}

/** What happened while it rendered; only with `explain` in the query */
export type Explanation = {
  /** Whether no tool was called */
  readonly dry_run: boolean
  /** What the templates read */
  readonly variables: readonly {
    /** Such as `variables.name` */
    readonly path: string
    /** Whether there is a value */
    readonly found: boolean
    /** Whether it is read in a branch only */
    readonly conditional: boolean
    readonly [name: string]: unknown
  }[]
  /** Calls of tools */
  readonly tools: readonly {
    /** Its id */
    readonly tool: string
    /** The name templates call */
    readonly function: string
    /** As sent to the tool: by name, with defaults */
    readonly arguments: unknown
    /** What came of the call */
    readonly status: 'ok' | 'failed' | 'dry_run'
    /** Whether an earlier result was used */
    readonly cached: boolean
    readonly error?: ToolFailure
    /** After the start of the render */
    readonly start_ms: number
    /** How long it took */
    readonly duration_ms: number
    readonly [name: string]: unknown
  }[]
  /** Of the rendered prompt, in the o200k_base encoding */
  readonly tokens: number
  /** What took time */
  readonly timeline: readonly {
    /** What was done */
    readonly name: string
    /** After the start of the render */
    readonly start_ms: number
    /** How long it took */
    readonly duration_ms: number
  }[]
  /** Only with `?explain=spans`: a list for each message, one for a `userPrompt`. The spans of a text follow each other without a gap. */
  readonly spans?: readonly (readonly TextSpan[])[]
  /** Only with `?explain=tokens`: the most first; together they are `tokens` */
  readonly tokens_by_origin?: readonly BilledTokens[]
  readonly prefix?: PrefixBill
}

/** What went wrong */
export type Failure = {
  readonly code: ErrorCode
  /** Human-readable */
  readonly message: string
}

/** `FeedbackAnswer` of openapi.yaml. */
export type FeedbackAnswer = {
  /** `x-request-id` of the answer that is judged */
  readonly request_id?: string
  /** The prompt that answered; its id may name a version or a label */
  readonly prompt?: string
  /** `x-prompt-version` of the answer */
  readonly version?: number
  /** What is judged, such as `helpful` */
  readonly name: string
  /** From 0 to 1; for a thumb 0 or 1 */
  readonly score: number
  /** The label, where the id names one */
  readonly label?: string
  readonly [name: string]: unknown
}

/** `FeedbackBody` of openapi.yaml. */
export type FeedbackBody = {
  /** `x-request-id` of the answer that is judged */
  readonly request_id?: string
  /** The prompt that answered; its id may name a version or a label */
  readonly prompt?: string
  /** `x-prompt-version` of the answer */
  readonly version?: number
  /** What is judged, such as `helpful` */
  readonly name: string
  /** From 0 to 1; for a thumb 0 or 1 */
  readonly score: number
}

/** Events before the next one are gone. It has no id */
export type GapEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'gap'
}

/** `HistoryAnswer` of openapi.yaml. */
export type HistoryAnswer = {
  /** Of the prompt */
  readonly id: string
  /** False where the store keeps none: the history of files is git’s */
  readonly available: boolean
  /** The newest first */
  readonly entries: readonly HistoryRecord[]
}

/** One entry of a history */
export type HistoryRecord = {
  /** What was done; `unreadable` for an entry that is not valid */
  readonly action: 'publish' | 'promote' | 'rollback' | 'remove' | 'retire' | 'rename' | 'unreadable'
  /** When, in UTC; empty if unknown */
  readonly at: string
  /** Who */
  readonly by?: string
  /** Why */
  readonly note?: string
  /** The label that moved or was removed; absent where a version was published */
  readonly label?: string
  /** Of the release that was written */
  readonly sequence?: number
  /** What was published, or what the label points at from then on; empty where it was removed */
  readonly targets: readonly LabelTarget[]
  /** Which failures were passed with `--force` */
  readonly forced?: string
  /** The id before or after, of a rename */
  readonly other?: string
  /** Of the entry: SHA-256 over the rest of it; absent for one that is not valid */
  readonly digest?: string
  /** The digest of the entry before; empty for the first */
  readonly previous?: string
  /** Where the chain does not hold: entries before it are gone, it is not what was written, or it is not valid */
  readonly gap?: 'missing' | 'changed' | 'unreadable'
  readonly [name: string]: unknown
}

/** `InlineRenderRequest` of openapi.yaml. */
export type InlineRenderRequest = {
  /** A prompt document, as in the catalog */
  readonly prompt?: Readonly<Record<string, unknown>>
  /** A conversation assembled from texts, prompts and parts; follows the prompt that the path names */
  readonly compose?: readonly ComposeItem[]
  /** What it is for, such as chat, completion, codereview: 400 unless prompt and tools support it */
  readonly scenario?: string
  /** What the templates read as `.variables` */
  readonly variables?: Readonly<Record<string, unknown>>
}

/** One label of a prompt: its release, and what is served */
export type LabelSummary = {
  /** Its name */
  readonly label: string
  /** Empty for nothing */
  readonly serves: readonly LabelTarget[]
  /** Why its release is not what is served */
  readonly problem?: string
  /** Of the release */
  readonly sequence?: number
  /** Why it was moved */
  readonly note?: string
  /** Who moved it */
  readonly by?: string
  /** When it was moved */
  readonly at?: string
  /** From when on the release is not served */
  readonly expires?: string
  /** The path of the value that decides the share */
  readonly sticky?: string
  /** What a rollback goes back to, and what serves where the release cannot */
  readonly previous?: {
    /** Its number */
    readonly version: number
    /** SHA-256 of what it holds */
    readonly digest: string
    readonly [name: string]: unknown
  }
  /** That the last move was a rollback */
  readonly action?: 'rollback'
  /** Which failures were passed with `--force`: `check`, `tests`, `impact` */
  readonly forced?: string
  /** What the tests of the version said: `{passed, failed}` */
  readonly tests?: unknown
  /** How renders differed when it moved: `{from, renders, differ, now_fail, …}` */
  readonly impact?: unknown
  /** Who signed the release, by the names in its signatures */
  readonly signers?: readonly string[]
}

/** A version that a label serves */
export type LabelTarget = {
  /** Its number */
  readonly version: number
  /** SHA-256 of what it holds */
  readonly digest: string
  /** In per cent, of a label that is split */
  readonly share?: number
  readonly [name: string]: unknown
}

/** `LabelsAnswer` of openapi.yaml. */
export type LabelsAnswer = {
  /** Of the prompt */
  readonly id: string
  /** Those that the key may have */
  readonly labels: readonly LabelSummary[]
}

/** An OpenAI chat message */
export type Message = {
  /** Such as `system` or `user` */
  readonly role: string
  readonly [name: string]: unknown
}

/** The run waits for these approvals */
export type PausedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'paused'
  /** Those that are pending */
  readonly approvals: readonly Approval[]
}

/** A phase of a round starts */
export type PhaseStartedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'phase.started'
  /** From 1 */
  readonly round: number
  /** Which */
  readonly phase: 'plan' | 'execute' | 'evaluate' | 'reflect' | (string & {})
}

/** The plan of a round */
export type Plan = {
  /** Its id */
  readonly id: string
  /** What the planner says of the whole */
  readonly description?: string
  /** How long the planner expects it to take */
  readonly estimated_duration_secs?: number
  /** Absent: steps run in order */
  readonly max_parallel_steps?: number
  /** In order */
  readonly steps: readonly TaskStep[]
}

/** The plan of a round */
export type PlanEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'plan'
  /** From 1 */
  readonly round: number
  readonly plan: Plan
}

/** A plan could not be used */
export type PlanRefusedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'plan.refused'
  /** From 1 */
  readonly round: number
  readonly error: Failure
}

/** Only with `?explain=tokens`: how much of the prompt a prefix cache can keep */
export type PrefixBill = {
  /** Before the first token that a request may change */
  readonly stable_tokens: number
  /** Where that token comes from; null where no request changes any */
  readonly breaks_at: null | {
    /** From 0; a `userPrompt` is one message */
    readonly message: number
    /** Where line and column are */
    readonly template: string
    /** From 1 */
    readonly line: number
    /** From 1, in UTF-16 code units */
    readonly column: number
    /** What changes there: a variable, a tool or a function */
    readonly by: string
  }
  /** What `stable_tokens` would be with everything first that no request changes */
  readonly could_be: number
}

/** A text part that a prompt fills */
export type PromptPart = {
  /** The id of a prompt, or a document as in the catalog */
  readonly prompt: string | Readonly<Record<string, unknown>>
  /** The prompt’s variables */
  readonly variables?: Readonly<Record<string, unknown>>
}

/** The next piece of what the model thinks */
export type ReasoningDeltaEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'reasoning.delta'
  /** A piece of text */
  readonly text: string
}

/** What the reflector says after a round */
export type Reflection = {
  /** The model’s own */
  readonly reflection_id?: string
  /** Why it did not go well */
  readonly root_causes: readonly string[]
  /** What was not true */
  readonly incorrect_assumptions: readonly string[]
  /** Other ways */
  readonly alternative_approaches: readonly string[]
  /** What to change, as the model writes it */
  readonly optimization_suggestions: readonly Readonly<Record<string, unknown>>[]
  /** What the next plan should heed */
  readonly lessons_learned: readonly string[]
  /** Whether another round is worth it */
  readonly should_replan: boolean
  /** The model’s answer could not be used */
  readonly unusable?: true
}

/** The result of the reflection */
export type ReflectionEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'reflection'
  /** From 1 */
  readonly round: number
  readonly reflection: Reflection
}

/** `RenderRequest` of openapi.yaml. */
export type RenderRequest = {
  /** What the templates read as `.variables` */
  readonly variables?: Readonly<Record<string, unknown>>
  /** What it is for, such as chat, completion, codereview: 400 unless prompt and tools support it */
  readonly scenario?: string
  /** A conversation assembled from texts, prompts and parts; follows the prompt that the path names */
  readonly compose?: readonly ComposeItem[]
}

/** `RenderResult` of openapi.yaml. */
export type RenderResult = {
  /** Errors say `error` */
  readonly status: 'success'
  /** Whether `rendered_prompt` is a text or messages */
  readonly kind: 'prompt' | 'messages'
  /** The text of a `userPrompt`, or the messages */
  readonly rendered_prompt: string | readonly RenderedMessage[]
  /** Tools that failed and what was printed instead, variables the prompt does not know, parameters that only a model reads, and a prompt that is older than its document */
  readonly warnings?: readonly Warning[]
  readonly explain?: Explanation
}

/** An OpenAI chat message */
export type RenderedMessage = {
  /** Such as `system` or `user` */
  readonly role: string
  /** A text, or content parts */
  readonly content: unknown
  readonly [name: string]: unknown
}

/** The model is asked again */
export type RetryEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'retry'
  /** From 1 */
  readonly attempt: number
  readonly error: Failure
}

/** Retracts every delta since `step.started`, or every event after `to` */
export type RollbackEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'rollback'
  /** Why, such as `taken_over` */
  readonly reason: string
  /** From 1 */
  readonly attempt: number
  /** With `taken_over`: the id of the last event that is still valid */
  readonly to?: string
}

/** A conversation with an agent */
export type Session = {
  /** Its id */
  readonly id: string
  /** Agent of the active context */
  readonly agent: string
  /** Number of the last turn, 0 before the first */
  readonly turn: number
  /** What its last turn does */
  readonly status: 'idle' | 'running' | 'paused' | (string & {})
  /** The context of turns that name none */
  readonly active_context: string
  readonly usage: Usage
  /** In the currency of the configured prices */
  readonly cost?: number
  /** ISO 8601 */
  readonly created_at: string
  /** When it is deleted unless it is used, ISO 8601; null for never */
  readonly expires_at: string | null
}

/** `SessionPage` of openapi.yaml. */
export type SessionPage = {
  /** Of this page */
  readonly items: readonly Session[]
  /** How many there are, on all pages */
  readonly total: number
  /** `cursor` of the next page; absent on the last one */
  readonly next_cursor?: string
}

/** Older messages were summarized */
export type StepCompactedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'compacted'
  /** Of the whole conversation */
  readonly tokens_before: number
  /** With the summary */
  readonly tokens_after: number
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** A call of the model starts */
export type StepOfTaskStartedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'step.started'
  /** From 1 */
  readonly step: number
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** The next piece of what the model thinks */
export type StepReasoningDeltaEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'reasoning.delta'
  /** A piece of text */
  readonly text: string
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** The model is asked again */
export type StepRetryEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'retry'
  /** From 1 */
  readonly attempt: number
  readonly error: Failure
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** Retracts every delta since `step.started`, or every event after `to` */
export type StepRollbackEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'rollback'
  /** Why, such as `taken_over` */
  readonly reason: string
  /** From 1 */
  readonly attempt: number
  /** With `taken_over`: the id of the last event that is still valid */
  readonly to?: string
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** A call of the model starts */
export type StepStartedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'step.started'
  /** From 1 */
  readonly step: number
}

/** The next piece of the answer */
export type StepTextDeltaEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'text.delta'
  /** A piece of text */
  readonly text: string
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** A tool is called */
export type StepToolCalledEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'tool.called'
  readonly call: ToolCall
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** The result of a tool */
export type StepToolResultEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'tool.result'
  /** Of the call */
  readonly call_id: string
  /** Whether it succeeded */
  readonly ok: boolean
  /** Why it failed, or was not called */
  readonly code?:
    | 'invalid_arguments'
    | 'unknown_tool'
    | 'invalid_tool'
    | 'missing_secret'
    | 'forbidden'
    | 'host_not_allowed'
    | 'address_refused'
    | 'circuit_open'
    | 'overloaded'
    | 'cancelled'
    | 'rejected'
    | 'unreachable'
    | 'connection_lost'
    | 'timeout'
    | 'upstream_error'
    | 'redirect_refused'
    | 'too_large'
    | 'bad_response'
    | 'internal'
    | 'not_executed'
    | 'approval_rejected'
    | (string & {})
  /** The beginning of the result, for one line */
  readonly preview: string
  /** The result as the model reads it, up to 32,768 characters */
  readonly output: string
  /** How long it took */
  readonly duration_ms: number
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** A step has another status */
export type StepUpdatedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'step.updated'
  /** From 1 */
  readonly round: number
  readonly step: TaskStep
}

/** What the run has used so far */
export type StepUsageEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'usage'
  readonly usage: Usage
  /** What it has cost */
  readonly cost?: number
  /** From 1 */
  readonly round: number
  /** The step that works */
  readonly step_id: string
}

/** A message of a session, as it is stored */
export type StoredMessage = {
  /** Its id */
  readonly id: string
  /** The turn that it belongs to */
  readonly turn: number
  /** What it is beside its role */
  readonly kind?: 'tool_result' | 'summary' | 'reminder' | 'interrupted' | (string & {})
  /** An OpenAI chat message */
  readonly message: {
    /** Who says it */
    readonly role: string
    readonly [name: string]: unknown
  }
}

/** `StoredMessagePage` of openapi.yaml. */
export type StoredMessagePage = {
  /** Of this page */
  readonly items: readonly StoredMessage[]
  /** How many there are, on all pages */
  readonly total: number
  /** `cursor` of the next page; absent on the last one */
  readonly next_cursor?: string
}

/** A task with its rounds */
export type Task = {
  /** Of a task */
  readonly id: string
  /** How far it is, or how it ended */
  readonly status:
    | 'queued'
    | 'running'
    | 'waiting'
    | 'completed'
    | 'exhausted'
    | 'failed'
    | 'timed_out'
    | 'cancelled'
    | (string & {})
  /** What is to be done */
  readonly description: string
  /** Agent that executes it; absent: the model with all tools of the catalog */
  readonly agent?: string
  /** ISO 8601 */
  readonly created_at: string
  /** When the task is deleted; absent before its end */
  readonly expires_at?: string
  /** false: state is in memory, and the task is lost when the process ends */
  readonly durable: boolean
  /** Facts of the task */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly usage?: Usage
  /** So far, in the currency of the configured prices */
  readonly cost?: number
  readonly result?: TaskResult
  readonly error?: Failure
  /** As far as they are */
  readonly rounds: readonly TaskRound[]
  readonly [name: string]: unknown
}

/** The last event of a task that was cancelled */
export type TaskCancelledEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'task.cancelled'
  readonly result: TaskResult
  readonly error?: Failure
}

/** The last event of a task that is done */
export type TaskCompletedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'task.completed'
  readonly result: TaskResult
  readonly error?: Failure
}

/** How a task is carried out */
export type TaskConfig = {
  /** Maximum number of rounds; default 5 */
  readonly max_reflection_rounds?: number
  /** Time limit, not counting the time it waits for approvals; default `TASK_TIMEOUT_MS` */
  readonly task_timeout_secs?: number
  /** Reflect and plan again after an evaluation; default true */
  readonly enable_auto_reflection?: boolean
  /** Overall score at which a successful round ends the task; default 80 */
  readonly success_threshold?: number
  /** Ask a model what to change before a step is repeated; default true */
  readonly enable_step_level_reflection?: boolean
  /** Maximum number of further attempts of a step; default 3 */
  readonly max_step_retries?: number
  /** Further plans of a round when one is refused; default 1 */
  readonly max_task_replanning_attempts?: number
  /** Number of failed rounds in a row that ends the task; default 3 */
  readonly max_consecutive_failures?: number
  /** A high correctness ends the task only if every step succeeded; default false */
  readonly require_success?: boolean
}

/** What happens in a task. Exactly one `task.<status>` comes last */
export type TaskEvent =
  | PhaseStartedEvent
  | PlanEvent
  | PlanRefusedEvent
  | StepUpdatedEvent
  | EvaluationEvent
  | ReflectionEvent
  | ApprovalRequiredEvent
  | ApprovalResolvedEvent
  | PausedEvent
  | GapEvent
  | StepOfTaskStartedEvent
  | StepTextDeltaEvent
  | StepReasoningDeltaEvent
  | StepToolCalledEvent
  | StepToolResultEvent
  | StepRollbackEvent
  | StepRetryEvent
  | StepCompactedEvent
  | StepUsageEvent
  | TaskCompletedEvent
  | TaskExhaustedEvent
  | TaskFailedEvent
  | TaskTimedOutEvent
  | TaskCancelledEvent

/** The last event of a task that used up its rounds or budget */
export type TaskExhaustedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'task.exhausted'
  readonly result: TaskResult
  readonly error?: Failure
}

/** The last event of a task that failed */
export type TaskFailedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'task.failed'
  readonly result: TaskResult
  readonly error?: Failure
}

/** `TaskPage` of openapi.yaml. */
export type TaskPage = {
  /** Of this page */
  readonly items: readonly TaskSummary[]
  /** How many there are, on all pages */
  readonly total: number
  /** `cursor` of the next page; absent on the last one */
  readonly next_cursor?: string
  readonly [name: string]: unknown
}

/** A phase of a round that is over */
export type TaskPhase = {
  /** Which */
  readonly phase: 'plan' | 'execute' | 'evaluate' | 'reflect' | (string & {})
  /** ISO 8601 */
  readonly started_at: string
  /** ISO 8601 */
  readonly ended_at: string
}

/** What a task came to */
export type TaskResult = {
  /** Why the task ended */
  readonly ended_by:
    | 'correctness'
    | 'threshold'
    | 'no_replan'
    | 'first_evaluation'
    | 'max_rounds'
    | 'budget'
    | 'consecutive_failures'
    | 'error'
    | 'timeout'
    | 'unanswered'
    | 'cancelled'
    | (string & {})
  /** What the best round made */
  readonly output: {
    /** Of the last step */
    readonly text: string
    /** The result of each step, by its id */
    readonly steps: Readonly<Record<string, unknown>>
    readonly [name: string]: unknown
  }
  /** Failed steps of the round that the output is from */
  readonly failure_count: number
  /** Number of rounds started */
  readonly rounds: number
  readonly usage: Usage
  /** In the currency of the configured prices */
  readonly cost?: number
}

/** A round, as far as it is */
export type TaskRound = {
  /** From 1 */
  readonly round: number
  readonly plan?: Plan
  readonly error?: Failure
  readonly evaluation?: Evaluation
  readonly reflection?: Reflection
  /** Those that are over */
  readonly phases?: readonly TaskPhase[]
  readonly [name: string]: unknown
}

/** A step of a plan */
export type TaskStep = {
  /** Unique in its plan */
  readonly id: string
  /** From 0 */
  readonly index: number
  /** Its name, where the planner gave one */
  readonly name?: string
  /** What is to be done */
  readonly description: string
  /** How long the planner expects it to take */
  readonly estimated_duration_secs?: number
  /** The tool that the step calls; absent for one that the agent carries out */
  readonly tool_id?: string
  /** Arguments of the tool */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Ids of steps that come before it */
  readonly dependencies: readonly string[]
  /** What the planner expects */
  readonly expected_output?: string
  /** How often it was started */
  readonly attempts: number
  /** Its status */
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'skipped' | (string & {})
  /** Result of the step */
  readonly output?: unknown
  readonly error?: Failure
  /** The id of the step whose failure it was skipped for */
  readonly because?: string
  /** In the body of a task, once the step has started: ISO 8601 */
  readonly started_at?: string
  /** In the body of a task, once the step has ended: ISO 8601 */
  readonly ended_at?: string
}

/** A task in lists */
export type TaskSummary = {
  /** Of a task */
  readonly id: string
  /** How far it is, or how it ended */
  readonly status:
    | 'queued'
    | 'running'
    | 'waiting'
    | 'completed'
    | 'exhausted'
    | 'failed'
    | 'timed_out'
    | 'cancelled'
    | (string & {})
  /** What is to be done */
  readonly description: string
  /** Agent that executes it; absent: the model with all tools of the catalog */
  readonly agent?: string
  /** ISO 8601 */
  readonly created_at: string
  /** When the task is deleted; absent before its end */
  readonly expires_at?: string
  readonly [name: string]: unknown
}

/** The last event of a task that took too long */
export type TaskTimedOutEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'task.timed_out'
  readonly result: TaskResult
  readonly error?: Failure
}

/** The next piece of the answer */
export type TextDeltaEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'text.delta'
  /** A piece of text */
  readonly text: string
}

/** Where a stretch of a text comes from */
export type TextSpan = {
  /** In UTF-16 units */
  readonly start: number
  /** Behind its last UTF-16 unit */
  readonly end: number
  /** The innermost origin. `text` is text of the template itself, `partial` of an included one; `function`: computed by a function from constants. */
  readonly kind: 'text' | 'variable' | 'environ' | 'tool' | 'partial' | 'function'
  /** Of a `variable` or `environ`, with the indices of loops: `variables.items.0.name` */
  readonly path?: string
  /** The name of the `function` or `tool` */
  readonly call?: string
  /** Where line and column are: the prompt, or what it includes */
  readonly template: string
  /** From 1 */
  readonly line: number
  /** From 1, in UTF-16 code units */
  readonly column: number
  /** Of a message of parts: which part the text is in */
  readonly part?: number
  /** The member of that part: `text` */
  readonly field?: string
}

/** What the model asks for */
export type ToolCall = {
  /** Of the call; its result names it */
  readonly id: string
  /** Of the tool */
  readonly name: string
  /** Of a tool that an MCP server has */
  readonly server?: string
  /** As the model wrote them */
  readonly arguments: Readonly<Record<string, unknown>>
}

/** A tool is called */
export type ToolCalledEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'tool.called'
  readonly call: ToolCall
}

/** Why a tool call failed */
export type ToolFailure = {
  readonly code: ToolFailureCode
  /** Human-readable */
  readonly message: string
}

/** Why a tool call failed: stable, to branch on */
export type ToolFailureCode =
  | 'invalid_arguments'
  | 'unknown_tool'
  | 'invalid_tool'
  | 'missing_secret'
  | 'forbidden'
  | 'host_not_allowed'
  | 'address_refused'
  | 'circuit_open'
  | 'overloaded'
  | 'cancelled'
  | 'rejected'
  | 'unreachable'
  | 'connection_lost'
  | 'timeout'
  | 'upstream_error'
  | 'redirect_refused'
  | 'too_large'
  | 'bad_response'
  | 'internal'
  | (string & {})

/** The result of a tool */
export type ToolResultEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'tool.result'
  /** Of the call */
  readonly call_id: string
  /** Whether it succeeded */
  readonly ok: boolean
  /** Why it failed, or was not called */
  readonly code?:
    | 'invalid_arguments'
    | 'unknown_tool'
    | 'invalid_tool'
    | 'missing_secret'
    | 'forbidden'
    | 'host_not_allowed'
    | 'address_refused'
    | 'circuit_open'
    | 'overloaded'
    | 'cancelled'
    | 'rejected'
    | 'unreachable'
    | 'connection_lost'
    | 'timeout'
    | 'upstream_error'
    | 'redirect_refused'
    | 'too_large'
    | 'bad_response'
    | 'internal'
    | 'not_executed'
    | 'approval_rejected'
    | (string & {})
  /** The beginning of the result, for one line */
  readonly preview: string
  /** The result as the model reads it, up to 32,768 characters */
  readonly output: string
  /** How long it took */
  readonly duration_ms: number
}

/** What the user says to an agent, and what comes of it */
export type Turn = {
  /** Its number, from 1 */
  readonly turn: number
  /** Its status */
  readonly status: 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | (string & {})
  readonly message?: AnswerMessage
  /** Of a completed turn: why it ended */
  readonly ended_by?: 'answer' | 'max_tool_turns' | 'budget' | 'loop' | 'format' | 'context' | (string & {})
  readonly usage?: Usage
  /** Model calls */
  readonly steps?: number
  /** Tool calls that ran */
  readonly tool_calls?: number
  /** In the currency of the configured prices */
  readonly cost?: number
  /** Of an agent with `answer: boxed`: the content of the last box */
  readonly boxed?: string
  /** Of an agent whose `answer` is a schema: the object that fits it */
  readonly value?: Readonly<Record<string, unknown>>
  readonly error?: Failure
  /** Of a paused turn: what it waits for */
  readonly approvals?: readonly Approval[]
  /** ISO 8601 */
  readonly started_at?: string
  /** ISO 8601 */
  readonly ended_at?: string
  readonly [name: string]: unknown
}

/** The last event of a turn that was cancelled */
export type TurnCancelledEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'turn.cancelled'
  readonly usage?: Usage
  /** What the turn has cost */
  readonly cost?: number
}

/** The last event of a turn with an answer */
export type TurnCompletedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'turn.completed'
  readonly result: TurnResult
}

/** What happens in a turn. Exactly one of `turn.completed`, `turn.failed` and `turn.cancelled` comes last */
export type TurnEvent =
  | TurnStartedEvent
  | ApprovalRequiredEvent
  | ApprovalResolvedEvent
  | PausedEvent
  | GapEvent
  | TurnCompletedEvent
  | TurnFailedEvent
  | TurnCancelledEvent
  | StepStartedEvent
  | TextDeltaEvent
  | ReasoningDeltaEvent
  | ToolCalledEvent
  | ToolResultEvent
  | RollbackEvent
  | RetryEvent
  | CompactedEvent
  | UsageEvent

/** The last event of a turn that failed */
export type TurnFailedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'turn.failed'
  readonly error: Failure
  readonly usage?: Usage
  /** What the turn has cost */
  readonly cost?: number
}

/** What one turn may do; an agent’s own limits are not widened */
export type TurnLimits = {
  /** Turns of the session */
  readonly max_turns?: number
  /** Rounds of tool calls */
  readonly max_tool_turns?: number
  /** Calls of one message that are executed */
  readonly max_calls_per_turn?: number
  /** Model calls, the last answer included */
  readonly max_steps?: number
  /** Input and output tokens */
  readonly max_tokens?: number
  /** In the currency of the configured prices */
  readonly max_cost?: number
  /** Milliseconds; time spent waiting for approvals does not count */
  readonly max_ms?: number
}

/** `TurnRequest` of openapi.yaml. */
export type TurnRequest = {
  /** The user’s input; not a template */
  readonly input?: string
  /** The same as content parts */
  readonly parts?: readonly Readonly<Record<string, unknown>>[]
  /** Answer as server-sent events */
  readonly stream?: boolean
  /** Default: the active context */
  readonly context?: string
  readonly limits?: TurnLimits
}

/** What a turn came to */
export type TurnResult = {
  /** Its number, from 1 */
  readonly turn: number
  /** Always `completed` */
  readonly status: 'completed'
  readonly message: AnswerMessage
  /** Why the turn ended */
  readonly ended_by: 'answer' | 'max_tool_turns' | 'budget' | 'loop' | 'format' | 'context' | (string & {})
  readonly usage: Usage
  /** Model calls */
  readonly steps: number
  /** Tool calls that ran */
  readonly tool_calls: number
  /** In the currency of the configured prices */
  readonly cost?: number
  /** Of an agent with `answer: boxed`: the content of the last box */
  readonly boxed?: string
  /** Of an agent whose `answer` is a schema */
  readonly value?: Readonly<Record<string, unknown>>
}

/** The turn has started */
export type TurnStartedEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'turn.started'
  /** Its number, from 1 */
  readonly turn: number
  /** Who answers */
  readonly agent: string
  /** Changes with the document of the agent */
  readonly agent_revision: string
}

/** Token counts */
export type Usage = {
  /** Those from a cache included */
  readonly input_tokens: number
  /** Reasoning included */
  readonly output_tokens: number
  /** Input tokens from a cache */
  readonly cached_tokens: number
}

/** What the run has used so far */
export type UsageEvent = {
  /** The name of the event, and of this shape */
  readonly type: 'usage'
  readonly usage: Usage
  /** What it has cost */
  readonly cost?: number
}

/** One version of a prompt, without its texts */
export type VersionSummary = {
  /** Its number, from 1 */
  readonly version: number
  /** SHA-256 of what it holds */
  readonly digest: string
  /** `x-prompt-revision` of its renders */
  readonly revision: string
  /** Who published it */
  readonly author?: string
  /** When it was published */
  readonly at?: string
  /** Why it was published */
  readonly note?: string
  /** Labels that serve it */
  readonly labels: readonly string[]
  /** True when its key holds something else by now */
  readonly replaced?: boolean
}

/** `VersionsAnswer` of openapi.yaml. */
export type VersionsAnswer = {
  /** Of the prompt */
  readonly id: string
  /** The newest first */
  readonly versions: readonly VersionSummary[]
}

/** What a render or a tool wants looked at */
export type Warning = {
  /** Of a tool that failed: its id */
  readonly tool?: string
  /** What of the request it is about */
  readonly path?: string
  readonly code: WarningCode
  /** Human-readable */
  readonly message: string
  /** What a template got in place of the result */
  readonly substituted?: unknown
}

/** Why: stable, to branch on. Of a tool that failed, the failure */
export type WarningCode =
  | 'unknown_variable'
  | 'ignored_parameter'
  | 'no_value'
  | 'bad_format'
  | 'missing_field'
  | 'unexpected_result'
  | 'stale_prompt'
  | 'missing_dependence'
  | 'unreleased'
  | 'invalid_arguments'
  | 'unknown_tool'
  | 'invalid_tool'
  | 'missing_secret'
  | 'forbidden'
  | 'host_not_allowed'
  | 'address_refused'
  | 'circuit_open'
  | 'overloaded'
  | 'cancelled'
  | 'rejected'
  | 'unreachable'
  | 'connection_lost'
  | 'timeout'
  | 'upstream_error'
  | 'redirect_refused'
  | 'too_large'
  | 'bad_response'
  | 'internal'
  | (string & {})

/** Body of `renderPrompt`. */
export type RenderBody = RenderRequest

/** Answer of `renderPrompt`. */
export type RenderAnswer = RenderResult

/** Body of `renderInline`. */
export type RenderInlineBody = InlineRenderRequest

/** Body of `chatWithPrompt`. */
export type ChatBody = ChatRequest

/** Answer of `chatWithPrompt`. */
export type ChatAnswer = ChatCompletion

/** Answer of `listPrompts`. */
export type PromptList = EntryPage
