import { anyObject, closedObject } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

const place = {
  file: Type.String({ description: 'Relative to the catalog' }),
  line: Type.Integer({ minimum: 1, description: 'From 1' }),
}

const TestProblem = Type.Object(
  {
    ...place,
    column: Type.Integer({ minimum: 1, description: 'From 1, in UTF-16 code units' }),
    message: Type.String({ description: 'Human-readable' }),
  },
  { title: 'TestFileProblem', description: 'What is wrong with a file of tests, or not understood' },
)

const problems = Type.Array(TestProblem, {
  description: 'Of files that name the prompt, and of those that are too large for the service',
})

const enabled = Type.Boolean({
  description: 'False where the service has no tests: its catalog is not a directory with a folder `tests`',
})

/** One test of a prompt, as its file states it. */
export const PromptTestSummary = Type.Object(
  {
    name: Type.String({ description: 'Unique in its file' }),
    ...place,
    prompt: Type.String({ description: 'The id as the test has it, with a version or a label' }),
    example: optional.text('The example that its variables begin with'),
    vars: anyObject({ description: 'Variables of the test and of its defaults' }),
    assertions: Type.Array(Type.String(), { description: 'Their names, such as `not-contains`' }),
    left_out: optional.text('Why the service does not run it, or not all of it'),
  },
  { title: 'PromptTestSummary', description: 'One test of a prompt, as its file states it' },
)

/** Answer of `GET /api/prompts/{id}/tests`. */
export const TestsAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    enabled,
    tests: Type.Array(PromptTestSummary, { description: 'In the order of their files' }),
    problems,
  },
  {
    title: 'TestsAnswer',
    examples: [
      {
        id: 'hello.greeting',
        enabled: true,
        tests: [
          {
            name: 'greets by name',
            file: 'tests/hello.test.yaml',
            line: 3,
            prompt: 'hello.greeting',
            vars: { name: 'Ada' },
            assertions: ['contains'],
          },
        ],
        problems: [],
      },
    ],
  },
)

/** Body of `POST /api/prompts/{id}/tests`. */
export const RunTestsBody = closedObject(
  {
    prompt: Type.Optional(
      anyObject({
        description: 'A draft of its document, tested in place of the prompt; needs the scope `inline`',
      }),
    ),
    names: optional.texts('Run only these tests', { maxLength: 1_000 }),
  },
  {
    title: 'RunTestsRequest',
    default: {},
    examples: [{ prompt: { userPrompt: 'Welcome {{.variables.name}}' } }],
  },
)
export type RunTestsBody = Static<typeof RunTestsBody>

const PromptTestResult = Type.Object(
  {
    name: Type.String({ description: 'Unique in its file' }),
    ...place,
    status: Type.Enum(['passed', 'failed', 'left_out'], { description: 'What came of it' }),
    duration_ms: Type.Number({ description: 'How long it took' }),
    left_out: optional.text('Why it was not run, or not all of it'),
    failures: Type.Array(
      Type.Object({
        message: Type.String({ description: 'Human-readable' }),
        line: Type.Integer({ minimum: 1, description: 'Of the assertion, from 1' }),
        before: optional.text('What the snapshot, or the other version, has'),
        after: optional.text('What there is instead'),
      }),
      { description: 'Assertions that do not hold' },
    ),
  },
  { title: 'PromptTestResult', description: 'What came of one test' },
)

/** Answer of `POST /api/prompts/{id}/tests`. */
export const RunTestsAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    enabled,
    passed: Type.Integer({ description: 'How many' }),
    failed: Type.Integer({ description: 'How many' }),
    tests: Type.Array(PromptTestResult, { description: 'In the order of their files' }),
    more: Type.Integer({ description: 'Tests that were not run because there are too many' }),
    problems,
  },
  {
    title: 'RunTestsAnswer',
    examples: [
      {
        id: 'hello.greeting',
        enabled: true,
        passed: 1,
        failed: 0,
        tests: [
          {
            name: 'greets by name',
            file: 'tests/hello.test.yaml',
            line: 3,
            status: 'passed',
            duration_ms: 0.4,
            failures: [],
          },
        ],
        more: 0,
        problems: [],
      },
    ],
  },
)
