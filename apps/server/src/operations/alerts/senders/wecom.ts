import { checkCode, checkStatus, plainText, type Sender, saidBy } from './sender.ts';

/** Busy, and too many messages in a minute: https://developer.work.weixin.qq.com/document/path/90313 */
const later = [-1, 45009];
/** There is no such robot any more. */
const gone = [93000];

/** A robot of a WeCom group: https://developer.work.weixin.qq.com/document/path/91770 */
export const sendToWeCom: Sender = async (message, { address = '' }, post) => {
  const answer = await post(address, { msgtype: 'text', text: { content: plainText(message) } });
  checkStatus(answer);
  checkCode(answer, 'errcode', { taken: 0, later, gone });
  return saidBy(answer);
};
