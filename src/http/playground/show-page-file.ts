import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageFiles } from './page-files.js'
import { sendPageFile } from './send-page-file.js'

/** Answers with one of the page's scripts, styles and pictures. */
export function showPageFile(pageFiles: () => Promise<PageFiles>) {
  return async (request: FastifyRequest<{ Params: { readonly name: string } }>, reply: FastifyReply) => {
    const { name } = request.params
    const file = (await pageFiles()).get(name)
    return file === undefined ? reply.callNotFound() : sendPageFile(request, reply, name, file)
  }
}
