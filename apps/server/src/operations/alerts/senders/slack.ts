import { checkStatus, failureOf, plainText, type Sender, saidBy } from './sender.ts';

/**
 * Errors of an incoming webhook that no longer exists:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/#handling_errors
 */
const gone = new Set(['no_service', 'no_active_hooks', 'channel_is_archived', 'no_team', 'team_disabled']);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack and what understands its messages, for instance Mattermost. */
export const sendToSlack: Sender = async (message, { address = '' }, post) => {
  // Otherwise a name could be a link or call everybody: https://docs.slack.dev/messaging/formatting-message-text/#escaping
  const text = plainText(message).replace(/[&<>]/g, (character) => entities[character] ?? character);
  const answer = await post(address, { text });
  if (gone.has(answer.text.trim())) throw failureOf(answer, 'gone');
  checkStatus(answer);
  return saidBy(answer);
};
