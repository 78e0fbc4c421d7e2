/** Changes to turns and instructions for dialects that accept fewer forms of them. */

import type { TextPart, Turn } from '../model/conversation.ts';

/**
 * Roles alternate, and the user begins. Instructions between turns are the dialect's own business, and so are calls and
 * their results (`pair-tool-calls.ts`).
 */
export function alternateTurns(turns: readonly Turn[]): Turn[] {
  const merged = mergeTurns(turns);
  if (merged[0]?.role !== 'user') merged.unshift({ role: 'user', parts: [{ type: 'text', text: '.' }] });
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

/** Instruction to answer in JSON, for dialects without a JSON mode. */
export const jsonInstruction: TextPart = {
  type: 'text',
  text: 'Answer with one valid JSON object and nothing else: no explanation, no code fence.',
};

/** Returns the schema as an instruction, for targets that cannot enforce it. */
export function schemaInstruction(schema: unknown): TextPart {
  const demand = 'Answer with one JSON value that is valid against this JSON Schema, and nothing else';
  return { type: 'text', text: `${demand}: no explanation, no code fence.\n${JSON.stringify(schema)}` };
}
