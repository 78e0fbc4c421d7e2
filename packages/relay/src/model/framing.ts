import type { Framing } from './client-request.ts';

export function contentTypeOf(framing: Framing): string {
  return framing === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
}
