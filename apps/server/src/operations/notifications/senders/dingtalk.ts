import { createHmac } from 'node:crypto';
import { checkResponseCode, checkStatus, describeResponse, formatPlainText, type Sender } from './sender.ts';

/** Busy, and too many messages per minute. */
const retryableCodes = [-1, 130101, 410100];
/** Unknown token, disabled robot, and unknown robot. */
const permanentCodes = [400101, 400102, 400106];

/** Sends to a DingTalk robot: https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages */
export const sendToDingTalk: Sender = async (message, { address = '', secret = '' }, post, now) => {
  const url = new URL(address);
  if (secret !== '') {
    const sign = createHmac('sha256', secret).update(`${now}\n${secret}`).digest('base64');
    url.searchParams.set('timestamp', String(now));
    url.searchParams.set('sign', sign);
  }
  const answer = await post(url.href, { msgtype: 'text', text: { content: formatPlainText(message) } });
  checkStatus(answer);
  checkResponseCode(answer, 'errcode', { taken: 0, later: retryableCodes, gone: permanentCodes });
  return describeResponse(answer);
};
