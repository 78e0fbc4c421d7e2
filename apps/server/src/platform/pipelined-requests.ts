/**
 * Bounds the requests that a client sends before it has the response to the one before (HTTP pipelining, RFC 9112,
 * section 9.3.2). A packet holds thousands of them, and Node.js serves them all in one turn of the event loop.
 */
import type { IncomingMessage } from 'node:http';
import { afterOthers } from './clock.ts';

/** A client that waits for each response has one. */
const PER_TURN_MAX = 8;

export interface PipelinedRequests {
  /** Closes the connection when too many requests come at once. @returns whether the request is not to be served */
  refuses(request: Pick<IncomingMessage, 'socket'>): boolean;
}

export function limitPipelinedRequests(): PipelinedRequests {
  const byConnection = new WeakMap<object, { turn: number; count: number }>();
  let turn = 0;
  let isTurn = false;
  const beginTurn = (): void => {
    isTurn = true;
    afterOthers(() => {
      isTurn = false;
      turn += 1;
    });
  };
  return {
    refuses({ socket }) {
      if (!isTurn) beginTurn();
      const known = byConnection.get(socket);
      if (known?.turn === turn) known.count += 1;
      else if (known === undefined) byConnection.set(socket, { turn, count: 1 });
      else {
        known.turn = turn;
        known.count = 1;
      }
      if (known !== undefined && known.count > PER_TURN_MAX) socket.destroy();
      return socket.destroyed;
    },
  };
}
