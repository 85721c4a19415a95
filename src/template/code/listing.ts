import { positionAt } from '../position.js'
import type { Site } from '../program.js'

/** What a listing shows of a constant is cut here. */
const SHOWN = 40
const INDENT = '  '
/** Helpers and constants under their names. */
const PROLOGUE = /^"use strict";const\{[^}]*\}=helpers[^;]*;/

/** Generated code as people read it: a statement a line, and beside it the constants it names, with their places. */
export function listing(source: string, names: readonly string[], values: readonly unknown[]): string {
  const shown = new Map(names.map((name, index) => [name, shownOf(values[index])]))
  return linesOf(withoutPrologue(source))
    .map((line) => withComment(line, shown))
    .join('\n')
}

/** Helpers are words, and constants are told line by line. */
function withoutPrologue(source: string): string {
  return source.replace(PROLOGUE, '')
}

/** Cuts at statements and blocks; nothing in generated code but these has such characters outside of parentheses. */
function linesOf(source: string): readonly string[] {
  const lines: string[] = []
  let [line, depth, parentheses] = ['', 0, 0]
  const end = () => {
    if (line.trim() !== '') lines.push(INDENT.repeat(depth) + line.trim())
    line = ''
  }
  for (const character of source) {
    if (character === '(') parentheses++
    if (character === ')') parentheses--
    if (character === '}' && parentheses === 0) {
      end()
      depth = Math.max(0, depth - 1)
    }
    line += character
    if (parentheses > 0 || !'{};'.includes(character)) continue
    end()
    if (character === '{') depth++
  }
  end()
  return lines
}

function withComment(line: string, shown: ReadonlyMap<string, string>): string {
  const words = new Set(line.match(/\b[a-zA-Z]+\d+\b/g) ?? [])
  const told = [...words].flatMap((word) => shown.get(word) ?? [])
  return told.length === 0 ? line : `${line} // ${told.join(', ')}`
}

/** A text as it is, a place as line, column and what stands there; nothing for what says itself. */
function shownOf(value: unknown): string {
  if (typeof value === 'string') return cut(JSON.stringify(value))
  if (typeof value !== 'object' || value === null) return String(value)
  const site = siteIn(value)
  return site === undefined ? (value.constructor?.name ?? 'object') : placeOf(site)
}

/** The place that a constant is, or that it has under one of the names of the tables of places. */
function siteIn(value: object): Site | undefined {
  if (isSite(value)) return value
  const members = ['at', 'callSite', 'site'].map((name) =>
    Object.hasOwn(value, name) ? memberOf(value, name) : undefined,
  )
  return members.find(isSite)
}

function memberOf(value: object, name: string): unknown {
  return Reflect.get(value, name)
}

function isSite(value: unknown): value is Site {
  return (
    typeof value === 'object' &&
    value !== null &&
    'program' in value &&
    'node' in value &&
    'template' in value
  )
}

function placeOf({ program, node }: Site): string {
  const { line, column } = positionAt(program.source, node.position)
  return cut(`${line}:${column} ${program.rules.printNode(node)}`)
}

/** In one line, and so that it ends no comment of a line. */
function cut(text: string): string {
  const flat = text.replace(/\s+/g, ' ')
  return flat.length <= SHOWN ? flat : `${flat.slice(0, SHOWN).toWellFormed()}…`
}
