import type { ChainNode, FieldNode, Node, VariableNode } from '../../ast.js'
import type { FieldSite, Site } from '../../site.js'

/** A field access in a program, whose path from the data is found out when a message needs it. */
export class FieldPlace implements FieldSite {
  readonly at: Site | null
  readonly path: readonly string[]
  readonly guarded: boolean
  readonly node: FieldNode | VariableNode | ChainNode
  /** The absolute path of a field where analysis knows it. */
  readonly pathOf: (node: Node) => readonly string[] | undefined

  constructor(
    node: FieldNode | VariableNode | ChainNode,
    at: Site | null,
    guarded: boolean,
    pathOf: (node: Node) => readonly string[] | undefined,
  ) {
    this.at = at
    this.path = node.path
    this.guarded = guarded
    this.node = node
    this.pathOf = pathOf
  }

  get fullPath(): readonly string[] {
    const { node } = this
    return this.pathOf(node) ?? (node.kind === 'variable' ? [node.name, ...node.path] : node.path)
  }
}
