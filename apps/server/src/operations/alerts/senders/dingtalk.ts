import { createHmac } from 'node:crypto';
import { checkCode, checkStatus, plainText, type Sender, saidBy } from './sender.ts';

/** Busy, and too many messages in a minute. */
const later = [-1, 130101, 410100];
/** No such token, switched off, and no such robot. */
const gone = [400101, 400102, 400106];

/** A robot of DingTalk: https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages */
export const sendToDingTalk: Sender = async (message, { address = '', secret = '' }, post, now) => {
  const url = new URL(address);
  if (secret !== '') {
    const sign = createHmac('sha256', secret).update(`${now}\n${secret}`).digest('base64');
    url.searchParams.set('timestamp', String(now));
    url.searchParams.set('sign', sign);
  }
  const answer = await post(url.href, { msgtype: 'text', text: { content: plainText(message) } });
  checkStatus(answer);
  checkCode(answer, 'errcode', { taken: 0, later, gone });
  return saidBy(answer);
};
