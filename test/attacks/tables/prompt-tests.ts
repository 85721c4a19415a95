/** Files of tests beside a catalog, of which one takes long to find or to read. */
export interface PromptTestsRow {
  readonly name: string
  /** By path below the folder of tests. */
  readonly files: () => Readonly<Record<string, string>>
  /** What the tests of the prompt `a.hello` are then, as JSON. */
  readonly says: RegExp
}

const MANY = 10_000
const MEGABYTES = 8_000_000
const head = 'prompt: a.hello\n'
const aTest = '  - { name: greets, assert: [{ type: contains, value: Hello }] }\n'

/** What authors of a catalog may put there. */
export const PROMPT_TESTS: readonly PromptTestsRow[] = [
  {
    name: 'a file of a megabyte',
    files: () => ({ 'a.test.yaml': `${head}tests:\n${aTest}# ${'x '.repeat(500_000)}\n` }),
    says: /"name":"greets"/,
  },
  {
    name: 'more tests than are sent',
    files: () => ({
      'a.test.yaml': `${head}tests:\n${aTest.replace('greets', 'greets '.repeat(40)).repeat(1_900)}`,
    }),
    says: /more than 524288 characters: run its tests with/,
  },
  {
    name: 'a larger file',
    files: () => ({ 'a.test.yaml': `${head}tests: []\n# ${'x'.repeat(MEGABYTES)}` }),
    says: /larger than 1048576 bytes/,
  },
  {
    name: 'rows in JSON',
    files: () => ({
      'a.test.yaml': `${head}tests: file://rows.json\n`,
      'rows.json': `[${'{"name":"Ada"},'.repeat(30_000)}{"name":"Ada"}]`,
    }),
    says: /30001 tests of this prompt, more than 2000: run its tests with/,
  },
  {
    name: 'rows in YAML',
    files: () => ({
      'a.test.yaml': `${head}tests: file://rows.yaml\n`,
      'rows.yaml': '- {name: Ada}\n'.repeat(MANY),
    }),
    says: /more than 2000/,
  },
  {
    name: 'rows of a bomb',
    files: () => ({
      'a.test.yaml': `${head}tests: file://rows.yaml\n`,
      'rows.yaml': `${Array.from({ length: 26 }, (_, level) => `- &a${level} [${level === 0 ? 'x' : `*a${level - 1}, *a${level - 1}`}]\n`).join('')}`,
    }),
    says: /alias/i,
  },
  {
    name: 'thousands of problems',
    files: () =>
      Object.fromEntries(
        Array.from({ length: 300 }, (_, index) => [
          `f${index}.test.yaml`,
          `${head}tests: [${`{ ${'x'.repeat(100)}: 1 }, `.repeat(20)}]\n`,
        ]),
      ),
    says: /more than 524288 characters/,
  },
  {
    name: 'a text of megabytes as a prompt',
    files: () => ({
      'a.test.yaml': `prompts: [a.hello, file://prompt.txt]\ntests:\n${aTest}`,
      'prompt.txt': 'x'.repeat(MEGABYTES),
    }),
    says: /"name":"greets/,
  },
  {
    name: 'thousands of snapshots',
    files: () => ({
      'a.test.yaml': `${head}tests:\n${aTest}`,
      '__snapshots__/a.test.snap.yaml': Array.from(
        { length: 4_000 },
        (_, index) => `test ${index}: Hello to everybody ${index}\n`,
      ).join(''),
    }),
    says: /"name":"greets"/,
  },
  {
    name: 'thousands of files',
    files: () => ({
      'a.test.yaml': `${head}tests:\n${aTest}`,
      ...Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [`more/f${index}.test.yaml`, 'prompt: a.other\n']),
      ),
    }),
    says: /"name":"greets"/,
  },
]
