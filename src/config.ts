import { readFileSync } from 'node:fs'
import { isLoopback } from './http/doors/is-loopback.js'
import { createFillingChecks } from './schema/ajv.js'
import type { SchemaProblem } from './schema/check/schema-problem.js'
import { ConfigFile, type SecretReference } from './schema/config-file.js'
import { configFileProblems, yamlFileProblem } from './schema/config-file-problems.js'
import { ownSchema } from './schema/json-schema.js'
import { MAX_CONFIG_FILE_CHARACTERS, MAX_CONFIG_FILE_TOKENS } from './schema/limits.js'
import { compileDefaults, type FillDefaults } from './schema/schema-defaults.js'
import { Settings } from './schema/settings.js'
import type { TSchema } from './schema/type.js'
import { unknownNames } from './unknown-names.js'
import { errorCode, errorMessage } from './util/errors/error-message.js'
import { type JsonObject, type JsonValue, jsonOrText } from './util/json/json.js'
import { jsonObject } from './util/json/json-fields.js'
import { MAX_FOREIGN_DEPTH } from './util/limits.js'
import { named } from './util/named.js'
import { runNow } from './util/slices/sliced.js'
import { commaList } from './util/text/comma-list.js'
import { readWebhookKey } from './util/webhook-key.js'
import { readYaml } from './util/yaml/read-yaml.js'
import { readPublicKey } from './versions/signature.js'

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>

/** The whole configuration: each setting in camelCase, the file's sections, secrets resolved. Deeply frozen. */
export type Config = {
  readonly [Name in keyof Settings as CamelCase<Name>]: Settings[Name]
} & {
  readonly file: Omit<ConfigFile, 'secrets'>
  /** By name, for headers of tools. */
  readonly secrets: Readonly<Record<string, ConfiguredSecret>>
  /** What is probably a mistake, and may be somebody else's variable. */
  readonly warnings: readonly string[]
  /** The value of a secret reference of the file. */
  readonly resolveSecret: (reference: SecretReference) => string
}

/** A secret's value, and where it may go. */
export interface ConfiguredSecret {
  readonly value: string
  readonly hosts?: readonly string[]
}

/** The environment, and the one way to read files, as arguments. */
export interface ConfigSources {
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly readFile?: (path: string) => string
}

/** Problems that a message lists. */
const MAX_SHOWN = 100

/** Everything that is wrong with the configuration, in one message. The process ends with 78 (EX_CONFIG). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const shown = problems.slice(0, MAX_SHOWN).map((problem) => `  - ${problem}`)
    const others = problems.length - shown.length
    if (others > 0) shown.push(`  - and ${others} more`)
    super(`Invalid configuration:\n${shown.join('\n')}`)
    this.problems = problems
  }
}

/** A row of the README's configuration table. */
export interface SettingRow {
  readonly name: string
  readonly defaultValue: string
  readonly description: string
  readonly secret: boolean
}

type SettingSchema = TSchema & {
  readonly type?: string
  readonly default?: JsonValue
  readonly description?: string
  readonly secret?: boolean
}

const SETTINGS: Readonly<Record<string, SettingSchema>> = Settings.properties
const NAMES = Object.keys(SETTINGS)
const fillSettings = compileDefaults(jsonObject(Settings))
const checkAgainstSchema = ownSchema(Settings)
const fileCheck = ownSchema(ConfigFile)
const describing = createFillingChecks({ describesFiles: true })
const describeSettings = describing<Settings>(Settings)
const fillFile = describing<ConfigFile>(ConfigFile)
const KNOWN_NAMES = NAMES.flatMap((name) => (SETTINGS[name]?.secret ? [name, `${name}_FILE`] : [name]))

/** The rows of the README's configuration table, in order. */
export function settingRows(): readonly SettingRow[] {
  return Object.entries(SETTINGS).map(([name, schema]) => ({
    name,
    defaultValue: toDefaultText(schema.default),
    description: schema.description ?? '',
    secret: schema.secret === true,
  }))
}

/**
 * Reads the configuration once: environment, `NAME_FILE` secrets, `CONFIG_FILE`.
 *
 * @throws ConfigError naming every problem at once
 */
