/** What becomes of orders, told to those who gave them: how far a task is, and its work. */
import type { IncomingMessage } from 'node:http';
import { enter } from './admit.ts';
import { admitAddress } from './admit-address.ts';
import { answerError } from './answer.ts';
import type { Principal } from './authenticate.ts';
import { isDrawingLookup, isOpenDrawingLookup, lookUpDrawing, lookUpOpenly } from './drawing-lookups.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { isKlingLookup, lookUpFilm } from './kling-lookups.ts';
import { isMusicLookup, lookUpMusic } from './music-lookups.ts';
import type { Place } from './places.ts';
import { answerStoredWork, isStoredWork } from './stored-works.ts';
import type { Lookup, TaskLookup } from './task-lookup.ts';
import { isVideoLookup, lookUpVideo } from './video-lookups.ts';

type Serves = (method: string, path: string) => boolean;
type LookUp = (parts: GatewayParts, principal: Principal, lookup: TaskLookup) => Promise<string | undefined>;
type OpenLookUp = (parts: GatewayParts, lookup: TaskLookup) => Promise<string | undefined>;

const lookUps: readonly (readonly [Serves, LookUp])[] = [
  [isVideoLookup, lookUpVideo],
  [isDrawingLookup, lookUpDrawing],
  [isMusicLookup, lookUpMusic],
  [isKlingLookup, lookUpFilm],
];

/** Those that take no key. */
const openLookUps: readonly (readonly [Serves, OpenLookUp])[] = [
  [isOpenDrawingLookup, lookUpOpenly],
  [isStoredWork, answerStoredWork],
];

export function isTaskLookup(method: string, path: string): boolean {
  return [...openLookUps, ...lookUps].some(([serves]) => serves(method, path));
}

/** Answers the client in every case; never rejects. */
export async function answerTaskLookup(
  parts: GatewayParts,
  identify: (message: IncomingMessage) => Principal,
  asked: Lookup,
): Promise<void> {
  const { client, message, path } = asked;
  const lookup = { ...asked, site: parts.siteOf(message) };
  let place: Place | undefined;
  try {
    const openly = openLookUps.find(([serves]) => serves(message.method ?? '', path))?.[1];
    if (openly !== undefined) {
      place = await admitAddress(parts, lookup.address);
      return answer(lookup, await openly(parts, lookup));
    }
    const principal = identify(message);
    ({ place } = await enter(parts, principal, lookup.address));
    const keyed = lookUps.find(([serves]) => serves(message.method ?? '', path))?.[1];
    answer(lookup, await keyed?.(parts, principal, lookup));
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
