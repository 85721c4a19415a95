import { ServiceError } from '../../errors.js'
import type { Permission, Tool } from '../../tools/toolbox.js'

/** Names of tools by what may be done with them: exact names, `m.*` for a module, `*` for all. */
export interface PermissionRules {
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
  /** For tools that no list names. Default `allow`. */
  readonly otherwise?: Permission
}

function allowOnly(names: readonly string[]): PermissionRules {
  return { allow: names, otherwise: 'deny' }
}

function denyOnly(names: readonly string[]): PermissionRules {
  return { deny: names }
}

/** Ready-made rules. */
export const PermissionConfig = {
  /** These tools and no others. */
  allowOnly,
  /** All tools but these. */
  denyOnly,
  /** @deprecated Use `allowOnly`. */
  whiteList: allowOnly,
  /** @deprecated Use `denyOnly`. */
  blackList: denyOnly,
}

const STRICTNESS: Readonly<Record<Permission, number>> = { allow: 0, ask: 1, deny: 2 }

/** Decides by rules what may be done with a tool: `deny` takes precedence over `ask`, `ask` over `allow`. */
export class PermissionChecker {
  readonly #rules: PermissionRules

  constructor(rules: PermissionRules) {
    this.#rules = rules
  }

  /** What may be done with the tool. */
  decide(name: string): Permission {
    const { allow = [], ask = [], deny = [], otherwise = 'allow' } = this.#rules
    if (isNamed(name, deny)) return 'deny'
    if (isNamed(name, ask)) return 'ask'
    return isNamed(name, allow) ? 'allow' : otherwise
  }

  /** @throws ServiceError `forbidden` for a tool that may not run without asking */
  check(name: string): void {
    const permission = this.decide(name)
    if (permission === 'allow') return
    const message =
      permission === 'deny' ? `the tool "${name}" is not permitted` : `the tool "${name}" needs approval`
    throw new ServiceError('forbidden', message)
  }
}

/** The strictest of several permissions; undefined ones are ignored. */
export function strictest(...opinions: readonly (Permission | undefined)[]): Permission {
  return opinions.reduce<Permission>(
    (strict, each) => (each !== undefined && STRICTNESS[each] > STRICTNESS[strict] ? each : strict),
    'allow',
  )
}

/**
 * Whether a list names a tool: by its function name (`m_read`), by its id (`m.read`), by its module (`m.*`) or by `*`.
 */
export function isNamed(functionName: string, names: readonly string[]): boolean {
  return names.some((name) => matches(functionName, name))
}

function matches(functionName: string, name: string): boolean {
  const written = name.replaceAll('.', '_')
  if (!written.endsWith('*')) return written === functionName
  return functionName.startsWith(written.slice(0, -1))
}

/** What an agent permits that says nothing of it. */
export const allowAll = (): Permission => 'allow'

/** A call that needs a person's approval is refused where nobody can be asked. */
export function withoutAsking(permission: (tool: Tool) => Permission = allowAll): (tool: Tool) => Permission {
  return (tool) => (strictest(tool.permission, permission(tool)) === 'allow' ? 'allow' : 'deny')
}
