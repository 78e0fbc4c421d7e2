import type { Turn } from '../model/conversation.ts';

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
