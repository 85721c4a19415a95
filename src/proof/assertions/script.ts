import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorMessage } from '../../util/errors/error-message.js'
import { isJsonObject, type JsonValue, own } from '../../util/json/json.js'
import { trimEndWhile } from '../../util/text/trim-end-while.js'
import {
  type Assertion,
  type AssertionVerdict,
  ClaimFault,
  type StatedAssertion,
  type TestedOutput,
  textOfClaim,
} from './assertion.js'

/** What a script is given beside the output. */
interface ScriptContext {
  readonly vars: TestedOutput['vars']
  readonly prompt: string | undefined
}

type Script = (output: JsonValue, context: ScriptContext) => unknown

/**
 * Asks JavaScript: an expression or the body of a function over `output` and `context`, or `file://check.mjs`, also with
 * `:name` of an export. It answers with true or false, a score, or `{pass, score, reason}`.
 */
export const javascript: Assertion = async (subject, claim) => {
  const script = await scriptOf(textOfClaim(claim).trimEnd(), subject.folder)
  try {
    return toVerdict(await script(subject.output, { vars: subject.vars, prompt: undefined }), claim)
  } catch (error) {
    if (error instanceof ClaimFault) throw error
    throw new ClaimFault(`the script threw ${errorMessage(error)}`, { cause: error })
  }
}

const FILE = /^file:\/\/(.+?)(?::(\w+))?$/

async function scriptOf(code: string, folder: string): Promise<Script> {
  const [, path, name = 'default'] = FILE.exec(code) ?? []
  return path === undefined ? inlineScript(code) : loadScript(resolve(folder, path), name)
}

async function loadScript(path: string, name: string): Promise<Script> {
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href).catch((cause) => {
    throw new ClaimFault(`${path} cannot be loaded: ${errorMessage(cause)}`, { cause })
  })
  const script = module[name]
  if (!isScript(script)) throw new ClaimFault(`${path} has no function ${name}`)
  return script
}

function isScript(value: unknown): value is Script {
  return typeof value === 'function'
}

/** Code of the test's own author, who runs it. A body of several lines returns by itself. */
function inlineScript(code: string): Script {
  const body = code.includes('\n') ? code : withReturn(trimEndWhile(code.trim(), isEndOfStatement))
  try {
    const script: unknown = new Function('output', 'context', body)
    if (isScript(script)) return script
  } catch (cause) {
    throw new ClaimFault(`the script does not parse: ${errorMessage(cause)}`, { cause })
  }
  throw new ClaimFault('the script is not a function')
}

function isEndOfStatement(character: string): boolean {
  return character === ';' || character.trim() === ''
}

/** An expression is returned; after declarations, the text after the last semicolon. */
function withReturn(line: string): string {
  if (!/^(?:const|let|var)\s/.test(line)) return `return ${line}`
  const last = line.lastIndexOf(';')
  return last === -1 ? line : `${line.slice(0, last + 1)} return ${line.slice(last + 1).trim()}`
}

function toVerdict(result: unknown, { threshold }: StatedAssertion): AssertionVerdict {
  const expected = 'to satisfy the script'
  if (typeof result === 'boolean') return { holds: result, expected, actual: `it returned ${result}` }
  if (typeof result === 'number' && Number.isFinite(result))
    return {
      holds: threshold === undefined ? result > 0 : result >= threshold,
      expected,
      actual: `its score is ${result}`,
      score: result,
    }
  if (isJsonObject(result)) return gradeOf(result, expected)
  throw new ClaimFault('the script must return true or false, a score, or {pass, score, reason}')
}

function gradeOf(result: Readonly<Record<string, JsonValue>>, expected: string): AssertionVerdict {
  const [pass, score, reason] = [own(result, 'pass'), own(result, 'score'), own(result, 'reason')]
  if (typeof pass !== 'boolean' || typeof score !== 'number' || typeof reason !== 'string')
    throw new ClaimFault('the script must return true or false, a score, or {pass, score, reason}')
  return { holds: pass, expected, actual: reason, score }
}
