import type { ListItem, ListNode, PipeNode } from './ast.js'

/**
 * The items of a template up to the first action that prints a field, that action included; what follows it is left
 * out, also behind the block that contains it. Conditions do not count.
 */
export function itemsUpToField(root: ListNode, field: string): readonly ListItem[] {
  return new Cut(field).list(root).nodes
}

class Cut {
  readonly #field: string
  #isOver = false

  constructor(field: string) {
    this.#field = field
  }

  list(list: ListNode): ListNode {
    const nodes: ListItem[] = []
    for (const node of list.nodes) {
      if (this.#isOver) break
      nodes.push(this.#item(node))
    }
    return { ...list, nodes }
  }

  #item(node: ListItem): ListItem {
    if (node.kind === 'action') {
      this.#isOver = this.#reads(node.pipe)
      return node
    }
    if (node.kind !== 'if' && node.kind !== 'with' && node.kind !== 'range') return node
    const list = this.list(node.list)
    const elseList = node.elseList === null || this.#isOver ? null : this.list(node.elseList)
    return { ...node, list, elseList }
  }

  #reads({ commands }: PipeNode): boolean {
    return commands.some(({ operands }) =>
      operands.some((operand) => operand.kind === 'field' && operand.path.includes(this.#field)),
    )
  }
}
