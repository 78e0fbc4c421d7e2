import type { Conversation, Tool } from '../../model/conversation.ts';

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
