/** The relay's front door: which requests it serves, and the way from path to answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import type { ClientAddress } from '../platform/client-address.ts';

export interface Gateway {
  serves(request: IncomingMessage): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

export async function createGateway(_ctx: Context, _clientAddress: ClientAddress): Promise<Gateway> {
  return { serves: () => false, handle: () => {}, close: async () => {} };
}
