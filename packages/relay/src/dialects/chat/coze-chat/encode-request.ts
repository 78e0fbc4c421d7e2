import type { Ask, Conversation, Turn } from '../../../model/conversation.ts';
import { addTurn } from '../../../translate/paired-turns.ts';
import { withSystemNotes } from '../../../translate/system-notes.ts';
import { dropAllSettings, pictureUrls, userOf, wordsOf } from '../agent-apps.ts';

type Json = Record<string, unknown>;

/** The model names the agent, as gateways of this kind write it: `coze-7351…`. */
const prefix = /^coze-/;

export function encodeRequest(conversation: Conversation, { model }: Ask, dropped: string[]): Json {
  dropAllSettings(conversation, dropped);
  return {
    bot_id: model.replace(prefix, ''),
    user_id: userOf(conversation),
    stream: true,
    auto_save_history: false,
    additional_messages: withInstructions(conversation).flatMap((turn) => message(turn, dropped)),
  };
}

/** Agents have instructions of their own; a client's are said by the user. */
function withInstructions({ system, turns }: Conversation): Turn[] {
  const told: Turn[] = [];
  if (system.length > 0) addTurn(told, { role: 'user', parts: system });
  for (const turn of withSystemNotes(turns)) addTurn(told, turn);
  return told;
}

function message(turn: Turn, dropped: string[]): Json[] {
  const text = wordsOf(turn);
  const urls = pictureUrls([turn], dropped);
  if (text === '' && urls.length === 0) return [];
  const kind =
    turn.role === 'assistant' ? { role: 'assistant', type: 'answer' } : { role: 'user', type: 'question' };
  if (urls.length === 0) return [{ ...kind, content_type: 'text', content: text }];
  const objects = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...urls.map((file_url) => ({ type: 'image', file_url })),
  ];
  return [{ ...kind, content_type: 'object_string', content: JSON.stringify(objects) }];
}
