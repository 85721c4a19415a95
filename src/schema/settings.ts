import { LOG_FORMATS, LOG_LEVELS } from '../util/logger.js'
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
 * and of the README's table. Lists are comma-separated, maps are JSON. `secret: true` adds a `NAME_FILE` variant
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
    'Processes of `serve` that share the port; limits, circuits and caches are per worker (docs/scaling.md)',
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
    'Catalog in Redis, such as `redis://:password@host:6379/0`, `redis+sentinel://…` or `redis+cluster://…` (docs/registry.md); beats `CATALOG_DIR`',
    { pattern: '^[a-z+]+://', secret: true },
  ),
  CATALOG_DIR: text('Catalog in a directory; default is the bundled `examples/catalog`'),
  CATALOG_FOLLOW_LINKS: flag(
    false,
    'Read what symbolic links out of `CATALOG_DIR` point to; links within it, as Kubernetes mounts them, always work',
  ),
  KEY_PREFIX: Type.String({
    default: 'shenma',
    pattern: '^[^\\s*?\\[\\]\\\\{}]*[^\\s*?\\[\\]\\\\{}:]$',
    description: 'First part of every Redis key of the catalog',
  }),
  RESYNC_INTERVAL_MS: Type.Optional(
    integer(
      'Within this time a change that the store did not tell is found by comparing everything; default is a minute, or a second per 2,500 documents where that is longer',
      { minimum: 100, maximum: 86_400_000 },
    ),
  ),
  RENDER_TIMEOUT_MS: integer('Wall-clock limit of one render, tools included', {
    default: 500,
    minimum: 1,
    maximum: 600_000,
  }),
  RENDER_STRICT: flag(
    false,
    'Every path a template mentions must exist, also in branches that are not taken',
  ),
  MAX_TEMPLATE_BYTES: integer('Longest text of a prompt, one message or part', {
    default: 262_144,
    minimum: 1_024,
    maximum: 16_777_216,
  }),
  TEMPLATE_CACHE_SIZE: integer('Compiled prompts kept, least recently used go first', {
    default: 100,
    minimum: 1,
    maximum: 1_000_000,
  }),
  MAX_BODY_BYTES: integer('Largest request body', {
    default: 4_194_304,
    minimum: 1_024,
    maximum: 268_435_456,
  }),
  MAX_BODY_VALUES: integer(
    'Most values of a request body: list elements, and names and values of objects, at every depth',
    { default: 100_000, minimum: 100, maximum: 100_000_000 },
  ),
  LLM_BASE_URL: text(
    'OpenAI-compatible endpoint, such as `https://api.deepseek.com/v1`; without it models are `echo`',
    { pattern: '^https?://' },
  ),
  LLM_API_KEY: optional.text('Key sent to `LLM_BASE_URL`', { minLength: 1, secret: true }),
  LLM_MODEL: text('Model of chats that name none, neither in request nor prompt'),
  LLM_SYSTEM_PROMPT: text(
    "System text before prompts that are one user message, unless their `options.system` says otherwise; the Go original's is `You are a helpful assistant.`",
  ),
  LLM_TIMEOUT_MS: integer('Longest wait for a model, per attempt', {
    default: 60_000,
    minimum: 1,
    maximum: 3_600_000,
  }),
  TOOL_BASE_URL: text('Base of relative tool urls whose module has none', { pattern: '^https?://' }),
  TOOL_BASE_URLS: Type.Record(Type.String(), Type.String({ pattern: '^https?://' }), {
    default: {},
    description: 'Base urls by module, as JSON: `{"codebase":"http://codebase:9000"}`',
  }),
  TOOL_TIMEOUT_MS: integer('Longest tool call, always within the render limit', {
    default: 10_000,
    minimum: 1,
    maximum: 600_000,
  }),
  TOOL_ALLOWED_HOSTS: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Further `host:port` patterns tools may call, such as `*.svc.local:80`; `*` matches anything',
  }),
  TOOL_MAX_RESPONSE_BYTES: integer('Largest answer of a tool, also after decompression', {
    default: 1_048_576,
    minimum: 1_024,
    maximum: 268_435_456,
  }),
  TOOL_MAX_REDIRECTS: integer(
    'Redirects of a tool that are followed, never with its credentials to another origin',
    { default: 0, minimum: 0, maximum: 10 },
  ),
  TOOL_CALL_ENABLED: flag(true, 'Whether `POST /api/tools/{id}/call` tries tools'),
  MCP_ENABLED: flag(true, 'Whether `/mcp` serves the catalog to MCP clients (docs/mcp.md)'),
  MCP_ALLOWED_ORIGINS: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Origins of web pages that may use `/mcp`, such as `https://tools.example`, beside those of this machine',
  }),
  STATE_URL: text(
    'Redis that keeps sessions and tasks, in the forms of `REDIS_URL`; default is `REDIS_URL`, and without both they live in memory (docs/sessions.md)',
    { pattern: '^[a-z+]+://', secret: true },
  ),
  STATE_LEASE_MS: integer(
    'After a process died, its turns may be taken over this much later; renewed every third of it',
    { default: 10_000, minimum: 300, maximum: 600_000 },
  ),
  CONTINUE_TURNS: flag(
    true,
    'Whether another process continues the turns of one that died, where that is safe; `false` ends them with `turn_interrupted`',
  ),
  SESSION_TTL_MS: integer('How long a session that nobody uses is kept', {
    default: 604_800_000,
    minimum: 1_000,
    maximum: 31_536_000_000,
  }),
  AGENT_TOOL_TIMEOUT_MS: integer('Longest tool call of an agent, where the tool itself is not stricter', {
    default: 60_000,
    minimum: 1,
    maximum: 3_600_000,
  }),
  TASK_CONCURRENCY: integer(
    'Tasks that this process works on at once; 0 leaves them to others (docs/tasks.md)',
    { default: 4, minimum: 0, maximum: 1_000 },
  ),
  TASK_TIMEOUT_MS: integer(
    'Longest time of a task that says nothing about it, waiting for approvals not counted',
    { default: 3_600_000, minimum: 1_000, maximum: 2_000_000_000 },
  ),
  API_KEYS: Type.Array(Type.String({ minLength: 8 }), {
    default: [],
    secret: true,
    description:
      'Keys that clients send as `Authorization: Bearer` or `x-api-key`, each of 8 characters or more; without these and `KEYS_FILE` nobody needs a key',
  }),
  KEYS_FILE: text(
    'Keys with names, scopes, prompts, limits and expiry, beside `API_KEYS`; read again when it changes (docs/keys.md)',
  ),
  METRICS_ACCESS: Type.Enum(['open', 'admin'], {
    default: 'open',
    description:
      'Who reads `/metrics` and `/api/status`: `open` as always, `admin` keys with the scope `admin` only',
  }),
  ADMIN_PORT: Type.Optional(
    integer(
      'Port of `HOST` for `/metrics`, `/api/status` and probes, without keys: the first two then answer nowhere else',
      { minimum: 0, maximum: 65535 },
    ),
  ),
  RATE_LIMIT: optional.text(
    'Requests per key (or address, where no known key is sent) and second, minute or hour, such as `600/m`',
    { pattern: RATE_PATTERN },
  ),
  ALLOW_ANONYMOUS: flag(
    false,
    'Serve without `API_KEYS` and `KEYS_FILE` on a `HOST` that others reach: everybody there may do everything',
  ),
  PROMPT_LABEL: Type.Optional(
    Type.String({
      pattern: `^${LABEL_PATTERN}$`,
      description:
        'The label of requests that name neither version nor label, such as `production`; default: drafts',
    }),
  ),
  ALLOWED_HOSTS: Type.Array(Type.String({ pattern: HOST_NAME }), {
    default: [],
    description:
      'Host names the service is reached by, such as `prompts.example`: allowed as `Host` on a loopback address without keys, and as the origin of pages that send requests',
  }),
  LEGACY_API: flag(
    false,
    'Answer on `/api/*` with the bare lists and values of the Go original, but for requests that say `x-api-shape: 1` (docs/migration.md)',
  ),
  TRUST_PROXY: Type.String({
    default: 'false',
    pattern: '^[\\w.:/, ]+$',
    description:
      'Proxies in front, whose `X-Forwarded-For` names the client, read from the right: how many (`true` is 1), or their addresses and networks (`10.0.0.0/8, ::1`)',
  }),
  SPAN_CONTENTS: flag(
    false,
    'Spans hold what is said, too: variables, messages, arguments and answers of tools (docs/telemetry.md)',
  ),
  MAX_IN_FLIGHT: integer(
    'Requests that are answered at once, without event streams; more are refused with 503 `overloaded`; 0 is no limit',
    { default: 10_000, minimum: 0, maximum: 10_000_000 },
  ),
  MAX_LOOP_DELAY_MS: integer(
    'How long a request may wait for its turn while more come than can be answered, two fifths of it once they always do; others are refused with 503 `overloaded`, 0 is never',
    { default: 250, minimum: 0, maximum: 60_000 },
  ),
  WARM_UP: flag(
    true,
    'Read large libraries and connect to tools right after the start; `false` suits a process that soon ends',
  ),
  MAX_STALL_MS: integer(
    'How long the event loop may stand still before the process is ended: a worker is replaced, a single process exits with code 70; 0 is for ever',
    { default: 5_000, minimum: 0, maximum: 600_000 },
  ),
  DRAIN_DELAY_MS: integer(
    'After SIGTERM requests are taken this long, while `/readyz` says 503 and answers close their connections',
    { default: 0, minimum: 0, maximum: 600_000 },
  ),
  DRAIN_TIMEOUT_MS: integer(
    'After SIGTERM and `DRAIN_DELAY_MS` running requests, turns and steps of tasks may go on this long, then they are ended',
    { default: 10_000, minimum: 0, maximum: 3_600_000 },
  ),
})
export type Settings = Static<typeof Settings>
