import type { ResponseEvent } from '../model/conversation.ts';

type Delta = Extract<ResponseEvent, { text: string }>;

/**
 * Joins adjacent deltas of the same text. A vendor's event may list tens of thousands of parts, and each delta becomes
 * an event for the client.
 */
export function joinDeltas(events: readonly ResponseEvent[]): ResponseEvent[] {
  const joined: ResponseEvent[] = [];
  let last: Delta | undefined;
  for (const event of events) {
    if (!isDelta(event)) last = undefined;
    else if (last !== undefined && continues(last, event)) {
      last.text += event.text;
      continue;
    } else last = { ...event };
    joined.push(last ?? event);
  }
  return joined;
}

function isDelta(event: ResponseEvent): event is Delta {
  return 'text' in event;
}

function continues(last: Delta, next: Delta): boolean {
  if (last.type !== next.type || last.choice !== next.choice) return false;
  return last.type !== 'tool-arguments' || (next.type === 'tool-arguments' && last.index === next.index);
}
