import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageFiles } from '../playground/page-files.js'
import { sendPageFile } from '../playground/send-page-file.js'

export interface RootOptions {
  readonly version: string
  readonly pageFiles?: () => Promise<PageFiles>
}

const PAGE = 'index.html'

/** Serves the playground to browsers, and a description with links to programs. */
export function showRoot({ version, pageFiles }: RootOptions) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const page = wantsPage(request) ? (await pageFiles?.())?.get(PAGE) : undefined
    if (page !== undefined) return sendPageFile(request, reply, PAGE, page)
    return reply.header('vary', 'accept').send({
      name: 'ai-prompt-shell',
      version,
      documentation: '/docs',
      openapi: '/openapi.json',
      prompts: '/api/prompts',
      status: '/api/status',
    })
  }
}

/** Browsers name HTML; programs take anything. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true
}
