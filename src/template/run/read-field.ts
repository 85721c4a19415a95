import type { MissingKey, TemplateError } from '../api.js'
import { Stringer } from '../format/kind.js'
import { NOTHING } from '../nothing.js'
import { execError, type FieldSite, type Site } from '../site.js'
import type { Value } from '../value.js'
import { BoundCall, type CallSite } from './call.js'
import type { Calls } from './calls.js'
import { FieldWalk, hasInterfaceElements } from './field.js'
import { toLookup } from './function-lookup.js'
import type { Output } from './output.js'
import { Pending, SUSPEND } from './pending.js'
import type { ValueBoundary } from './value-boundary.js'

/** What reading a path needs of its run. */
interface FieldHost {
  readonly at: Site
  readonly data: Value
  readonly boundary: ValueBoundary
  readonly calls: Calls
  readonly output: Output
}

/** Reads a path with all of Go's rules, when the generated code's own attempt found nothing. */
export function readField(
  run: FieldHost,
  missingKey: MissingKey,
  site: FieldSite,
  receiver: Value,
  container?: Value,
): Value {
  if (receiver instanceof Pending) {
    const nil = container === null ? null : undefined
    return run.calls.deferRead([receiver], ([value]) =>
      readField(run, missingKey, site, value ?? nil, container),
    )
  }
  const { at, path } = site
  const readPath = at?.program.rules.readPath ?? null
  if (readPath !== null) return readPath(site, receiver)
  const walk = new FieldWalk(receiver, isInterface(container), missingKey)
  for (const name of path) {
    walk.value = run.boundary.adoptTop(walk.value)
    if (walk.value instanceof Stringer) walk.value = callMethod(run, site, walk.value, name)
    else if (!walk.step(name, false)) return failedAt(run, site, walk)
  }
  return walk.value
}

/** The method that a field with arguments names; undefined where there is no data. */
export function findMethod(
  run: FieldHost,
  missingKey: MissingKey,
  site: FieldSite,
  call: CallSite,
  receiver: Value,
  container?: Value,
): BoundCall | undefined {
  const { path } = site
  if (receiver instanceof Pending) throw SUSPEND
  const walk = new FieldWalk(receiver, isInterface(container), missingKey)
  for (const [i, name] of path.entries()) {
    const last = i === path.length - 1
    const value = run.boundary.adoptTop(walk.value)
    walk.value = value
    const method = value instanceof Stringer ? value.method(name) : undefined
    if (value instanceof Stringer && method !== undefined) {
      if (last) return new BoundCall(call, method, value)
      walk.value = callMethod(run, site, value, name)
    } else if (!walk.step(name, last)) {
      failedAt(run, site, walk)
      return undefined
    }
  }
  return undefined
}

function callMethod(run: FieldHost, site: FieldSite, receiver: Stringer, name: string): Value {
  const method = receiver.method(name)
  const at = site.at ?? run.at
  if (method === undefined) {
    throw execError(at, `can't evaluate field ${name} in type ${receiver.type}`)
  }
  const call: CallSite = { ...NO_ARGUMENTS, name, nameSite: at, callSite: at }
  return run.calls.invoke(new BoundCall(call, method, receiver), [])
}

/** No value where a missing one counts as false, nothing where the one who answered left it out, else an error. */
function failedAt(run: FieldHost, site: FieldSite, { failure, container }: FieldWalk): Value {
  const at = site.at ?? run.at
  if (failure?.kind !== 'missing') throw execError(at, failure?.message ?? '')
  if (site.guarded) return undefined
  if (container === null || !run.calls.answers.has(container)) {
    // The first name is looked for in the dot.
    throw missingPath(at, site, failure.message === site.path[0] && container !== run.data)
  }
  run.output.warnings.add(at, 'missing_field', `the answer has no field ${site.path.join('.')}`)
  return NOTHING
}

/** The error of a path that is needed but missing. */
function missingPath(at: Site, { path, fullPath }: FieldSite, isInDot: boolean): TemplateError {
  const name = fullPath.join('.')
  const isVariable = (path[0] === 'variables' || path[0] === 'args') && isInDot
  return execError(at, `missing variable ${name}`, {
    code: 'missing_variables',
    reason: 'missing',
    paths: [name],
    ...(isVariable ? { facts: { hint: `use $.${path.join('.')}: here the dot is something else` } } : {}),
  })
}

const NO_ARGUMENTS = {
  operands: [],
  operandSites: [],
  hasFinal: false,
  finalSite: null,
  functions: toLookup(undefined),
  bound: null,
} as const

function isInterface(container: Value): boolean {
  return container !== undefined && hasInterfaceElements(container)
}
