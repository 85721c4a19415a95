/**
 * The Handlebars subset against handlebars.js, on the six prompts of the template benchmark: rendered to a string,
 * to UTF-8 bytes, and from the source. All write the same text, which is checked first. The two take turns in short
 * rounds; figures are medians, and only ratios within one run count.
 *
 *     npm run bench:handlebars [-- --rounds 15] [-- --verify]
 */
import { parseArgs } from 'node:util'
import Handlebars from 'handlebars'
import { compile } from '../../dist/template/index.js'
import { PROMPTS } from './template/prompts.mjs'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '11' }, verify: { type: 'boolean', default: false } },
})
const ROUNDS = Number(flags.rounds)
const WARM_UP_ROUNDS = 2
const ROUND_MS = 40

/** The subset has neither comparisons nor functions: what a history needs is in its data, for both engines. */
const historyData = {
  messages: PROMPTS.history.data.messages.map(({ number, role, content }) => ({
    isUser: role === 'user',
    number: String(number).padStart(3),
    content,
  })),
}

/** Where ours differs from the prompt's source for handlebars.js: the element of a loop is `item`. */
const OURS = {
  review: {
    source: `# Review: {{title}}
{{#if strict}}Be strict and focus on {{focus}}.{{else}}Be kind.{{/if}}
{{#each files}}
## {{item.path}} {{#if item.isNew}}(new){{else}}(+{{item.added}} -{{item.removed}}){{/if}}
{{item.diff}}
{{/each}}`,
  },
  fewShot: {
    source:
      '{{task}}\n{{#each examples}}Q: {{item.question}}\n{{#each item.answers}}- {{item.label}}: {{item.score}}\n{{/each}}{{/each}}Done.\n',
  },
  history: {
    source:
      '{{#each messages}}{{#if item.isUser}}User{{else}}Assistant{{/if}} [{{item.number}}]: {{item.content}}\n{{/each}}',
    rival:
      '{{#each messages}}{{#if isUser}}User{{else}}Assistant{{/if}} [{{number}}]: {{content}}\n{{/each}}',
    data: historyData,
  },
  components: {
    source: 'Tools:\n{{#each tools}}{{> tool}}{{/each}}',
    partials: { tool: '* {{item.name}}({{item.argument}}): {{item.about}}\n' },
  },
}

const CASES = Object.entries(PROMPTS).map(([name, prompt]) => ({
  title: prompt.title,
  data: OURS[name]?.data ?? prompt.data,
  expected: prompt.byHand(prompt.data),
  ours: () => compileOurs(OURS[name]?.source ?? prompt.handlebars, OURS[name]?.partials ?? {}),
  rival: () => compileRival(OURS[name]?.rival ?? prompt.handlebars, prompt.handlebarsPartials ?? {}),
}))

function compileOurs(source, sources) {
  const partials = new Map()
  for (const [name, text] of Object.entries(sources)) {
    partials.set(name, compile(text, { name, dialect: 'handlebars', partials }))
  }
  const template = compile(source, { dialect: 'handlebars', partials })
  return (data) => template.renderSync(data)
}

function compileRival(source, sources) {
  const engine = Handlebars.create()
  for (const [name, text] of Object.entries(sources)) {
    engine.registerPartial(name, engine.compile(text, { noEscape: true }))
  }
  const template = engine.compile(source, { noEscape: true })
  return (data) => template(data)
}

/** Keeps results from being optimised away. */
let sink = 0

/** Nanoseconds per call, from as many calls as fit into a round. */
function time(action) {
  const start = process.hrtime.bigint()
  const end = start + BigInt(ROUND_MS * 1e6)
  let calls = 0
  let now = start
  do {
    for (let i = 0; i < 16; i++) sink += action()
    calls += 16
    now = process.hrtime.bigint()
  } while (now < end)
  return Number(now - start) / calls
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
const geometricMean = (list) => Math.exp(list.reduce((sum, value) => sum + Math.log(value), 0) / list.length)

/** Medians of rounds in which the two take turns, each first every other time. */
function compare(ours, rival) {
  const times = [[], []]
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++) {
    const pair = round % 2 === 0 ? [time(ours), time(rival)] : [time(rival), time(ours)].reverse()
    if (round >= WARM_UP_ROUNDS) pair.forEach((value, i) => void times[i].push(value))
  }
  const [one, other] = times.map(median)
  return { one, other, ratio: one / other }
}

const MODES = [
  ['render to a string, µs', (compiled, data) => () => compiled(data).length],
  ['render to UTF-8 bytes, µs', (compiled, data) => () => Buffer.from(compiled(data)).length],
  ['compile and render once, µs', (_compiled, data, compileAnew) => () => compileAnew()(data).length],
]

function verify() {
  for (const { title, data, expected, ours, rival } of CASES) {
    for (const output of [ours()(data), rival()(data)]) {
      if (output !== expected)
        throw new Error(`${title}: outputs differ\n${output}\n--- expected\n${expected}`)
    }
  }
}

function measure() {
  console.log(`node ${process.version}, handlebars.js ${Handlebars.VERSION}, medians of ${ROUNDS} rounds`)
  for (const [title, action] of MODES) {
    console.log(
      `\n${title.padEnd(38)}${'ours'.padStart(10)}${'handlebars.js'.padStart(15)}${'ratio'.padStart(8)}`,
    )
    const ratios = CASES.map(({ title: prompt, data, ours, rival }) => {
      const { one, other, ratio } = compare(action(ours(), data, ours), action(rival(), data, rival))
      const figures = [(one / 1000).toFixed(2).padStart(10), (other / 1000).toFixed(2).padStart(15)]
      console.log(`${prompt.padEnd(38)}${figures.join('')}${ratio.toFixed(2).padStart(8)}`)
      return ratio
    })
    console.log(`${'geometric mean'.padEnd(63)}${geometricMean(ratios).toFixed(2).padStart(8)}`)
  }
  if (sink === 0) throw new Error('nothing was rendered')
}

verify()
if (flags.verify) console.log(`${CASES.length} prompts, the same text`)
else measure()
