import type { TemplateError } from '../../api.js'
import { execError, type Site } from '../../site.js'
import { printHandlebarsNode } from './print-node.js'

/** The error of a variable or field that is needed but missing. */
export function missingVariable(site: Site): TemplateError {
  const path = printHandlebarsNode(site.node)
  return execError(site, `variable "${path}" not found`, {
    code: 'missing_variables',
    reason: 'missing',
    paths: [path],
  })
}

/** The error of `{{> name}}` for a name that nobody registered. */
export function unknownPartialError(site: Site, name: string): TemplateError {
  return execError(site, `template "${name}" is not registered`, {
    code: 'partial_not_found',
    reason: 'partial',
    facts: { name },
  })
}

/** The error of `{{#each path}}` over a value that is not a list. */
export function notAnArray(site: Site): TemplateError {
  const path = printHandlebarsNode(site.node)
  return execError(site, `"${path}" is not an array`, {
    code: 'not_an_array',
    reason: 'list',
    facts: { path },
  })
}

/** The error of templates that include each other too deeply. */
export function tooDeep(site: Site, limit: number): TemplateError {
  return execError(site, `templates include each other deeper than ${limit}`, {
    code: 'max_depth_reached',
    reason: 'depth',
    facts: { limit },
  })
}
