import type { JsonObject } from '../../api/shapes.js'
import { pretty, python } from './sample-text.js'

/** A request to say in a programming language. */
export interface SampleRequest {
  /** Where the service is, without a slash at its end. */
  readonly origin: string
  readonly path: string
  readonly body: JsonObject
  /** Whether keys are on. The key itself is never part of a sample. */
  readonly needsKey: boolean
}

/** A sample request for a shell. */
export function toCurl({ origin, path, body, needsKey }: SampleRequest): string {
  const key = needsKey ? ` -H "authorization: Bearer $API_KEY"` : ''
  return `curl -s ${quoted(origin + path)} -H 'content-type: application/json'${key} \\\n  -d ${quoted(pretty(body))}\n`
}

/** A sample request in TypeScript, with nothing but `fetch`. */
export function toTypeScript({ origin, path, body, needsKey }: SampleRequest): string {
  const key = needsKey ? ', authorization: `Bearer ${process.env.API_KEY}`' : ''
  return `const response = await fetch(${JSON.stringify(origin + path)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json'${key} },
  body: JSON.stringify(${pretty(body).replaceAll('\n', '\n  ')}),
})
if (!response.ok) throw new Error(await response.text())
console.log(await response.json())
`
}

/** A sample request in Python, with nothing but its library. */
export function toPython({ origin, path, body, needsKey }: SampleRequest): string {
  const key = needsKey ? ', "authorization": "Bearer " + os.environ["API_KEY"]' : ''
  return [
    'import json',
    ...(needsKey ? ['import os'] : []),
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(origin + path)},`,
    `    data=json.dumps(${python(body).replaceAll('\n', '\n    ')}).encode(),`,
    `    headers={"content-type": "application/json"${key}},`,
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(json.load(response))',
    '',
  ].join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
