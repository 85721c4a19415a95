import { parseAst } from 'vitest/node'

/** `value as Type` and `<Type>value`, in a file's tree. */
const CASTS: ReadonlySet<unknown> = new Set(['TSAsExpression', 'TSTypeAssertion'])
/** Without it there is no cast, and no need for the tree: an `as` before a type, or a type before a value. */
const MAYBE = /\bas\s+(?!const\b)|(?<![\w$])<\w/
/** Prose is full of it. */
const DOC_COMMENTS = /^\s*\/\*\*[\s\S]*?\*\//gm

/** How often a file says of a value what type it has: not `as const`, nor the `as` of imports and exports. */
export function countCasts(text: string, lang: 'ts' | 'tsx' = 'ts'): number {
  return MAYBE.test(text.replace(DOC_COMMENTS, '')) ? castsIn(parseAst(text, { lang })) : 0
}

function castsIn(node: object): number {
  const own = 'type' in node && CASTS.has(node.type) && !isConst(node) ? 1 : 0
  const children = Object.values(node).filter((child) => typeof child === 'object' && child !== null)
  return children.reduce((count, child) => count + castsIn(child), own)
}

/** `as const` names a type `const`, which cannot be. */
function isConst(node: object): boolean {
  if (!('typeAnnotation' in node)) return false
  const { typeAnnotation } = node
  if (typeof typeAnnotation !== 'object' || typeAnnotation === null || !('typeName' in typeAnnotation))
    return false
  const { typeName } = typeAnnotation
  return typeof typeName === 'object' && typeName !== null && 'name' in typeName && typeName.name === 'const'
}
