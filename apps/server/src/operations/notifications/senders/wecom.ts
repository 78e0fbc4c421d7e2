import { checkResponseCode, checkStatus, describeResponse, formatPlainText, type Sender } from './sender.ts';

/** Busy, and too many messages per minute: https://developer.work.weixin.qq.com/document/path/90313 */
const retryableCodes = [-1, 45009];
/** The robot no longer exists. */
const permanentCodes = [93000];

/** Sends to a robot of a WeCom group: https://developer.work.weixin.qq.com/document/path/91770 */
export const sendToWeCom: Sender = async (message, { address = '' }, post) => {
  const answer = await post(address, { msgtype: 'text', text: { content: formatPlainText(message) } });
  checkStatus(answer);
  checkResponseCode(answer, 'errcode', { taken: 0, later: retryableCodes, gone: permanentCodes });
  return describeResponse(answer);
};
