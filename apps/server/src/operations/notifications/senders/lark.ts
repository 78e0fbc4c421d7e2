import { createHmac } from 'node:crypto';
import {
  checkResponseCode,
  checkStatus,
  describeResponse,
  formatPlainText,
  readResponseCode,
  type Sender,
} from './sender.ts';

/**
 * Lark's codes for too many requests: https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code
 */
const retryableCodes = [11232, 99991400];

/**
 * Sends to a custom bot of Lark or Feishu. The HMAC key is timestamp and secret, and the signed text is empty:
 * https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
 */
export const sendToLark: Sender = async (message, { address = '', secret = '' }, post, now) => {
  const timestamp = String(Math.floor(now / 1000));
  const sign = createHmac('sha256', `${timestamp}\n${secret}`).digest('base64');
  const answer = await post(address, {
    ...(secret === '' ? {} : { timestamp, sign }),
    msg_type: 'text',
    // Text in the message must not mention the whole group.
    content: { text: formatPlainText(message).replaceAll('<at', '< at') },
  });
  checkStatus(answer);
  // Older bots use another field name.
  const name = readResponseCode(answer, 'code') === undefined ? 'StatusCode' : 'code';
  checkResponseCode(answer, name, { taken: 0, later: retryableCodes });
  return describeResponse(answer);
};
