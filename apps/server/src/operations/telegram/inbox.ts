/**
 * Inbox of the bot, for messages from polling and the webhook alike: handles each message once, and those of one chat
 * in order.
 */
import type { Context } from '../../context.ts';
import { claimKey } from '../../idempotency/idempotency.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import { createLocalLimit } from '../../platform/limits/rate-limit.ts';
import { botId } from './bot-api.ts';
import { logFailure } from './log-failure.ts';
import { answerMessage } from './reply.ts';
import type { Message, Update } from './update.ts';

const MESSAGES_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

interface Inbox {
  /** Resolves when the message was answered, or left alone; failures are logged. */
  take(update: Update): Promise<void>;
  /** Ends what waits. */
  close(): Promise<void>;
}

const inboxes = new WeakMap<Context, Inbox>();

export function inboxOf(ctx: Context): Inbox {
  const inbox = inboxes.get(ctx) ?? createInbox(ctx);
  inboxes.set(ctx, inbox);
  return inbox;
}

function createInbox(ctx: Context): Inbox {
  const perChat = createLocalLimit(ctx.clock, MESSAGES_PER_MINUTE, MINUTE_MS);
  const stop = new AbortController();
  const lastOf = new Map<number, Promise<void>>();

  const answerOnce = async (id: number, message: Message): Promise<void> => {
    const requestId = newRequestId();
    const use = { scope: `telegram ${botId(ctx)}`, key: String(id), fingerprint: '', requestId };
    // Telegram sends what it holds to be undelivered again, for a day; as long does a key live.
    const claim = await claimKey(ctx.db.writer, use, nowSeconds(ctx.clock));
    if (claim.state === 'new') await answerMessage(ctx, message, { requestId, signal: stop.signal });
  };

  return {
    async take({ update_id, message }) {
      if (message?.chat.type !== 'private') return;
      const chat = message.chat.id;
      if (!perChat.tryTake(String(chat))) return;
      const turn = (lastOf.get(chat) ?? Promise.resolve())
        .then(() => answerOnce(update_id, message))
        .catch((error: unknown) => logFailure(ctx, error, 'a message to the Telegram bot was not answered'));
      lastOf.set(chat, turn);
      await turn;
      if (lastOf.get(chat) === turn) lastOf.delete(chat);
    },
    async close() {
      stop.abort();
      await Promise.all(lastOf.values());
    },
  };
}
