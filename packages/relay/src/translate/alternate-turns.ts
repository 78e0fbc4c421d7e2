/** Turns for dialects in which they alternate. */

import { findExcess } from '../json/json-size.ts';
import type { Turn } from '../model/conversation.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';

/**
 * Roles alternate, and the user begins. Instructions between turns are the dialect's own business, and so are calls and
 * their results (`pair-calls.ts`).
 * @throws InvalidRequestError when the calls' arguments are too much to be parsed
 */
export function alternateTurns(turns: readonly Turn[]): Turn[] {
  const merged = mergeTurns(turns);
  if (merged[0]?.role !== 'user') merged.unshift({ role: 'user', parts: [{ type: 'text', text: '.' }] });
  checkArguments(merged);
  return merged;
}

export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) addTurn(merged, turn);
  return merged;
}

/** Adds a turn by appending it to the last one if the roles are equal. */
export function addTurn(turns: Turn[], { role, parts }: Turn): void {
  const last = turns.at(-1);
  // Pushes one by one: a turn may have more parts than a call accepts arguments.
  if (last?.role === role) for (const part of parts) last.parts.push(part);
  else turns.push({ role, parts: [...parts] });
}

/** Checks the arguments, which are unparsed text in the other dialect. */
function checkArguments(turns: readonly Turn[]): void {
  const calls = turns.flatMap((turn) => turn.parts).filter((part) => part.type === 'tool-call');
  const excess = findExcess(calls.map((call) => call.arguments));
  if (excess === undefined) return;
  throw new InvalidRequestError(`The request, with the arguments of its tool calls, ${excess}.`, 'messages');
}
