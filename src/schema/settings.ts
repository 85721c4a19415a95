import { LOG_FORMATS, LOG_LEVELS } from '../util/telemetry/logger.js'
import { closedObject } from './any-object.js'
import { RATE_PATTERN } from './keys-file.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'
import { LABEL_PATTERN } from './version.js'

const integer = (description: string, rules: object) => Type.Integer({ ...rules, description })
const flag = (standard: boolean, description: string) => Type.Boolean({ default: standard, description })
const text = (description: string, rules: object = { minLength: 1 }) =>
  optional.text(description, { ...rules })

/** A host name or an address, with its port if it counts. */
const HOST_NAME = '^[^/\\s?#@*]+$'

/**
 * Every environment variable the service reads: the one source of the configuration object, of its validation
 * and of the table in docs/reference/configuration.md. Lists are comma-separated, maps are JSON. `secret: true` adds a `NAME_FILE` variant
 * and keeps the value out of every message.
 */
export const Settings = closedObject({
  HOST: Type.String({
    default: '127.0.0.1',
    pattern: '^(?!unix:(?!/.))',
    description:
      'Address to listen on, or `unix:/path` for a socket of mode 0660; the container sets 0.0.0.0. Any but a loopback address needs `API_KEYS`, `KEYS_FILE` or `ALLOW_ANONYMOUS`',
  }),
  PORT: integer('Port to listen on; 0 takes a free one', { default: 8080, minimum: 0, maximum: 65535 }),
  WORKERS: integer(
    'Number of processes of `serve` that share the port; limits, circuits and caches are per worker',
    { default: 1, minimum: 1, maximum: 256 },
  ),
  LOG_LEVEL: Type.Enum([...LOG_LEVELS], {
    default: 'info',
    description: `One of ${LOG_LEVELS.join(', ')}; \`info\` writes one line per request`,
  }),
  LOG_FORMAT: Type.Enum([...LOG_FORMATS], {
    default: 'auto',
    description:
      'Lines of the log: `json` for programs, `text` for people; `auto` is `text` where standard output is a terminal, else `json`',
  }),
  CONFIG_FILE: text('YAML file with the structured parts of the configuration'),
  REDIS_URL: text(
    'Catalog in Redis, such as `redis://:password@host:6379/0`, `redis+sentinel://…` or `redis+cluster://…`; takes precedence over `CATALOG_DIR`',
    { pattern: '^[a-z+]+://', secret: true },
  ),
  CATALOG_DIR: text('Directory of the catalog; default: the bundled `examples/catalog`'),
  CATALOG_FOLLOW_LINKS: flag(
    false,
    'Follow symbolic links that lead out of `CATALOG_DIR`; links within it, such as those of Kubernetes mounts, always work',
  ),
  KEY_PREFIX: Type.String({
    default: 'shenma',
    pattern: '^[^\\s*?\\[\\]\\\\{}]*[^\\s*?\\[\\]\\\\{}:]$',
    description: 'First part of every Redis key of the catalog',
  }),
  RESYNC_INTERVAL_MS: Type.Optional(
    integer(
      'Maximum time until a change without a notification is found by a full comparison; default: one minute, or one second per 2,500 documents if that is longer',
      { minimum: 100, maximum: 86_400_000 },
    ),
  ),
  RENDER_TIMEOUT_MS: integer('Time limit of one render, including its tool calls', {
    default: 500,
    minimum: 1,
    maximum: 600_000,
  }),
  RENDER_STRICT: flag(
    false,
    'Require every path that a template mentions, even in branches that are not taken',
  ),
  MAX_TEMPLATE_BYTES: integer('Maximum size of one text of a prompt: a message or a part', {
    default: 262_144,
    minimum: 1_024,
    maximum: 16_777_216,
  }),
  TEMPLATE_CACHE_SIZE: integer(
    'Number of compiled prompts to keep; the least recently used are dropped first',
    {
      default: 100,
      minimum: 1,
      maximum: 1_000_000,
    },
  ),
  MAX_BODY_BYTES: integer('Maximum size of a request body', {
    default: 4_194_304,
    minimum: 1_024,
    maximum: 268_435_456,
  }),
  MAX_BODY_VALUES: integer(
    'Maximum number of values in a request body: list elements, and names and values of objects, at every depth',
    { default: 100_000, minimum: 100, maximum: 100_000_000 },
  ),
  LLM_BASE_URL: text(
    'OpenAI-compatible endpoint, such as `https://api.deepseek.com/v1`; without an upstream the offline model `echo` answers',
    { pattern: '^https?://' },
  ),
  LLM_API_KEY: optional.text('API key for `LLM_BASE_URL`', { minLength: 1, secret: true }),
  LLM_MODEL: text('Default model, if neither the request nor the prompt names one'),
  LLM_SYSTEM_PROMPT: text(
    'System message for prompts that are a single user message, unless they set `options.system`; the Go original sends `You are a helpful assistant.`',
  ),
  LLM_TIMEOUT_MS: integer('Time limit of a model call, per attempt', {
    default: 60_000,
    minimum: 1,
    maximum: 3_600_000,
  }),
  TOOL_BASE_URL: text('Base URL for relative tool URLs of modules without one of their own', {
    pattern: '^https?://',
  }),
  TOOL_BASE_URLS: Type.Record(Type.String(), Type.String({ pattern: '^https?://' }), {
    default: {},
    description: 'Base URLs by module, as JSON: `{"codebase":"http://codebase:9000"}`',
  }),
  TOOL_TIMEOUT_MS: integer('Time limit of a tool call; in renders also bounded by `RENDER_TIMEOUT_MS`', {
    default: 10_000,
    minimum: 1,
    maximum: 600_000,
  }),
  TOOL_ALLOWED_HOSTS: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Additional `host:port` patterns that tools may call, such as `*.svc.local:80`; `*` allows every host',
  }),
  TOOL_MAX_RESPONSE_BYTES: integer('Maximum size of a tool response, before and after decompression', {
    default: 1_048_576,
    minimum: 1_024,
    maximum: 268_435_456,
  }),
  TOOL_MAX_REDIRECTS: integer(
    'Number of redirects to follow for a tool; its credentials are never sent to another origin',
    { default: 0, minimum: 0, maximum: 10 },
  ),
  TOOL_CALL_ENABLED: flag(true, 'Allow `POST /api/tools/{id}/call`'),
  MCP_ENABLED: flag(true, 'Serve the catalog to MCP clients at `/mcp`'),
  MCP_ALLOWED_ORIGINS: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Origins of web pages that may use `/mcp`, such as `https://tools.example`, in addition to those of this machine',
  }),
  STATE_URL: text(
    'Redis for sessions and tasks, in the forms of `REDIS_URL`; default: `REDIS_URL`; without both they are kept in memory',
    { pattern: '^[a-z+]+://', secret: true },
  ),
  STATE_LEASE_MS: integer(
    'Lease duration: how long after a crash another process may take over its turns; renewed every third of this time',
    { default: 10_000, minimum: 300, maximum: 600_000 },
  ),
  CONTINUE_TURNS: flag(
    true,
    'Continue the turns of a crashed process on another one where that is safe; `false` ends them with `turn_interrupted`',
  ),
  SESSION_TTL_MS: integer('How long an unused session is kept', {
    default: 604_800_000,
    minimum: 1_000,
    maximum: 31_536_000_000,
  }),
  RESPONSES_STORE: Type.Enum(['auto', 'always', 'never'], {
    default: 'auto',
    description:
      'Which responses of `/v1/responses` are kept: `auto` those whose request says so, `always` also those that say nothing, as at OpenAI, `never` none',
  }),
  RESPONSES_TTL_MS: integer(
    'How long a kept response lives after its last use; conversations until they are deleted',
    {
      default: 2_592_000_000,
      minimum: 1_000,
      maximum: 31_536_000_000,
    },
  ),
  AGENT_TOOL_TIMEOUT_MS: integer('Time limit of a tool call by an agent, unless the tool has a shorter one', {
    default: 60_000,
    minimum: 1,
    maximum: 3_600_000,
  }),
  TASK_CONCURRENCY: integer(
    'Number of tasks that this process runs at once; 0 leaves them to other processes',
    { default: 4, minimum: 0, maximum: 1_000 },
  ),
  TASK_TIMEOUT_MS: integer('Default time limit of a task, not counting the time it waits for approvals', {
    default: 3_600_000,
    minimum: 1_000,
    maximum: 2_000_000_000,
  }),
  API_KEYS: Type.Array(Type.String({ minLength: 8 }), {
    default: [],
    secret: true,
    description:
      'Keys that clients send as `Authorization: Bearer` or `x-api-key`, of 8 characters or more each; without `API_KEYS` and `KEYS_FILE` no key is needed',
  }),
  KEYS_FILE: text(
    'File of keys with names, scopes, prompts, limits and expiry, in addition to `API_KEYS`; reloaded when it changes',
  ),
  METRICS_ACCESS: Type.Enum(['open', 'admin'], {
    default: 'open',
    description:
      'Who may read `/metrics` and `/api/status`: `open`: no key needed; `admin`: only keys with the scope `admin`',
  }),
  ADMIN_PORT: Type.Optional(
    integer(
      'Port on `HOST` for `/metrics`, `/api/status` and probes, without keys; `/metrics` and `/api/status` are then served only there',
      { minimum: 0, maximum: 65535 },
    ),
  ),
  RATE_LIMIT: optional.text(
    'Requests per second, minute or hour, such as `600/m`, for each key (each address, if no known key is sent)',
    { pattern: RATE_PATTERN },
  ),
  ALLOW_ANONYMOUS: flag(
    false,
    'Allow a `HOST` that other machines can reach without `API_KEYS` and `KEYS_FILE`: everybody has full access',
  ),
  PROMPT_LABEL: Type.Optional(
    Type.String({
      pattern: `^${LABEL_PATTERN}$`,
      description:
        'Label used by requests that name neither a version nor a label, such as `production`; default: drafts',
    }),
  ),
  ALLOWED_HOSTS: Type.Array(Type.String({ pattern: HOST_NAME }), {
    default: [],
    description:
      'Host names by which clients reach the service, such as `prompts.example`: accepted as `Host` on a loopback address without keys, and as the origin of web pages that send requests',
  }),
  LEGACY_API: flag(
    false,
    'Answer on `/api/*` with the bare lists and values of the Go original, except requests with `x-api-shape: 1`',
  ),
  TRUST_PROXY: Type.String({
    default: 'false',
    pattern: '^[\\w.:/, ]+$',
    description:
      'Trusted proxies, whose `X-Forwarded-For` names the client, read from the right: their number (`true` is 1), or their addresses and networks (`10.0.0.0/8, ::1`)',
  }),
  SPAN_CONTENTS: flag(false, 'Record contents in spans: variables, messages, arguments and results of tools'),
  MAX_IN_FLIGHT: integer(
    'Maximum number of requests in progress, not counting event streams; more are rejected with 503 `overloaded`; 0: no limit',
    { default: 10_000, minimum: 0, maximum: 10_000_000 },
  ),
  PAGE_SAVE: flag(
    false,
    'Let the page, and keys with the scope `admin`, write prompts into `CATALOG_DIR`; needs a `HOST` that only this machine reaches',
  ),
  RECORD_VARIABLES: integer(
    'Sets of variables kept in state per prompt, for `impact`; 0 keeps none. They are personal data',
    { default: 0, minimum: 0, maximum: 10_000 },
  ),
  RECORD_VARIABLES_PERCENT: integer('How many of a hundred requests have their variables kept', {
    default: 100,
    minimum: 0,
    maximum: 100,
  }),
  RECORD_VARIABLES_TTL_MS: integer('How long recorded variables are kept; default is 7 days', {
    default: 604_800_000,
    minimum: 1_000,
    maximum: 31_536_000_000,
  }),
  MAX_LOOP_DELAY_MS: integer(
    'Longest queueing time before requests are rejected with 503 `overloaded` (40 % of it under sustained overload); 0: never rejected',
    { default: 250, minimum: 0, maximum: 60_000 },
  ),
  WARM_UP: flag(
    true,
    'Load large libraries, and those of the protocols of tools that can be called, and connect to tools right after the start; set `false` for short-lived processes',
  ),
  MAX_STALL_MS: integer(
    'How long the event loop may be blocked before the process is ended: a worker is replaced, a single process exits with code 70; 0: no limit',
    { default: 5_000, minimum: 0, maximum: 600_000 },
  ),
  DRAIN_DELAY_MS: integer(
    'How long requests are still accepted after SIGTERM, while `/readyz` returns 503 and answers close their connections',
    { default: 0, minimum: 0, maximum: 600_000 },
  ),
  DRAIN_TIMEOUT_MS: integer(
    'How long running requests, turns and task steps may continue after SIGTERM and `DRAIN_DELAY_MS` before they are ended',
    { default: 10_000, minimum: 0, maximum: 3_600_000 },
  ),
})
export type Settings = Static<typeof Settings>
