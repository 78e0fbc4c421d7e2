/** Sends a response over a socket, with the delays and failures of the behaviour. */
import type { ServerResponse } from 'node:http';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import type { Behaviour } from './behaviour.ts';
import type { ScriptedResponse } from './scripted-response.ts';

/** @param sent called after each piece with the number of written pieces */
export async function deliverResponse(
  response: ServerResponse,
  answer: ScriptedResponse,
  behaviour: Behaviour,
  sent: (pieces: number) => void,
): Promise<void> {
  if (behaviour.firstByteMs > 0) await sleep(systemTimers, behaviour.firstByteMs);
  if (response.destroyed || behaviour.silentAfter === 0) return;
  const pieces = listPieces(answer, behaviour);
  response.writeHead(behaviour.status, buildHeaders(answer, behaviour));
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && behaviour.dripMs > 0) await sleep(systemTimers, behaviour.dripMs);
    if (index === pieces.length - 1) await behaviour.endGate;
    if (response.destroyed || index === behaviour.silentAfter) return;
    if (index === behaviour.commentsAfter) return sendComments(response);
    if (index === behaviour.cutAfter) {
      await waitForFlush(response);
      response.destroy();
      return;
    }
    if (!response.write(piece)) await waitForDrain(response);
    sent(index + 1);
  }
  response.end();
}

const COMMENT_EVERY_MS = 100;

async function sendComments(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(': still here\n\n');
    await sleep(systemTimers, COMMENT_EVERY_MS);
  }
}

function listPieces(answer: ScriptedResponse, behaviour: Behaviour): string[] {
  if (behaviour.garbage) return ['<html><body>502 upstream of the upstream</body></html>'];
  if (behaviour.status >= 400 || behaviour.errorIn200) return [answer.error.body(behaviour.status)];
  if (!behaviour.errorInStream) return answer.pieces;
  return [...answer.pieces.slice(0, Math.ceil(answer.pieces.length / 2)), answer.error.event];
}

function buildHeaders(answer: ScriptedResponse, behaviour: Behaviour): Record<string, string> {
  const failed = behaviour.status >= 400 || behaviour.errorIn200;
  return {
    'content-type': behaviour.contentType ?? (failed ? 'application/json' : answer.contentType),
    'x-request-id': 'scripted-request',
    ...(behaviour.retryAfterSeconds === undefined ? {} : { 'retry-after': String(behaviour.retryAfterSeconds) }),
  };
}

/** Waits until the client has received everything before the cut, which must come at the given piece. */
async function waitForFlush(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    response.write('', () => resolve());
  });
  await sleep(systemTimers, 5);
}

function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
