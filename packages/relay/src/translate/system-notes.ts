import type { Turn } from '../model/conversation.ts';

/**
 * Turns system messages in the middle of a conversation into marked texts of the user, for dialects that have system
 * messages only at the head. They stay where they are because moving them would change what they refer to.
 */
export function convertSystemTurns(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => (turn.role === 'system' ? { role: 'user', parts: turn.parts.map(toNote) } : turn));
}

function toNote(part: Turn['parts'][number]): Turn['parts'][number] {
  return part.type === 'text' ? { ...part, text: formatSystemNote(part.text) } : part;
}

/** An instruction, as the user tells it. */
export function formatSystemNote(text: string): string {
  return `<system>\n${text}\n</system>`;
}
