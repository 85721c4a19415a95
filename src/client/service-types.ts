// Written by `npm run openapi` from openapi.yaml: do not edit.

/** `compose` of bodies. */
export type Compose = readonly {
  /** Who speaks. Needed with `text` and `parts`; with `prompt` it is `user` unless given */
  readonly role?: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  /** Sent as it is: no template */
  readonly text?: string
  /** OpenAI content parts, sent as they are, and prompts that become text parts */
  readonly parts?: readonly (
    | {
        readonly prompt: string | Readonly<Record<string, unknown>>
        readonly variables?: Readonly<Record<string, unknown>>
      }
    | {
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
    readonly role: string
    readonly [name: string]: unknown
  }[]
  readonly name?: string
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly [name: string]: unknown
  }[]
}[]

/** Body of `renderPrompt`. */
export type RenderBody = {
  /** What the templates read as `.variables` */
  readonly variables?: Readonly<Record<string, unknown>>
  /** What it is for, such as chat, completion, codereview: 400 unless prompt and tools support it */
  readonly scenario?: string
  /** A conversation assembled from texts, prompts and parts; follows the prompt that the path names */
  readonly compose?: Compose
}

/** Answer of `renderPrompt`. */
export type RenderAnswer = {
  readonly status: 'success'
  readonly kind: 'prompt' | 'messages'
  readonly rendered_prompt:
    | string
    | readonly {
        readonly role: string
        readonly content: unknown
        readonly [name: string]: unknown
      }[]
  /** Tools that failed and what stands in their place, variables the prompt does not know, parameters that only a model reads, and a prompt that is older than its document */
  readonly warnings?: readonly {
    readonly tool?: string
    /** What of the request it is about */
    readonly path?: string
    /** `unknown_variable`, `stale_prompt`, `ignored_parameter`, or why a tool failed */
    readonly code: string
    readonly message: string
    readonly substituted?: unknown
  }[]
  /** What happened while it rendered; only with `explain` in the query */
  readonly explain?: {
    readonly dry_run: boolean
    readonly variables: readonly {
      readonly path: string
      readonly found: boolean
      readonly conditional: boolean
      readonly [name: string]: unknown
    }[]
    readonly tools: readonly {
      readonly tool: string
      readonly function: string
      readonly arguments: unknown
      readonly status: 'ok' | 'failed' | 'dry_run'
      readonly cached: boolean
      readonly start_ms: number
      readonly duration_ms: number
      readonly [name: string]: unknown
    }[]
    /** Of the rendered prompt, in the o200k_base encoding */
    readonly tokens: number
    readonly timeline: readonly {
      readonly name: string
      readonly start_ms: number
      readonly duration_ms: number
    }[]
    /** Only with `?explain=spans`: a list for each message, one for a `userPrompt`. The spans of a text follow each other without a gap. */
    readonly spans?: readonly (readonly {
      /** In UTF-16 units */
      readonly start: number
      readonly end: number
      /** The innermost origin. `text` stands in the template itself, `partial` in an included one; `function` made it of constants. */
      readonly kind: 'text' | 'variable' | 'environ' | 'tool' | 'partial' | 'function'
      /** Of a `variable` or `environ`, with the indices of loops: `variables.items.0.name` */
      readonly path?: string
      /** The name of the `function` or `tool` */
      readonly call?: string
      /** Where line and column are: the prompt, or what it includes */
      readonly template: string
      readonly line: number
      /** From 1, in UTF-16 code units */
      readonly column: number
      /** Of a message of parts: which part the text is in */
      readonly part?: number
      /** The member of that part: `text` */
      readonly field?: string
    }[])[]
    /** Only with `?explain=tokens`: the most first; together they are `tokens` */
    readonly tokens_by_origin?: readonly {
      /** The innermost origin. `text` stands in the template itself, `partial` in an included one; `function` made it of constants. */
      readonly kind: 'text' | 'variable' | 'environ' | 'tool' | 'partial' | 'function'
      /** Of a `variable` or `environ`, up to the first index */
      readonly path?: string
      /** The name of the `function` or `tool` */
      readonly call?: string
      /** The prompt that a `text` or `partial` stands in */
      readonly template?: string
      readonly tokens: number
    }[]
    /** Only with `?explain=tokens`: how much of the prompt a prefix cache can keep */
    readonly prefix?: {
      /** Before the first token that a request may change */
      readonly stable_tokens: number
      readonly breaks_at: null | {
        /** From 0; a `userPrompt` is one message */
        readonly message: number
        readonly template: string
        readonly line: number
        readonly column: number
        /** What changes there: a variable, a tool or a function */
        readonly by: string
      }
      /** What `stable_tokens` would be with everything first that no request changes */
      readonly could_be: number
    }
  }
}

/** Body of `renderInline`. */
export type RenderInlineBody = {
  /** A prompt document, as in the catalog */
  readonly prompt?: Readonly<Record<string, unknown>>
  /** A conversation assembled from texts, prompts and parts; follows the prompt that the path names */
  readonly compose?: Compose
  /** What it is for, such as chat, completion, codereview: 400 unless prompt and tools support it */
  readonly scenario?: string
  /** What the templates read as `.variables` */
  readonly variables?: Readonly<Record<string, unknown>>
}

/** Body of `chatWithPrompt`. */
export type ChatBody = {
  /** What it is for, such as chat, completion, codereview: 400 unless prompt and tools support it */
  readonly scenario?: string
  /** Default: the prompt’s `model`, then `LLM_MODEL` */
  readonly model?: string
  /** What the templates read as `.variables` */
  readonly variables?: Readonly<Record<string, unknown>>
  /** The conversation so far; follows the prompt’s own messages */
  readonly messages?: readonly {
    readonly role: string
    readonly [name: string]: unknown
  }[]
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
  readonly compose?: Compose
  readonly [name: string]: unknown
}

/** Answer of `chatWithPrompt`. */
export type ChatAnswer = {
  readonly id?: string
  readonly object?: string
  readonly model?: string
  readonly choices: readonly Readonly<Record<string, unknown>>[]
  readonly usage?: unknown
  readonly [name: string]: unknown
}

/** Answer of `listPrompts`. */
export type PromptList = {
  readonly items: readonly {
    readonly id: string
    readonly revision: string | null
    readonly [name: string]: unknown
  }[]
  /** How many match, on all pages */
  readonly total: number
  /** How many have errors; `?status=broken` lists them */
  readonly broken: number
  readonly next_cursor?: string
}
