import type { Conversation, Tool } from '../../model/conversation.ts';

/** A history with tool calls is refused without their tools, which other dialects let a client leave out. */
export function listHistoryTools(conversation: Conversation): Tool[] {
  const calls = conversation.turns.flatMap((turn) => turn.parts).filter((part) => part.type === 'tool-call');
  return [...new Set(calls.map((call) => call.name))].map((name) => ({
    name,
    parameters: { type: 'object', properties: {} },
  }));
}
