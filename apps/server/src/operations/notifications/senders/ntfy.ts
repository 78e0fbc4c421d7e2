import { checkStatus, formatHeading, type Sender } from './sender.ts';

/** https://docs.ntfy.sh/publish/#publish-as-json */
export const sendToNtfy: Sender = async (message, { address = '', topic = '', token = '' }, post) => {
  const answer = await post(
    address,
    {
      topic,
      title: formatHeading(message),
      message: message.text,
      ...(message.link === '' ? {} : { click: message.link }),
    },
    token === '' ? {} : { authorization: `Bearer ${token}` },
  );
  checkStatus(answer);
  // The response body repeats the topic, which is a secret.
  return String(answer.status);
};
