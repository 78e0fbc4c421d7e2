/** Integer codes of the public API for roles, statuses and kinds, which are words internally. */
import { z } from 'zod';

/** Returns a codec of an integer on the wire and a word internally; it refuses unknown integers. */
function integerCode<const T extends Record<string, number>>(codes: T) {
  type Word = keyof T & string;
  const byNumber = new Map<number, string>(Object.entries(codes).map(([word, number]) => [number, word]));
  const isWord = (text: string | undefined): text is Word => text !== undefined && text in codes;
  return z.codec(
    z.coerce.number().int(),
    z.custom<Word>((value) => typeof value === 'string' && isWord(value)),
    {
      decode: (number, context) => {
        const word = byNumber.get(number);
        if (isWord(word)) return word;
        context.issues.push({ code: 'invalid_value', values: Object.values(codes), input: number });
        return z.NEVER;
      },
      encode: (word) => Number(codes[word]),
    },
  );
}

export const role = integerCode({ user: 1, staff: 3, admin: 10, root: 100 });
export type Role = z.output<typeof role>;

export const userStatus = integerCode({ enabled: 1, disabled: 2 });
export type UserStatus = z.output<typeof userStatus>;

export const apiKeyStatus = integerCode({ enabled: 1, disabled: 2, expired: 3, exhausted: 4 });
export type ApiKeyStatus = z.output<typeof apiKeyStatus>;

/** `auto-disabled`: disabled by the gateway for a confirmed key or account error, or for slowness. */
export const channelStatus = integerCode({ enabled: 1, disabled: 2, 'auto-disabled': 3 });
export type ChannelStatus = z.output<typeof channelStatus>;

/** `error` is a request that no channel could answer; it costs nothing. */
export const recordType = integerCode({ 'top-up': 1, consume: 2, manage: 3, system: 4, error: 5 });
export type RecordType = z.output<typeof recordType>;

/** `failed`: the provider refused the payment. `closed`: no payment arrived in time; a late one still counts. */
export const orderStatuses = ['pending', 'success', 'failed', 'closed', 'refunded', 'disputed'] as const;
export const orderStatus = z.enum(orderStatuses);
export type OrderStatus = z.output<typeof orderStatus>;

/** `page`: a form or link to open. `qr`: an address for a QR code. `instructions`: a text to follow. */
export const paymentKind = integerCode({ page: 1, qr: 2, instructions: 3 });
export type PaymentKind = z.output<typeof paymentKind>;

export const redemptionStatus = integerCode({ enabled: 1, disabled: 2, used: 3 });
export type RedemptionStatus = z.output<typeof redemptionStatus>;

/** Failure classes of a failed call to a provider. The console has a message for each. */
export const failureClasses = [
  'dns',
  'connection-refused',
  'tls',
  'timeout',
  'unreachable',
  'proxy',
  'address-not-allowed',
  'wrong-address',
  'wrong-region',
  'html-answer',
  'not-json',
  'empty-answer',
  'wrong-key',
  'malformed-key',
  'no-permission',
  'out-of-credit',
  'rate-limit',
  'model-missing',
  /** The model exists, but serves another endpoint than the requested one. */
  'other-endpoint',
  /** No cheap request shows whether the model answers, so that nothing was sent. */
  'not-tested',
  'bad-request',
  'vendor-error',
  /** The response differs from the known answer of a check. */
  'wrong-answer',
] as const;
export const failureClass = z.enum(failureClasses);
export type FailureClass = z.output<typeof failureClass>;
