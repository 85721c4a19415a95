import { at } from '../util/at.js'
import { isLabel, isVersionNumber } from './prompt-choice.js'
import type { VersionedKind } from './version-document.js'

/** The directories beside the documents: of keys (`shenma:releases:…`) and of files (`releases/…`). */
export const RELEASE_KINDS = { templates: 'releases', agents: 'agent-releases' } as const
export const HISTORY_KINDS = { templates: 'history', agents: 'agent-history' } as const
export const PROPOSAL_KINDS = { templates: 'proposals', agents: 'agent-proposals' } as const

/** Every directory of versions: releases and the others beside them. */
export type LifeKind =
  | (typeof RELEASE_KINDS)[VersionedKind]
  | (typeof HISTORY_KINDS)[VersionedKind]
  | (typeof PROPOSAL_KINDS)[VersionedKind]

/** Where something is kept: the directory, and the parts of its key or file name. */
export interface LifeAddress<Kind extends string = string> {
  readonly kind: Kind
  readonly path: readonly string[]
}

/** A version's place among the documents, taken apart. */
export interface VersionPlace {
  /** Of the head. */
  readonly path: readonly string[]
  readonly number: number
}

/** A release's or a proposal's place, taken apart. */
export interface LabelPlace {
  /** Of the head. */
  readonly path: readonly string[]
  readonly label: string
}

/** The parts of a key for an id that has no document of its own: `review.code_review` → `['review', 'code_review']`. */
export function pathOfId(id: string): readonly string[] {
  return id.split('.')
}

/** `['review', 'code_review']` → `['review', 'code_review@8']` */
export function versionPath(path: readonly string[], number: number): readonly string[] {
  return [...path.slice(0, -1), `${at(path, -1)}@${number}`]
}

/** `templates:review:code_review@8` */
export function versionAddress(
  kind: VersionedKind,
  path: readonly string[],
  number: number,
): LifeAddress<VersionedKind> {
  return { kind, path: versionPath(path, number) }
}

/** `releases:review:code_review:production` */
export function releaseAddress(
  kind: VersionedKind,
  path: readonly string[],
  label: string,
): LifeAddress<(typeof RELEASE_KINDS)[VersionedKind]> {
  return { kind: RELEASE_KINDS[kind], path: [...path, label] }
}

/** `proposals:review:code_review:production` */
export function proposalAddress(
  kind: VersionedKind,
  path: readonly string[],
  label: string,
): LifeAddress<(typeof PROPOSAL_KINDS)[VersionedKind]> {
  return { kind: PROPOSAL_KINDS[kind], path: [...path, label] }
}

/** `history:review:code_review` */
export function historyAddress(
  kind: VersionedKind,
  path: readonly string[],
): LifeAddress<(typeof HISTORY_KINDS)[VersionedKind]> {
  return { kind: HISTORY_KINDS[kind], path }
}

/** A key without its prefix: `releases:review:code_review:production`. */
export function lifeKey({ kind, path }: LifeAddress): string {
  return `${kind}:${path.join(':')}`
}

/** The head and the number that a document's path names; undefined for a document that is not a version. */
export function readVersionPath(path: readonly string[]): VersionPlace | undefined {
  const last = path.at(-1) ?? ''
  const mark = last.lastIndexOf('@')
  if (mark <= 0 || !isVersionNumber(last.slice(mark + 1))) return undefined
  return { path: [...path.slice(0, -1), last.slice(0, mark)], number: Number(last.slice(mark + 1)) }
}

/** The head and the label that a release's or a proposal's path names; undefined for what names no label. */
export function readLabelPath(path: readonly string[]): LabelPlace | undefined {
  const label = path.at(-1) ?? ''
  if (path.length < 2 || !isLabel(label)) return undefined
  return { path: path.slice(0, -1), label }
}