export function loadConfig(sources: ConfigSources = {}): Config {
  const environment = sources.environment ?? process.env
  const readFile = sources.readFile ?? ((path: string) => readFileSync(path, 'utf8'))
  const problems: string[] = []
  const reading = { environment, readFile, problems }
  const texts = settingTexts(reading)
  const settings = checkSettings(texts, problems)
  const file = loadFile(texts['CONFIG_FILE'], reading)
  problems.push(
    ...unknownUpstreams(file),
    ...doorProblems(texts),
    ...saveProblems(texts),
    ...gateProblems(file),
  )
  const { values, secrets } = resolveSecrets(file, reading)
  const unknown = unknownNames(Object.keys(environment), [...KNOWN_NAMES, ...referencedNames(file)])
  problems.push(...unknown.problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const { secrets: _references, ...sections } = file
  const config = { ...toCamelCase(settings), file: sections, secrets, warnings: unknown.warnings }
  return deepFreeze({
    ...config,
    resolveSecret: (reference: SecretReference) => values.get(keyOf(reference)) ?? '',
  }) as Config
}

/** What is read from, and what turns out to be wrong. */
interface Reading extends Required<ConfigSources> {
  readonly problems: string[]
}

function settingTexts(reading: Reading): Record<string, string> {
  const { environment, problems } = reading
  const texts: Record<string, string> = {}
  for (const name of NAMES) {
    const path = SETTINGS[name]?.secret === true ? environment[`${name}_FILE`] : undefined
    const direct = environment[name]
    if (path && direct) problems.push(`${name} and ${name}_FILE are both set: keep one`)
    const text = path ? readSecretFile(`${name}_FILE`, path, reading) : direct
    // An empty variable is an unset one: compose files write `${NAME:-}`.
    if (text !== undefined && text !== '') texts[name] = text
  }
  return texts
}

function readSecretFile(name: string, path: string, { readFile, problems }: Reading): string | undefined {
  try {
    return readFile(path).trim()
  } catch (error) {
    problems.push(`${name}: cannot read ${path} (${codeOf(error)})`)
    return undefined
  }
}

function checkSettings(
  texts: Readonly<Record<string, string>>,
  problems: string[],
): Readonly<Record<string, JsonValue>> {
  const given = Object.entries(texts).map(
    ([name, text]) => [name, toTyped(named(SETTINGS, name), text)] as const,
  )
  const values = filledWith(fillSettings, Object.fromEntries(given))
  // What is in order needs no words, and not the library that has them.
  if (checkAgainstSchema(values).problems.length > 0)
    problems.push(...describeSettings(values).problems.map((problem) => settingProblem(problem, texts)))
  return values
}

function toTyped(schema: SettingSchema, text: string): JsonValue {
  switch (schema.type) {
    case 'integer':
      return /^[+-]?\d+$/.test(text) ? Number(text) : text
    case 'boolean':
      return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()] ?? text
    case 'array':
      return commaList(text)
    case 'object':
      return jsonOrText(text)
    default:
      return text
  }
}

function settingProblem(problem: SchemaProblem, texts: Readonly<Record<string, string>>): string {
  const [name = ''] = problem.path
  const schema = SETTINGS[name]
  const shown = schema?.secret === true ? 'the value' : JSON.stringify(texts[name] ?? '')
  const [prefix] = (schema?.description ?? '').split(';')
  return `${name}: ${shown} ${explain(problem)}${schemeMeant(name, problem, shown)} (${prefix})`
}

const WEB = '^https?://'
const HOST_AND_PORT = /^"([\w.-]+(?::\d+)?)(\/[^"\s]*)?"$/

/** What to write for a host without a scheme. APIs of OpenAI's kind are below their version. */
function schemeMeant(name: string, { keyword, params }: SchemaProblem, shown: string): string {
  if (keyword !== 'pattern' || params['pattern'] !== WEB) return ''
  const [, host, path = name === 'LLM_BASE_URL' ? '/v1' : ''] = HOST_AND_PORT.exec(shown) ?? []
  return host === undefined ? '' : `: write http://${host}${path}`
}

function explain({ keyword, params, message }: SchemaProblem): string {
  if (keyword !== 'pattern') return message
  return URL_FORMS.get(String(params['pattern'])) ?? 'does not have the right form'
}

/** What settings that are URLs are, by their pattern. */
const URL_FORMS: ReadonlyMap<string, string> = new Map([
  [WEB, 'must start with http:// or https://'],
  ['^[a-z+]+://', 'must start with redis://, rediss:// or another scheme of Redis'],
])

function loadFile(path: string | undefined, reading: Reading): ConfigFile {
  if (path === undefined) return emptyFile()
  const sections = readSections(path, reading)
  const { filled, problems } = fillFile(sections)
  if (filled !== undefined) return filled
  reading.problems.push(...configFileProblems(problems))
  return emptyFile()
}

/** Without keys everybody may do everything, so an address for other machines would be open to all. */
function doorProblems(texts: Readonly<Record<string, string>>): string[] {
  if (texts['HOST']?.startsWith('unix:') && texts['ADMIN_PORT'] !== undefined)
    return ['ADMIN_PORT: HOST is a socket, which has no ports']
  const hasKeys = texts['API_KEYS'] !== undefined || texts['KEYS_FILE'] !== undefined
  if (hasKeys || texts['METRICS_ACCESS'] !== 'admin') return []
  return ['METRICS_ACCESS: admin needs keys, of API_KEYS or KEYS_FILE']
}

/** What a browser may write is a directory of this machine, and nothing else. */
function saveProblems({ PAGE_SAVE, HOST, REDIS_URL, CATALOG_DIR }: Record<string, string>): string[] {
  if (PAGE_SAVE === undefined || !/^(?:true|1)$/i.test(PAGE_SAVE)) return []
  if (REDIS_URL !== undefined || CATALOG_DIR === undefined)
    return ['PAGE_SAVE: needs a catalog in CATALOG_DIR, without REDIS_URL']
  return HOST === undefined || isLoopback(HOST) ? [] : ['PAGE_SAVE: needs a loopback address in HOST']
}

