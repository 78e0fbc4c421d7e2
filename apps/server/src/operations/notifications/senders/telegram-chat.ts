import { botResponse, buildBotUrl } from '../../../platform/outbound/telegram-bot-api-format.ts';
import { checkStatus, DeliveryError, describeResponse, formatPlainText, type Sender } from './sender.ts';

const TEXT_MAX = 4_096;
/** The user blocked the bot, or it was removed from the chat. */
const FORBIDDEN = 403;

/** Sends a message by the site's bot: https://core.telegram.org/bots/api#sendmessage */
export const sendToTelegram: Sender = async (message, { chat = '', token = '' }, post) => {
  if (token === '') throw new DeliveryError('The site has no Telegram bot', 'later');
  if (chat === '') throw new DeliveryError('No Telegram account is connected', 'refused');
  const answer = await post(buildBotUrl(token, 'sendMessage'), {
    chat_id: chat,
    text: formatPlainText(message).slice(0, TEXT_MAX),
    link_preview_options: { is_disabled: true },
  });
  const read = botResponse.safeParse(answer.json).data;
  if (read?.ok === true) return 'ok';
  if (read === undefined) {
    checkStatus(answer);
    throw new DeliveryError(describeResponse(answer), 'later');
  }
  const { error_code, description, parameters } = read;
  const reason = `${error_code} ${description}`;
  if (error_code === FORBIDDEN) throw new DeliveryError(reason, 'gone');
  const isPassing = error_code === 429 || error_code >= 500;
  throw new DeliveryError(reason, isPassing ? 'later' : 'refused', parameters?.retry_after ?? 0);
};
