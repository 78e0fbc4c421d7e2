import {
  checkStatus,
  createDeliveryFailure,
  DeliveryError,
  describeResponse,
  formatPlainText,
  readResponseCode,
  type Sender,
} from './sender.ts';

const CONTENT_MAX = 2_000;
/** Unknown webhook: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const UNKNOWN_WEBHOOK = 10015;

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const sendToDiscord: Sender = async (message, { address = '' }, post) => {
  const answer = await post(address, {
    content: formatPlainText(message).slice(0, CONTENT_MAX),
    // Text in the message must not mention everyone.
    allowed_mentions: { parse: [] },
  });
  if (readResponseCode(answer, 'code') === UNKNOWN_WEBHOOK) throw createDeliveryFailure(answer, 'gone');
  // The body also has the delay, as a fraction:
  // https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit
  if (answer.status === 429)
    throw new DeliveryError(
      describeResponse(answer),
      'later',
      Math.max(answer.retryAfterSeconds, Math.ceil(readResponseCode(answer, 'retry_after') ?? 0)),
    );
  checkStatus(answer);
  return describeResponse(answer);
};
