import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answering } from './answer.ts';

/** A question about tasks. */
export interface TaskLookup extends Answering {
  message: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  address: string;
}
