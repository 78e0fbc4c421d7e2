import { z } from 'zod';
import { type NewProviderOrder, PaymentProviderError, type ProviderEnvironment } from '../../payment-provider.ts';
import {
  formatChinaTime,
  parseJsonText,
  sanitizeVendorMessage,
  truncateToBytes,
  tryParseJson,
} from '../../payment-vendor-payloads.ts';
import { type PlatformKeys, verifyPlatformSignature } from './platform-keys.ts';
import type { WxpayConfig } from './read-config.ts';
import type { SendSigned } from './send-signed.ts';

const DESCRIPTION_MAX_BYTES = 127;

/** Final refusal by WeChat Pay. */
export class WxpayError extends PaymentProviderError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface WxpayApi {
  /** @throws WxpayError; any other error without a clear or verified response */
  get<S extends z.ZodType>(target: string, schema: S): Promise<z.output<S>>;
  post<S extends z.ZodType>(target: string, body: object, schema: S): Promise<z.output<S>>;
}

const refusal = z.object({ code: z.string(), message: z.string().catch('') });
/** Temporary error codes: rate limits, concurrent calls, or failures of WeChat Pay. */
const temporaryCodes = new Set([
  'FREQUENCY_LIMITED',
  'RATELIMIT_EXCEEDED',
  'SYSTEM_ERROR',
  'SYSTEMERROR',
  'BANK_ERROR',
]);

export function createWxpayApi(send: SendSigned, keys: PlatformKeys, { clock }: ProviderEnvironment): WxpayApi {
  const ask = async <S extends z.ZodType>(
    schema: S,
    ...[method, target, body]: Parameters<SendSigned>
  ): Promise<z.output<S>> => {
    const { status, headers, text } = await send(method, target, body);
    if (status < 200 || status > 299) throw toWxpayError(status, text);
    const fault = await verifyPlatformSignature(headers, text, (serial) => keys.find(serial), clock);
    if (fault !== undefined) throw new Error(`The response of WeChat Pay could not be verified: ${fault}`);
    return parseJsonText(text === '' ? '{}' : text, schema);
  };
  return {
    get: (target, schema) => ask(schema, 'GET', target),
    post: (target, body, schema) => ask(schema, 'POST', target, body),
  };
}

/** Returns the error of a response. A refusal may lack a signature, a success never does. */
function toWxpayError(status: number, text: string): Error {
  const parsed = refusal.safeParse(tryParseJson(text));
  const isFinal =
    status >= 400 && status < 500 && status !== 429 && parsed.success && !temporaryCodes.has(parsed.data.code);
  if (!isFinal) return new Error(`WeChat Pay returned status ${status}`);
  const { code, message } = parsed.data;
  return new WxpayError(code, sanitizeVendorMessage(`${message} (${code})`, []));
}

/** Returns the body of the call that opens an order, the same for every way to pay. */
export function buildOrderBody(
  order: Pick<NewProviderOrder, 'tradeNo' | 'description' | 'amount' | 'expiresAt'>,
  { appId, mchId }: WxpayConfig,
  { notifyUrl }: ProviderEnvironment,
) {
  return {
    appid: appId,
    mchid: mchId,
    description: truncateToBytes(order.description, DESCRIPTION_MAX_BYTES),
    out_trade_no: order.tradeNo,
    time_expire: `${formatChinaTime(order.expiresAt * 1000)}+08:00`,
    notify_url: notifyUrl,
    amount: { total: order.amount, currency: 'CNY' },
  };
}
