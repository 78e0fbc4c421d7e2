/** Parses JSON bodies, and refuses those whose structure would take long to parse and to check. */
import { BODY_MAX_VALUES } from '@switchyard/contract/route';
import { DEPTH_MAX, exceededLimit } from '@switchyard/relay/json';
import type { FastifyInstance } from 'fastify';
import { AppError } from './app-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Most values in a body; absent: `BODY_MAX_VALUES`. */
    bodyMaxValues?: number;
  }
}

export function limitJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    const values = request.routeOptions.config.bodyMaxValues ?? BODY_MAX_VALUES;
    const exceeded = exceededLimit(text, { depth: DEPTH_MAX, values });
    if (exceeded === undefined) return parse(request, text, done);
    const message =
      exceeded === 'depth'
        ? `The body is nested deeper than ${DEPTH_MAX} levels`
        : `The body contains more than ${values} values. Send fewer at once.`;
    done(new AppError(exceeded === 'depth' ? 'invalid-input' : 'too-large', message));
  });
}
