/** Changes to turns and instructions for dialects that accept fewer forms of them. */

import { findExcess } from '../json/json-size.ts';
import type { Conversation, TextPart, Tool, Turn } from '../model/conversation.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';

/** Instruction to answer in JSON, for dialects without a JSON mode. */
export const jsonInstruction: TextPart = {
  type: 'text',
  text: 'Answer with one valid JSON object and nothing else: no explanation, no code fence.',
};

/**
 * Roles alternate, and the user begins. Instructions between turns are the dialect's own business, and so are calls and
 * their results (`pair-tool-calls.ts`).
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

/**
 * Converts system messages during a conversation to marked user texts, for dialects that only accept leading ones.
 * They stay in place because moving them would change their meaning.
 */
export function convertSystemTurns(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => (turn.role === 'system' ? { role: 'user', parts: turn.parts.map(toNote) } : turn));
}

function toNote(part: Turn['parts'][number]): Turn['parts'][number] {
  return part.type === 'text' ? { ...part, text: formatSystemNote(part.text) } : part;
}

/** Returns an instruction as a note of the user. */
export function formatSystemNote(text: string): string {
  return `<system>\n${text}\n</system>`;
}

/** Returns the schema as an instruction, for targets that cannot enforce it. */
export function schemaInstruction(schema: unknown): TextPart {
  const demand = 'Answer with one JSON value that is valid against this JSON Schema, and nothing else';
  return { type: 'text', text: `${demand}: no explanation, no code fence.\n${JSON.stringify(schema)}` };
}

/**
 * Returns the tools used in the history. Vendors refuse such a history without its tools, which other dialects let a
 * client omit.
 */
export function listHistoryTools(conversation: Conversation): Tool[] {
  const calls = conversation.turns.flatMap((turn) => turn.parts).filter((part) => part.type === 'tool-call');
  return [...new Set(calls.map((call) => call.name))].map((name) => ({
    name,
    parameters: { type: 'object', properties: {} },
  }));
}
