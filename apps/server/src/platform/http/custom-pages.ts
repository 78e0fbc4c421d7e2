/** Serves the operator's own pages in an opaque origin: without cookies, storage or API access. */
import { type CustomPageName, customPagePaths, isFullDocument } from '@switchyard/contract/operations/custom-page';
import type { FastifyInstance } from 'fastify';

/** The sandbox is part of the response, so that it also applies when the address is opened without a frame. */
const policy = [
  'sandbox allow-scripts allow-popups allow-forms',
  "default-src 'none'",
  "script-src 'unsafe-inline' https:",
  "style-src 'unsafe-inline' https:",
  'img-src data: https:',
  'font-src data: https:',
  'media-src data: https:',
  'connect-src https:',
  'frame-src https:',
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** @param textOf returns the operator's current text */
export function serveCustomPages(app: FastifyInstance, textOf: (page: CustomPageName) => string): void {
  for (const page of Object.keys(customPagePaths) as CustomPageName[]) {
    app.get(customPagePaths[page], { config: { entrance: { access: 'anyone' } } }, (_request, reply) => {
      const text = textOf(page);
      if (!isFullDocument(text)) return reply.status(404).headers(headers).type('text/plain').send('Not found');
      return reply.headers(headers).type('text/html; charset=utf-8').send(text);
    });
  }
}
