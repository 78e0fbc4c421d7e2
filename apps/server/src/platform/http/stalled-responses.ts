/** Ends responses that no client reads, because the server holds them in memory. */
import type { FastifyInstance } from 'fastify';

/**
 * @param ms time during which the client reads no byte. Event streams are exempt, since events may be further apart
 */
export function endStalledResponses(app: FastifyInstance, ms: number): void {
  app.addHook('onSend', async (_request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return;
    reply.raw.setTimeout(ms, () => reply.raw.destroy());
  });
}
