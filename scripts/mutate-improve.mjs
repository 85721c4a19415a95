// Removes each check of `improve` in turn, in a copy, and says whether its tests notice.
// node scripts/mutate-improve.mjs [name…]; needs a build; exits with 1 if one of them is not noticed.
import { openMutatedCopy, tryMutants } from './mutated-copy.mjs'

const CANDIDATE = 'src/proof/improve/candidate.ts'
const CHOICE = 'src/proof/improve/choose-candidate.ts'
const SPLIT = 'src/proof/improve/split-tests.ts'
const PROMPT = 'src/cli/improve/improve-prompt.ts'
const FILE = 'src/cli/improve/improve-file.ts'
const COMMAND = 'src/cli/improve/improve.ts'

/** A check: the file, what it says, and what stands there without it. */
const MUTANTS = {
  'leaving out what holds a text to what it was': [
    CANDIDATE,
    'test.claims.filter(({ type }) => type !== SNAPSHOT && type !== RENDERS)',
    'test.claims',
  ],
  'candidates that others beat': [CHOICE, 'beats(other, each) ||', ''],
  'candidates that equal another': [CHOICE, 'place < index && isEqual(other, each)', 'false'],
  'tests that a candidate loses': [CHOICE, 'gains.some((gain) => gain < 0)', 'false'],
  'short texts that fail everything': [CHOICE, 'now.train.passed > 0 && ', ''],
  'two tests at least': [SPLIT, 'tests.length < 2', 'false'],
  'a test in each part': [SPLIT, 'Math.min(tests.length - 1, Math.max(1, wanted))', 'wanted'],
  'tests that are never seen': [
    PROMPT,
    'scoreOf(withBody(prompt, body), tests.train,',
    'scoreOf(withBody(prompt, body), [...tests.train, ...tests.heldOut],',
  ],
  'trying candidates with them': [
    PROMPT,
    'scoreOf(withBody(prompt, candidate.body), tests.heldOut,',
    'scoreOf(withBody(prompt, candidate.body), tests.train,',
  ],
  'results that are known': [PROMPT, 'if (heldOut !== undefined) return', 'if (heldOut === null) return'],
  'candidates that are known': [PROMPT, 'known ?? (await tested', '(await tested'],
  'the budget of candidates': [PROMPT, 'file.answerTokens >= maxTokens', 'false'],
  'the budget of the model': [PROMPT, 'maxTokens - file.answerTokens', 'maxTokens'],
  'the end once all pass': [PROMPT, 'isPerfect ? PERFECT : ', ''],
  'going on while one fails': [PROMPT, 'Math.min(NEARLY, Math.floor((100 * passed) / total))', 'PERFECT'],
  'rounds that were done': [FILE, 'read: async () => this.#task', 'read: async () => undefined'],
  'the prompt and tests of a state': [FILE, "textField(kept, 'key') !== key", 'false'],
  'a state that is an object': [FILE, 'if (isJsonObject(value)) return value', 'return value as JsonObject'],
  'mistakes in files of tests': [COMMAND, 'if (problem !== undefined)', 'if (problem === null)'],
  'a prompt that is there': [COMMAND, 'if (!registry.current.prompts.has(id))', 'if (id === "")'],
  'a prompt with tests': [COMMAND, 'if (found === undefined)', 'if (found === null)'],
  'numbers within bounds': [COMMAND, 'number >= least &&', ''],
  'a model': [COMMAND, 'model !== undefined &&', ''],
  'the exit code': [
    COMMAND,
    'result.better === undefined ? EXIT.failed',
    'result.better === null ? EXIT.failed',
  ],
}

tryMutants(openMutatedCopy('improve.test.ts', {}, { isBuilt: true }), MUTANTS)