/** A gate that nothing can pass, or that does not hold what it says, would show only when somebody promotes. */
function gateProblems({ labels }: ConfigFile): string[] {
  return Object.entries(labels).flatMap(([label, { required, signers }]) => {
    const place = `CONFIG_FILE /labels/${label}`
    const count = Object.keys(signers).length
    const few = count < required ? [`${place}/required: needs ${required} signers and has ${count}`] : []
    return [...few, ...Object.entries(signers).flatMap(keyProblems(place))]
  })
}

function keyProblems(place: string) {
  return ([signer, keys]: [string, readonly string[]]): string[] =>
    keys.flatMap((key, index) => {
      try {
        readPublicKey(key)
        return []
      } catch {
        return [`${place}/signers/${signer}/${index}: is not an Ed25519 public key (PEM, or its base64 line)`]
      }
    })
}

/** A route to nowhere would show only when a model is asked for. `LLM_BASE_URL` is the upstream `default`. */
function unknownUpstreams({ upstreams, models, tapes }: ConfigFile): string[] {
  const known = ['default', ...Object.keys(upstreams), ...Object.keys(tapes)]
  return models.flatMap(({ upstream }, index) =>
    known.includes(upstream)
      ? []
      : [
          `CONFIG_FILE /models/${index}/upstream: no upstream is named "${upstream}", but ${known.join(', ')}`,
        ],
  )
}

function readSections(path: string, { readFile, problems }: Reading): JsonValue {
  try {
    const text = readFile(path)
    if (text.length > MAX_CONFIG_FILE_CHARACTERS)
      throw new Error(`larger than ${MAX_CONFIG_FILE_CHARACTERS} characters`)
    const bounds = { maxTokens: MAX_CONFIG_FILE_TOKENS }
    return runNow(readYaml(text, MAX_FOREIGN_DEPTH, bounds)).value ?? {}
  } catch (error) {
    problems.push(`CONFIG_FILE: ${yamlFileProblem(path, error)}`)
    return {}
  }
}

function resolveSecrets(
  file: ConfigFile,
  reading: Reading,
): { values: Map<string, string>; secrets: Record<string, ConfiguredSecret> } {
  const { environment, problems } = reading
  const values = new Map<string, string>()
  const resolve = (where: string, reference: SecretReference): string => {
    const value =
      'env' in reference
        ? environment[reference.env]
        : readSecretFile(`CONFIG_FILE ${where}`, reference.file, reading)
    if ('env' in reference && !value) problems.push(`CONFIG_FILE ${where}: ${reference.env} is not set`)
    values.set(keyOf(reference), value ?? '')
    return value ?? ''
  }
  for (const [name, upstream] of Object.entries(file.upstreams)) {
    if (upstream.apiKey !== undefined) resolve(`/upstreams/${name}/apiKey`, upstream.apiKey)
  }
  for (const [index, { secret }] of file.webhooks.entries()) {
    const where = `/webhooks/${index}/secret`
    const value = resolve(where, secret)
    if (value !== '' && readWebhookKey(value) === undefined)
      problems.push(`CONFIG_FILE ${where}: must be base64 of 24 to 64 bytes, such as whsec_…`)
  }
  const secrets = Object.entries(file.secrets).map(([name, { hosts, ...reference }]) => {
    const value = resolve(`/secrets/${name}`, reference)
    return [name, hosts === undefined ? { value } : { value, hosts }] as const
  })
  return { values, secrets: Object.fromEntries(secrets) }
}

function keyOf(reference: SecretReference): string {
  return 'env' in reference ? `env:${reference.env}` : `file:${reference.file}`
}

/** Variables that the file takes secrets from. */
function referencedNames({ upstreams, secrets, webhooks }: ConfigFile): string[] {
  const references = [
    ...Object.values(upstreams).map(({ apiKey }) => apiKey),
    ...Object.values(secrets),
    ...webhooks.map(({ secret }) => secret),
  ]
  return references.flatMap((reference) =>
    reference !== undefined && 'env' in reference ? [reference.env] : [],
  )
}

/** The contents of an empty file: every section has a default. */
function emptyFile(): ConfigFile {
  const sections = filledWith(compileDefaults(jsonObject(ConfigFile)), {})
  if (isConfigFile(sections)) return sections
  throw new TypeError('a section of the configuration file has no default')
}

/** Given values with defaults of their own: those of the schema are nobody's to change. */
function filledWith(fill: FillDefaults | undefined, given: JsonObject): JsonObject {
  return structuredClone(fill?.(given) ?? given)
}

function isConfigFile(sections: JsonValue): sections is ConfigFile & JsonObject {
  return fileCheck(sections).problems.length === 0
}

function toCamelCase(values: Readonly<Record<string, JsonValue>>): Record<string, unknown> {
  const set = NAMES.filter((name) => values[name] !== undefined)
  return Object.fromEntries(set.map((name) => [camelCase(name), values[name]]))
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

function toDefaultText(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function codeOf(error: unknown): string {
  return errorCode(error) ?? errorMessage(error)
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
