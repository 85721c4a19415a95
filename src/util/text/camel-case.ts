/** `tool_calls` as `toolCalls`. */
export type CamelName<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name

/** Fields whose content is somebody else's, with names of his own: messages, arguments, values. */
const FOREIGN = [
  ...([
    'arguments',
    'message',
    'metadata',
    'optimization_suggestions',
    'output',
    'parameters',
    'value',
  ] as const),
] as const
type Foreign = (typeof FOREIGN)[number]

/** A wire shape in the names that programs use. What is somebody else's stays as it is. */
export type CamelCase<Shape> = Shape extends readonly (infer Item)[]
  ? readonly CamelCase<Item>[]
  : Shape extends object
    ? {
        readonly [Name in keyof Shape as CamelName<Name>]: Name extends Foreign
          ? Shape[Name]
          : CamelCase<Shape[Name]>
      }
    : Shape

const FOREIGN_NAMES: ReadonlySet<string> = new Set(FOREIGN)

/** A value of the wire in the names that programs use: the one place where they change. */
export function camelCase<Shape>(shape: Shape): CamelCase<Shape>
export function camelCase(shape: unknown): unknown {
  return renamed(shape)
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(value)) {
    const shown = name.includes('_')
      ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
      : name
    copy[shown] = FOREIGN_NAMES.has(name) || typeof each !== 'object' ? each : renamed(each)
  }
  return copy
}
