/** Ends answers that nobody reads, because the server holds them until they are read. */
import type { FastifyInstance } from 'fastify';

/** @param ms in which the client takes no byte. Events may be further apart than that, and end otherwise */
export function endStalledResponses(app: FastifyInstance, ms: number): void {
  app.addHook('onSend', async (_request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return;
    reply.raw.setTimeout(ms, () => reply.raw.destroy());
  });
}
