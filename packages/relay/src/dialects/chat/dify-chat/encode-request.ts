import type { Ask, Conversation, Turn } from '../../../model/conversation.ts';
import { withSystemNotes } from '../../../translate/system-notes.ts';
import { dropAllSettings, pictureUrls, userOf, wordsOf } from '../agent-apps.ts';

const speakers = { user: 'User', assistant: 'Assistant', system: 'System' } as const;

/** Encodes a request. Earlier turns become part of the question because the app stores conversations itself. */
export function encodeRequest(
  conversation: Conversation,
  _ask: Ask,
  dropped: string[],
): Record<string, unknown> {
  dropAllSettings(conversation, dropped);
  const turns = withSystemNotes(conversation.turns);
  const files = pictureUrls(turns, dropped).map((url) => ({
    type: 'image',
    transfer_method: 'remote_url',
    url,
  }));
  return {
    inputs: {},
    query: queryOf(conversation, turns),
    response_mode: 'streaming',
    user: userOf(conversation),
    auto_generate_name: false,
    ...(files.length > 0 && { files }),
  };
}

/** One question alone is asked as it is. */
function queryOf({ system }: Conversation, turns: readonly Turn[]): string {
  const [only, ...others] = turns;
  const instructions = system.map(({ text }) => text).filter((text) => text !== '');
  if (instructions.length === 0 && only !== undefined && others.length === 0) return wordsOf(only);
  const said = turns.map((turn) => `${speakers[turn.role]}: ${wordsOf(turn)}`);
  return [...instructions, ...said].join('\n\n');
}
