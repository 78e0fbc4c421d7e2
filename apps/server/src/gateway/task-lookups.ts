/** What becomes of orders, told to those who gave them: how far a task is, and its work. */
import type { IncomingMessage } from 'node:http';
import { admitCaller } from './admit.ts';
import { answerError } from './answer.ts';
import type { Principal } from './authenticate.ts';
import { isDrawingLookup, isOpenDrawingLookup, lookUpDrawing, lookUpOpenly } from './drawing-lookups.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { isKlingLookup, lookUpFilm } from './kling-lookups.ts';
import { isMusicLookup, lookUpMusic } from './music-lookups.ts';
import type { Place } from './places.ts';
import type { TaskLookup } from './task-lookup.ts';
import { isVideoLookup, lookUpVideo } from './video-lookups.ts';

type LookUp = (parts: GatewayParts, principal: Principal, lookup: TaskLookup) => Promise<string | undefined>;

const lookUps: readonly (readonly [serves: (method: string, path: string) => boolean, LookUp])[] = [
  [isVideoLookup, lookUpVideo],
  [isDrawingLookup, lookUpDrawing],
  [isMusicLookup, lookUpMusic],
  [isKlingLookup, lookUpFilm],
];

export function isTaskLookup(method: string, path: string): boolean {
  return isOpenDrawingLookup(method, path) || lookUpOf(method, path) !== undefined;
}

/** By whom a look-up is answered that takes a key. */
function lookUpOf(method: string, path: string): LookUp | undefined {
  return lookUps.find(([serves]) => serves(method, path))?.[1];
}

/** Answers the client in every case; never rejects. */
export async function answerTaskLookup(
  parts: GatewayParts,
  identify: (message: IncomingMessage) => Principal,
  lookup: TaskLookup,
): Promise<void> {
  const { client, message, path } = lookup;
  let place: Place | undefined;
  try {
    if (isOpenDrawingLookup(message.method ?? '', path))
      return answer(lookup, await lookUpOpenly(parts, lookup));
    const principal = identify(message);
    place = parts.places.enter(principal, lookup.address);
    admitCaller(parts, principal, lookup.address);
    answer(lookup, await lookUpOf(message.method ?? '', path)?.(parts, principal, lookup));
  } catch (error) {
    // Among bytes that have begun, nothing can be said.
    if (client.begun) client.drop();
    else answerError(parts.log, lookup, error);
  } finally {
    place?.leave();
  }
}

function answer({ client }: TaskLookup, json: string | undefined): void {
  if (json !== undefined) client.send(200, 'application/json; charset=utf-8', json);
}
