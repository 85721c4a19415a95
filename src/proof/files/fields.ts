/** Fields of a test file, and what becomes of them. */
export const FILE_FIELDS = fields(
  ['prompt', 'prompts', 'defaults', 'defaultTest', 'tests', 'description', 'providers', 'targets'],
  [
    'evaluateOptions',
    'commandLineOptions',
    'outputPath',
    'sharing',
    'tags',
    'metadata',
    'writeLatestResults',
  ],
)

/** Fields of a test, and of the defaults of all tests of a file. */
export const TEST_FIELDS = fields(
  [
    'name',
    'description',
    'prompt',
    'prompts',
    'vars',
    'example',
    'environs',
    'tools',
    'assert',
    'threshold',
    'answer',
  ],
  ['metadata'],
  ['providerOutput'],
)

/** Fields of an assertion. */
export const CLAIM_FIELDS = fields(['type', 'value', 'threshold', 'weight', 'provider'], ['metric'])

/** Fields of one thing: those that are read, and those of other programs that change nothing about a verdict. */
export interface FieldTable {
  /** For suggestions. */
  readonly names: readonly string[]
  isKnown(name: string): boolean
}

function fields(...groups: readonly (readonly string[])[]): FieldTable {
  const names = groups.flat()
  const known: ReadonlySet<string> = new Set(names)
  return { names, isKnown: (name) => known.has(name) || /^(?:x-|\$|_)/.test(name) }
}
