import { ServiceError } from '../errors.js'
import type { Asked, Chosen } from '../registry/choose.js'
import type { VersionEntry } from '../registry/snapshot.js'

/** Versions that an error lists, the newest. */
const MAX_LISTED = 20

/** The failure of a request for a version or a label that a prompt or an agent does not have. */
export function nothingChosen(
  noun: 'prompt' | 'agent',
  { id, version, bound }: Asked & { readonly id: string },
  { reason, label, life, problem }: Extract<Chosen<unknown, VersionEntry>, { readonly kind: 'nothing' }>,
): ServiceError {
  const subject = `The ${noun} ${JSON.stringify(id)}`
  if (reason === 'unusable')
    return new ServiceError(
      'release_unusable',
      `${subject} has no usable release under "${label}": ${problem}`,
      {
        param: 'label',
        details: { label, reason: problem },
      },
    )
  if (reason === 'no_version') {
    // A caller that may use labels only must not learn which versions exist.
    const versions =
      bound === undefined ? (life?.versions ?? []).slice(-MAX_LISTED).map(({ number }) => number) : []
    return new ServiceError('version_not_found', `${subject} has no version ${version}${listed(versions)}`, {
      param: 'version',
      details: { versions },
    })
  }
  const labels = [...(life?.labels.keys() ?? [])].filter((each) => bound?.includes(each) !== false)
  return new ServiceError('label_not_found', `${subject} has no label "${label}"${listed(labels)}`, {
    param: 'label',
    details: { labels },
  })
}

function listed(names: readonly (string | number)[]): string {
  return names.length === 0 ? '' : `: there is ${names.join(', ')}`
}
