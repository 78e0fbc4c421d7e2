import { checkStatus, createDeliveryFailure, describeResponse, formatPlainText, type Sender } from './sender.ts';

/**
 * Errors of an incoming webhook that no longer exists:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/#handling_errors
 */
const permanentErrors = new Set(['no_service', 'no_active_hooks', 'channel_is_archived', 'no_team', 'team_disabled']);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Sends to Slack, or to a compatible receiver such as Mattermost. */
export const sendToSlack: Sender = async (message, { address = '' }, post) => {
  // Otherwise a name could become a link or mention everyone:
  // https://docs.slack.dev/messaging/formatting-message-text/#escaping
  const text = formatPlainText(message).replace(/[&<>]/g, (character) => entities[character] ?? character);
  const answer = await post(address, { text });
  if (permanentErrors.has(answer.text.trim())) throw createDeliveryFailure(answer, 'gone');
  checkStatus(answer);
  return describeResponse(answer);
};
