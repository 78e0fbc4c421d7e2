import { checkStatus, codeIn, DeliveryFailure, failureOf, plainText, type Sender, saidBy } from './sender.ts';

const CONTENT_MAX = 2_000;
/** Unknown webhook: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const UNKNOWN_WEBHOOK = 10015;

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const sendToDiscord: Sender = async (message, { address = '' }, post) => {
  const answer = await post(address, {
    content: plainText(message).slice(0, CONTENT_MAX),
    // A name in the text must not call everybody.
    allowed_mentions: { parse: [] },
  });
  if (codeIn(answer, 'code') === UNKNOWN_WEBHOOK) throw failureOf(answer, 'gone');
  // Also in the body, with a fraction: https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit
  if (answer.status === 429)
    throw new DeliveryFailure(
      saidBy(answer),
      'later',
      Math.max(answer.retryAfterSeconds, Math.ceil(codeIn(answer, 'retry_after') ?? 0)),
    );
  checkStatus(answer);
  return saidBy(answer);
};
