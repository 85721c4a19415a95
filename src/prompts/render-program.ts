import type { Snapshot } from '../registry/snapshot.js'
import type { FunctionLookup, HostTemplate, VariableReference } from '../template/host.js'
import { at } from '../util/at.js'
import { valueAt } from '../util/json/json-path.js'
import { isSmall } from '../util/slices/is-small.js'
import { runPure, type SliceGuard, SliceStopped } from '../util/slices/slice.js'
import { type IncludedReferences, includedReferences, missingInIncluded } from './included-references.js'
import { type MissingPath, missingPaths, necessaryReferences } from './missing-paths.js'
import { OWN_ENTRIES } from './own-entries.js'
import { createRenderPlan, type RenderPlan } from './render-plan.js'
import type { RenderRequest } from './render-request.js'
import { knownVariables } from './unknown-variables.js'
import { createVariablesCheck, type VariablesCheck } from './variables.js'

/** A plan, and what it needs of the data. */
export interface RenderProgram {
  readonly plan: RenderPlan
  /** Names of variables that mean something to the prompt; undefined for any. */
  readonly known: ReadonlySet<string> | undefined
  /** Kept with the program, not with the definition: of most prompts of a large catalog it is needed once. */
  readonly checkVariables: VariablesCheck
  readonly fromVariables: readonly VariableReference[]
  /** References to variables of prompts that are included with the whole data. */
  readonly included: readonly IncludedReferences[]
  /** Paths of the shared context that must exist and do not; looked up once per snapshot. */
  missingContext(snapshot: Snapshot): readonly MissingPath[]
  /** False when no request can reach a tool, so that nothing needs to be bound. */
  mayCallTools(snapshot: Snapshot): boolean
  /** Whether more of the shared context is read than is small. */
  readsMuch(snapshot: Snapshot): boolean
  /** The plan's templates; after some renders, with what they print of the shared context already in them. */
  templatesIn(snapshot: Snapshot): readonly HostTemplate[]
}

/**
 * Works out what can be known of a prompt before it is rendered.
 *
 * @param strict whether everything that the templates read must exist
 * @param library functions that give the same for the same arguments
 * @param guard ends what is worked out ahead and takes long
 */
export function createProgram(
  { compiled, definition }: Pick<RenderRequest, 'compiled' | 'definition'>,
  strict: boolean,
  library: FunctionLookup,
  guard: SliceGuard,
): RenderProgram {
  const plan = createRenderPlan(compiled)
  const references = necessaryReferences(plan.references, strict)
  const isOwn = ({ path }: VariableReference) => OWN_ENTRIES.has(at(path, 0))
  const folding = {
    open: OWN_ENTRIES,
    missingKey: 'guarded',
    isPure: (name: string) => library.has(name),
  } as const
  const fromContext = references.filter((reference) => !isOwn(reference))
  const all = includedReferences(plan.templates, strict)
  const included = all.map((one) => ({ ...one, references: one.references.filter(isOwn) }))
  const fromContextIncluded = all.map((one) => ({
    ...one,
    references: one.references.filter((reference) => !isOwn(reference)),
  }))
  const readsContext = fromContext.length > 0 || fromContextIncluded.some(readsSomething)
  return {
    plan,
    known: knownVariables(definition, plan),
    checkVariables: createVariablesCheck(definition.parameters),
    fromVariables: references.filter(isOwn),
    included: included.filter(readsSomething),
    missingContext: readsContext
      ? latest(({ context }) => [
          ...missingPaths(fromContext, context),
          ...missingInIncluded(fromContextIncluded, context),
        ])
      : () => NOTHING_MISSING,
    mayCallTools: latest((snapshot) => plan.mayCallTools((name) => snapshot.functions.has(name))),
    readsMuch: readsContext
      ? latest(({ context }) => {
          const paths = [...fromContext, ...fromContextIncluded.flatMap((one) => one.references)]
          return !isSmall(paths.map(({ path }) => valueAt(context, path) ?? null))
        })
      : () => false,
    templatesIn: oftenUsed(plan.templates, ({ context }) =>
      orUsual(plan.templates, () =>
        runPure(guard, () => plan.templates.map((template) => template.fold(context, folding))),
      ),
    ),
  }
}

const NOTHING_MISSING: readonly MissingPath[] = []

/** What is worked out ahead, unless that takes too long. */
function orUsual<Value>(usual: Value, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (error instanceof SliceStopped) return usual
    throw error
  }
}

function readsSomething({ references }: IncludedReferences): boolean {
  return references.length > 0
}

/** Remembers the answer for the content it was last asked about, without holding on to the snapshot. */
function latest<Value>(compute: (snapshot: Snapshot) => Value): (snapshot: Snapshot) => Value {
  let last: { readonly revision: string; readonly value: Value } | undefined
  return (snapshot) => {
    if (last?.revision !== snapshot.revision) {
      last = { revision: snapshot.revision, value: compute(snapshot) }
    }
    return last.value
  }
}

/** Uses of one snapshot before more is worked out for it: a context that changes all the time is not worth it. */
const USES_BEFORE_WORK = 16

/** Gives the usual value until a snapshot was used often, then what is computed for it. */
function oftenUsed<Value>(
  usual: Value,
  compute: (snapshot: Snapshot) => Value,
): (snapshot: Snapshot) => Value {
  let revision: string | undefined
  let uses = 0
  let value = usual
  return (snapshot) => {
    if (snapshot.revision !== revision) {
      revision = snapshot.revision
      uses = 0
      value = usual
    }
    uses += 1
    if (uses === USES_BEFORE_WORK) value = compute(snapshot)
    return value
  }
}
