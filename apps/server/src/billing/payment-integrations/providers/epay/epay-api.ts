/** `api.php`: the protocol puts the key in the query of these calls, so no error may repeat an address. */
import { parseMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { z } from 'zod';
import { createAddressMatcher } from '../../../../platform/outbound/address-matcher.ts';
import {
  InvalidConfigError,
  PaymentProviderError,
  type ProviderConfig,
  type ProviderEnvironment,
} from '../../payment-provider.ts';
import { readJsonResponse, sanitizeVendorMessage } from '../../payment-vendor-payloads.ts';

/**
 * An MD5 signature is only as strong as the key: a shorter one can be found by brute force from one signed address.
 */
const KEY_MIN_LENGTH = 16;

/** Some of these gateways send numbers as text. */
const text = z.union([z.string(), z.number()]).transform(String);
const envelope = z.object({ code: text, msg: text.optional() });
const orderAnswer = z.union([
  z.object({
    code: z.literal(['1', 1]),
    trade_no: text,
    out_trade_no: text,
    pid: text.optional(),
    money: text,
    status: text,
  }),
  envelope,
]);

export interface EpayOrder {
  epayNo: string;
  /** Amount in fen. */
  amount: number;
  status: 'paid' | 'refunded' | 'pending';
}

export interface EpayApi {
  /** Resolves with undefined when the gateway does not know the order, as before the buyer opens its page. */
  findOrder(tradeNo: string): Promise<EpayOrder | undefined>;
  /** @throws PaymentProviderError */
  refund(order: { tradeNo: string; epayNo: string; money: string }): Promise<void>;
  /** @throws PaymentProviderError when the gateway does not know this merchant */
  checkMerchant(): Promise<void>;
}

export function createEpayApi({ base, partnerId, key }: EpayConfig, environment: ProviderEnvironment): EpayApi {
  const refused = (message: string | undefined): PaymentProviderError =>
    new PaymentProviderError(sanitizeVendorMessage(message ?? 'The payment provider rejected the request', [key]));

  const get = async <S extends z.ZodType>(schema: S, query: Record<string, string>): Promise<z.output<S>> => {
    const search = new URLSearchParams({ ...query, pid: partnerId, key });
    return readJsonResponse(
      await environment.fetch(`${base}api.php?${search.toString()}`, { redirect: 'error' }),
      schema,
    );
  };

  const checkMerchant = async (): Promise<void> => {
    const answer = await get(envelope, { act: 'query' });
    if (answer.code !== '1') throw refused(answer.msg);
  };

  return {
    checkMerchant,
    async findOrder(tradeNo) {
      const answer = await get(orderAnswer, { act: 'order', out_trade_no: tradeNo });
      if (!('status' in answer)) {
        // Error codes differ between gateways: if the merchant is known, the order is not.
        await checkMerchant();
        return undefined;
      }
      const amount = parseMinorUnits(answer.money, 'CNY');
      const foreign = answer.pid !== undefined && answer.pid !== partnerId;
      if (answer.out_trade_no !== tradeNo || amount === undefined || foreign)
        throw new Error('The payment provider returned another order than the requested one');
      return { epayNo: answer.trade_no, amount, status: statuses[answer.status] ?? 'pending' };
    },
    async refund({ tradeNo, epayNo, money }) {
      const body = new URLSearchParams({ pid: partnerId, key, trade_no: epayNo, out_trade_no: tradeNo, money });
      const address = `${base}api.php?act=refund`;
      const answer = await readJsonResponse(
        await environment.fetch(address, { method: 'POST', body, redirect: 'error' }),
        envelope,
      );
      if (answer.code !== '1') throw refused(answer.msg);
    },
  };
}

const statuses: Readonly<Record<string, EpayOrder['status']>> = { 1: 'paid', 2: 'refunded' };

export interface EpayConfig {
  /** Ends with a slash. */
  base: string;
  partnerId: string;
  key: string;
  /** Empty if the buyer chooses on the gateway's page. */
  payType: string;
  confirmByQuery: boolean;
  mayNotify(address: string): boolean;
}

/** @throws InvalidConfigError */
export function readEpayConfig(config: ProviderConfig): EpayConfig {
  const of = (name: string): string => config[name] ?? '';
  const key = of('key');
  if (key.length < KEY_MIN_LENGTH)
    throw new InvalidConfigError('key', `The key must have at least ${KEY_MIN_LENGTH} characters`);
  return {
    base: of('pay_domain')
      .replace(/[?#].*$/, '')
      .replace(/\/*$/, '/'),
    partnerId: of('partner_id'),
    key,
    payType: of('pay_type'),
    confirmByQuery: of('confirm_by_query') === 'true',
    mayNotify: parseAllowedSources(of('source_addresses')),
  };
}

function parseAllowedSources(text: string): (address: string) => boolean {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.length === 0) return () => true;
  try {
    return createAddressMatcher(entries);
  } catch {
    throw new InvalidConfigError('source_addresses', 'One of the source addresses is invalid');
  }
}
