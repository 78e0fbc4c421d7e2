/** Turns for dialects in which they alternate and each tool call is answered in the turn behind it. */
import type { Part, ToolResultPart, Turn } from './conversation.ts';
import { InvalidRequest } from './invalid-request.ts';
import { excessOf } from './json-size.ts';

/**
 * Roles alternate, the user begins, and every call has its result at the head of the very next turn. Instructions
 * between turns are the dialect's own business.
 * @throws InvalidRequest when the calls' arguments are too much to be parsed
 */
export function pairedTurns(turns: readonly Turn[]): Turn[] {
  const merged = mergeTurns(turns);
  if (merged[0]?.role !== 'user') merged.unshift({ role: 'user', parts: [{ type: 'text', text: '.' }] });
  answerEveryCall(merged);
  checkArguments(merged);
  return merged;
}

export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) addTurn(merged, turn);
  return merged;
}

/** To the last one, if it is of the same role. */
export function addTurn(turns: Turn[], { role, parts }: Turn): void {
  const last = turns.at(-1);
  // One by one: a turn may have more parts than a call takes arguments.
  if (last?.role === role) for (const part of parts) last.parts.push(part);
  else turns.push({ role, parts: [...parts] });
}

function answerEveryCall(turns: Turn[]): void {
  for (let index = 0; index < turns.length; index++) {
    const calls = turns[index]?.parts.filter((part) => part.type === 'tool-call') ?? [];
    if (calls.length === 0) continue;
    const next = turns[index + 1];
    const parts = next?.parts ?? [];
    const known = new Map<string, ToolResultPart>();
    for (const part of parts)
      if (part.type === 'tool-result' && !known.has(part.callId)) known.set(part.callId, part);
    const results = calls.map(({ callId }) => known.get(callId) ?? missingResult(callId));
    const used = new Set<Part>(results);
    const others = parts.filter((part) => !used.has(part));
    if (next === undefined) turns.push({ role: 'user', parts: results });
    else next.parts = [...results, ...others];
  }
}

function missingResult(callId: string): ToolResultPart {
  const content = [{ type: 'text' as const, text: 'The result of this call was not recorded.' }];
  return { type: 'tool-result', callId, content, isError: true };
}

/** Arguments are text in the other dialect, which nobody has looked into yet. */
function checkArguments(turns: readonly Turn[]): void {
  const calls = turns.flatMap((turn) => turn.parts).filter((part) => part.type === 'tool-call');
  const excess = excessOf(calls.map((call) => call.arguments));
  if (excess === undefined) return;
  throw new InvalidRequest(`The request, with the arguments of its tool calls, ${excess}.`, 'messages');
}
