/**
 * What it costs to trace a render: `npm run bench:trace`. Each case of the conformance corpus is compiled and rendered,
 * as a prompt is when it is first used, with and without its spans, in turns; a traced program is compiled again each
 * time. The figure is the median of the ratios.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compile, TemplateError } from '../../dist/template/index.js'
import { readCases } from '../conformance/template/case-file.mjs'
import { functions } from '../conformance/template/functions.mjs'
import { decodeData, toEngineString } from '../conformance/template/observe.mjs'

const ROUNDS = 7
const CORPUS = {
  go: '../conformance/template/cases',
  handlebars: '../conformance/handlebars/cases',
}

for (const [dialect, folder] of Object.entries(CORPUS)) {
  const cases = casesOf(join(import.meta.dirname, folder), dialect)
  await timed(cases, plain)
  await timed(cases, traced)
  const ratios = []
  for (let round = 0; round < ROUNDS; round++) {
    const withoutSpans = await timed(cases, plain)
    ratios.push((await timed(cases, traced)) / withoutSpans)
  }
  const middle = ratios.sort((a, b) => a - b)[ROUNDS >> 1]
  console.log(`${dialect}: ${cases.length} cases, traced ${middle.toFixed(2)} × rendered`)
}

function casesOf(folder, dialect) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cases'))
  return files
    .flatMap((name) => readCases(join(folder, name)).cases)
    .filter(({ expected }) => expected?.kind === 'output')
    .map(({ template, data, options }) => {
      const { name = 't', delimiters, missingKey = 'default', partials = {} } = options
      return {
        source: toEngineString(template),
        data: decodeData(data),
        compileOptions: {
          name,
          dialect,
          functions,
          numbers: 'go',
          partials: partialsOf(partials, dialect),
          ...(delimiters ? { delimiters } : {}),
        },
        missingKey,
      }
    })
}

function partialsOf(sources, dialect) {
  const partials = new Map()
  for (const [name, source] of Object.entries(sources)) {
    partials.set(name, compile(source, { name, dialect, partials }))
  }
  return partials
}

async function timed(cases, render) {
  const startedAt = performance.now()
  for (const one of cases) await attempt(() => render(one))
  return performance.now() - startedAt
}

async function attempt(render) {
  try {
    await render()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
  }
}

function plain({ source, data, compileOptions, missingKey }) {
  return compile(source, compileOptions).render(data, { missingKey })
}

function traced({ source, data, compileOptions, missingKey }) {
  return compile(source, compileOptions).trace(data, { missingKey })
}
