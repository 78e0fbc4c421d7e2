import type { Turn } from '../model/conversation.ts';

/**
 * For dialects that know instructions only at the head: those in the middle of a conversation stay where they are, as
 * marked texts of the user, because moving them to the head would change what they refer to.
 */
export function withSystemNotes(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) =>
    turn.role === 'system' ? { role: 'user', parts: turn.parts.map(asNote) } : turn,
  );
}

function asNote(part: Turn['parts'][number]): Turn['parts'][number] {
  return part.type === 'text' ? { ...part, text: systemNote(part.text) } : part;
}

/** An instruction, as the user tells it. */
export function systemNote(text: string): string {
  return `<system>\n${text}\n</system>`;
}
