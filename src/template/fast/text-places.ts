// Part of `due-text.ts`: where texts stand that can be joined across branches and rounds.

import type { IfNode, ListItem, ListNode, RangeNode, TextNode, WithNode } from '../ast.js'

/** Whether some way through a branch ends in text; `isDue` if text stands right before it. */
export function endsInText({ list, elseList }: IfNode | WithNode, isDue: boolean): boolean {
  return listEndsInText(list, isDue) || listEndsInText(elseList, isDue)
}

function listEndsInText(list: ListNode | null, isDue: boolean): boolean {
  const last = list?.nodes.at(-1)
  if (last === undefined) return isDue
  if (last.kind === 'text') return true
  if (last.kind !== 'if' && last.kind !== 'with') return false
  const before = list?.nodes.at(-2)
  return endsInText(last, before === undefined ? isDue : before.kind === 'text')
}

/** A branch with a text at the end of each of its lists. */
export function withText<Branch extends IfNode | WithNode>(branch: Branch, text: TextNode): Branch {
  const list = followedBy(branch.list, text)
  const elseList = branch.elseList ?? { kind: 'list', position: branch.position, nodes: [] }
  return { ...branch, list, elseList: followedBy(elseList, text) }
}

function followedBy(list: ListNode, text: TextNode): ListNode {
  return { ...list, nodes: [...list.nodes, text] }
}

/**
 * The pending text at the end of each round of a loop that starts with pending text, if it is the same for all rounds;
 * empty if it may differ, null if there is no such text.
 */
export function textAtEnd({ list, elseList }: RangeNode): string | null {
  const last = list.nodes.at(-1)
  if (list.nodes.length < 2 || canLeave(list) || canLeave(elseList)) return null
  if (last?.kind === 'text') return last.text
  const before = list.nodes.at(-2)
  if (last?.kind !== 'range' || last.elseList !== null || before?.kind !== 'text') return null
  const inner = textAtEnd(last)
  return inner === null || before.text.endsWith(inner) ? inner : ''
}

/** Whether a break or continue stands anywhere in a list. */
function canLeave(list: ListNode | null): boolean {
  return list?.nodes.some(leaves) ?? false
}

function leaves(node: ListItem): boolean {
  if (node.kind === 'break' || node.kind === 'continue') return true
  if (node.kind !== 'if' && node.kind !== 'with' && node.kind !== 'range') return false
  return canLeave(node.list) || canLeave(node.elseList)
}
