/**
 * The Handlebars subset against handlebars.js: six prompts, rendered to a string, to UTF-8 bytes, and from the source.
 * Both write the same text, which is checked. Rounds are interleaved; the figures are medians.
 *
 *     npm run bench:handlebars [-- --rounds 15]
 */
import { parseArgs } from 'node:util'
import Handlebars from 'handlebars'
import { compile } from '../../dist/template/index.js'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '11' } } })
const ROUNDS = Number(values.rounds)
const ROUND_MS = 40

const words = (count, seed) =>
  Array.from(
    { length: count },
    (_, i) => ['prompt', 'model', 'tool', '模型', 'context', 'answer'][(i * 7 + seed) % 6],
  ).join(' ')

/** `rival` is what one would write for handlebars.js; the rest is the same. */
const PROMPTS = [
  {
    name: 'short, three variables',
    ours: '你是{{role}}. Answer in {{language}}: {{question}}\n',
    data: { role: 'an engineer', language: 'English', question: 'What is ownership in Rust?' },
  },
  {
    name: 'code review, 20 files',
    ours:
      'Review {{repo}}.\n{{#if rules}}Rules: {{rules}}\n{{else}}No rules.\n{{/if}}' +
      '{{#each files}}- {{item.path}} (+{{item.added}})\n{{#if item.note}}  note: {{item.note}}\n{{else}}  no note\n{{/if}}{{/each}}',
    rival:
      'Review {{repo}}.\n{{#if rules}}Rules: {{rules}}\n{{else}}No rules.\n{{/if}}' +
      '{{#each files}}- {{path}} (+{{added}})\n{{#if note}}  note: {{note}}\n{{else}}  no note\n{{/if}}{{/each}}',
    data: {
      repo: 'ai-prompt-shell',
      rules: 'no any, few casts',
      files: Array.from({ length: 20 }, (_, i) => ({
        path: `src/module-${i}/file-${i}.ts`,
        added: i * 3 + 1,
        note: i % 2 ? words(6, i) : '',
      })),
    },
  },
  {
    name: 'few-shot, 30 × 3',
    ours: '{{#each groups}}## {{item.title}}\n{{#each item.shots}}Q: {{item.q}}\nA: {{item.a}}\n{{/each}}{{/each}}Q: {{question}}\n',
    rival:
      '{{#each groups}}## {{title}}\n{{#each shots}}Q: {{q}}\nA: {{a}}\n{{/each}}{{/each}}Q: {{question}}\n',
    data: {
      question: 'And this one?',
      groups: Array.from({ length: 30 }, (_, i) => ({
        title: `Group ${i}`,
        shots: Array.from({ length: 3 }, (_, j) => ({ q: words(8, i + j), a: words(5, i * j) })),
      })),
    },
  },
  {
    name: 'system prompt, 8 KB',
    ours: ['{{product}}', '{{language}}', '{{audience}}', '{{tone}}', '{{date}}']
      .map((tag, i) => `${words(270, i)}\n${tag}\n`)
      .join(''),
    data: {
      product: 'AI-Prompt-Shell',
      language: '中文',
      audience: 'developers',
      tone: 'calm',
      date: '2026-01-01',
    },
  },
  {
    name: 'history, 100 messages',
    ours: '{{#each messages}}{{#if item.user}}User{{else}}Assistant{{/if}} {{item.index}}: {{item.text}}\n{{/each}}',
    rival: '{{#each messages}}{{#if user}}User{{else}}Assistant{{/if}} {{index}}: {{text}}\n{{/each}}',
    data: {
      messages: Array.from({ length: 100 }, (_, i) => ({ user: i % 2 === 0, index: i, text: words(10, i) })),
    },
  },
  {
    name: 'partial in a loop of 50',
    ours: '{{title}}\n{{#each items}}{{> row}}{{/each}}',
    partials: { row: '* {{item.name}}: {{item.text}}\n' },
    rivalPartials: { row: '* {{name}}: {{text}}\n' },
    data: {
      title: 'Items',
      items: Array.from({ length: 50 }, (_, i) => ({ name: `item ${i}`, text: words(4, i) })),
    },
  },
]

function ourTemplate({ ours, partials = {} }) {
  const compiled = new Map(
    Object.entries(partials).map(([name, source]) => [
      name,
      compile(source, { name, dialect: 'handlebars' }),
    ]),
  )
  return compile(ours, { dialect: 'handlebars', partials: compiled })
}

/** What makes it write the same text. */
const RIVAL_OPTIONS = { noEscape: true, ignoreStandalone: true, preventIndent: true }

function rivalTemplate({ ours, rival = ours, partials = {}, rivalPartials = partials }) {
  const engine = Handlebars.create()
  for (const [name, source] of Object.entries(rivalPartials)) {
    engine.registerPartial(name, engine.compile(source, RIVAL_OPTIONS))
  }
  return engine.compile(rival, RIVAL_OPTIONS)
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

/** Medians of interleaved rounds. */
function compare(ours, rival) {
  const [a, b] = [[], []]
  for (let round = 0; round < ROUNDS + 2; round++) {
    const pair = round % 2 ? [time(ours), time(rival)] : [time(rival), time(ours)].reverse()
    if (round < 2) continue
    a.push(pair[0])
    b.push(pair[1])
  }
  return { ours: median(a), rival: median(b), ratio: median(a) / median(b) }
}

const microseconds = (ns) => (ns / 1000).toFixed(2).padStart(8)

console.log(
  `node ${process.version}, handlebars.js ${Handlebars.VERSION}, medians of ${ROUNDS} rounds; below 1: we are faster`,
)
for (const [title, pick] of [
  ['render to a string', (run) => () => run().length],
  ['render to UTF-8 bytes', (run) => () => Buffer.from(run()).length],
]) {
  console.log(`\n${title.padEnd(28)} ours µs  rival µs  ours/rival`)
  const ratios = PROMPTS.map((prompt) => {
    const [template, rival] = [ourTemplate(prompt), rivalTemplate(prompt)]
    const [one, other] = [template.renderSync(prompt.data), rival(prompt.data)]
    if (one !== other) throw new Error(`${prompt.name}: outputs differ\n${one}\n---\n${other}`)
    const result = compare(
      pick(() => template.renderSync(prompt.data)),
      pick(() => rival(prompt.data)),
    )
    console.log(
      `${prompt.name.padEnd(26)} ${microseconds(result.ours)} ${microseconds(result.rival)} ${result.ratio.toFixed(2).padStart(10)}`,
    )
    return result.ratio
  })
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
  console.log(`${'geometric mean'.padEnd(44)} ${mean.toFixed(2).padStart(10)}`)
}

console.log(`\n${'compile and first render'.padEnd(28)} ours µs  rival µs  ours/rival`)
for (const prompt of PROMPTS) {
  const result = compare(
    () => ourTemplate(prompt).renderSync(prompt.data).length,
    () => rivalTemplate(prompt)(prompt.data).length,
  )
  console.log(
    `${prompt.name.padEnd(26)} ${microseconds(result.ours)} ${microseconds(result.rival)} ${result.ratio.toFixed(2).padStart(10)}`,
  )
}
if (sink === 0) throw new Error('nothing was rendered')
