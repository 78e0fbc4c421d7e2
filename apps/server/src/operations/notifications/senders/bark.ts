import { checkResponseCode, checkStatus, describeResponse, formatHeading, type Sender } from './sender.ts';

/** https://github.com/Finb/bark-server/blob/master/docs/API_V2.md */
export const sendToBark: Sender = async (message, { address = '', key = '' }, post) => {
  const answer = await post(new URL('push', ensureTrailingSlash(address)).href, {
    device_key: key,
    title: formatHeading(message),
    body: message.text,
    ...(message.link === '' ? {} : { url: message.link }),
  });
  checkStatus(answer);
  checkResponseCode(answer, 'code', { taken: 200, later: [429, 500] });
  return describeResponse(answer);
};

/** Keeps the path of a server below the root. */
const ensureTrailingSlash = (address: string): string => (address.endsWith('/') ? address : `${address}/`);
