import { checkCode, checkStatus, headingOf, type Sender, saidBy } from './sender.ts';

/** https://github.com/Finb/bark-server/blob/master/docs/API_V2.md */
export const sendToBark: Sender = async (message, { address = '', key = '' }, post) => {
  const answer = await post(new URL('push', withSlash(address)).href, {
    device_key: key,
    title: headingOf(message),
    body: message.text,
    ...(message.link === '' ? {} : { url: message.link }),
  });
  checkStatus(answer);
  checkCode(answer, 'code', { taken: 200, later: [429, 500] });
  return saidBy(answer);
};

/** A server below a path of its host keeps it. */
const withSlash = (address: string): string => (address.endsWith('/') ? address : `${address}/`);
