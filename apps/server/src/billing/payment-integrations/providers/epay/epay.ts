/**
 * Protocol that gateways of the kind 易支付 share; each documents it on its own pages, for instance
 * https://epay.mushu.me/doc.html and https://www.kancloud.cn/coolcat/coolpay/1913637
 */
import { createHash } from 'node:crypto';
import { formatMinorUnits, parseMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { areSecretsEqual } from '../../../../platform/secrets/vault.ts';
import {
  InvalidWebhookError,
  type NewProviderOrder,
  NO_REPORTED_REFUNDS,
  type OpenedOrder,
  type PaymentProviderClient,
  type PaymentProviderDefinition,
  PaymentProviderError,
  type PaymentState,
  type ProviderEnvironment,
  type WebhookEvent,
  type WebhookRequest,
} from '../../payment-provider.ts';
import { isPlainNumber, readPostedForm, readWebhookParams, truncateToBytes } from '../../payment-vendor-payloads.ts';
import { createEpayApi, type EpayApi, type EpayConfig, readEpayConfig } from './epay-api.ts';

/** Gateways truncate names to 127 bytes, some of them within a character. */
const NAME_MAX_BYTES = 127;

export const epay: PaymentProviderDefinition = {
  connect(values, environment) {
    const config = readEpayConfig(values);
    const api = createEpayApi(config, environment);
    return {
      openOrder: async (order) => ({
        ref: '',
        paymentMethod: { kind: 'page', ...buildPaymentForm(order, config, environment) },
      }),
      readWebhook: (webhook) => readEpayWebhook(webhook, config, api),
      respondToWebhook: (taken) => ({ status: 200, contentType: 'text/plain', body: taken ? 'success' : 'fail' }),
      pollOrder: (order) => pollEpayOrder(order, api),
      // The protocol cannot close orders: a later payment is still credited.
      closeOrder: async () => {},
      ...createEpayRefunds(api),
      test: () => api.checkMerchant(),
    };
  },
};

function buildPaymentForm(
  order: NewProviderOrder,
  { base, partnerId, key, payType }: EpayConfig,
  { notifyUrl }: ProviderEnvironment,
) {
  const params = {
    pid: partnerId,
    ...(payType === '' ? {} : { type: payType }),
    out_trade_no: order.tradeNo,
    notify_url: notifyUrl,
    return_url: order.returnUrl,
    name: truncateToBytes(order.description, NAME_MAX_BYTES),
    money: formatMinorUnits(order.amount, order.currency),
  };
  const sign = signEpayParams(Object.entries(params), key);
  return { url: `${base}submit.php`, method: 'POST' as const, params: { ...params, sign, sign_type: 'MD5' } };
}

async function readEpayWebhook(
  webhook: WebhookRequest,
  config: EpayConfig,
  api: EpayApi,
): Promise<WebhookEvent | undefined> {
  if (!config.mayNotify(webhook.address))
    throw new InvalidWebhookError('The event comes from an address that is not allowed');
  const params = readWebhookParams(webhook.method === 'GET' ? webhook.query : readPostedForm(webhook));
  const of = (name: string): string => params.get(name) ?? '';
  if (of('sign_type') !== 'MD5') throw new InvalidWebhookError('The signature type is not supported');
  if (!areSecretsEqual(of('sign'), signEpayParams(params, config.key)))
    throw new InvalidWebhookError('The signature is invalid');
  if (isOwnForm(params)) throw new InvalidWebhookError('The signed content is not a webhook event');
  if (of('pid') !== config.partnerId) throw new InvalidWebhookError('The event is for another merchant');
  const [tradeNo, providerNo] = [of('out_trade_no'), of('trade_no')];
  const amount = parseMinorUnits(of('money'), 'CNY');
  if (!isPlainNumber(tradeNo) || !isPlainNumber(providerNo) || amount === undefined)
    throw new InvalidWebhookError('The event has no valid order number, payment number or amount');
  if (of('trade_status') !== 'TRADE_SUCCESS') return undefined;
  if (config.confirmByQuery) {
    const known = await api.findOrder(tradeNo);
    if (known?.status !== 'paid' || known.epayNo !== providerNo || known.amount !== amount)
      throw new InvalidWebhookError('The payment provider does not confirm this payment');
  }
  return { what: 'paid', tradeNo, providerNo, amount, currency: 'CNY' };
}

/**
 * Returns whether the parameters come from the gateway's own payment form. Signed values are joined without escaping,
 * so the form that every buyer has, split at other places, carries a valid signature of other parameters. However it
 * is split, also within a name, it contains `notify_url`, which no genuine webhook event does.
 */
function isOwnForm(params: ReadonlyMap<string, string>): boolean {
  return [...params].some(([name, value]) => `${name}=${value}`.includes('notify_url='));
}

async function pollEpayOrder({ tradeNo }: OpenedOrder, api: EpayApi): Promise<PaymentState> {
  const known = await api.findOrder(tradeNo);
  switch (known?.status) {
    case undefined:
      return { state: 'unknown' };
    case 'paid':
    case 'refunded':
      return { state: known.status, providerNo: known.epayNo, amount: known.amount, currency: 'CNY' };
    case 'pending':
      return { state: 'pending' };
  }
}

/**
 * Creates the refund calls. Refunds have no number in this protocol, so a repeated partial refund could be sent
 * twice. A full refund cannot, because the gateway marks the order.
 */
function createEpayRefunds(api: EpayApi): Pick<PaymentProviderClient, 'refund' | 'pollRefund' | 'listReportedRefunds'> {
  const isRefunded = async (tradeNo: string): Promise<boolean> => (await api.findOrder(tradeNo))?.status === 'refunded';
  return {
    async refund(order, { refundNo, amount }) {
      if (amount !== order.amount) throw new PaymentProviderError('This payment provider supports only full refunds');
      const money = formatMinorUnits(amount, order.currency);
      try {
        await api.refund({ tradeNo: order.tradeNo, epayNo: order.providerNo, money });
      } catch (error) {
        if (!(error instanceof PaymentProviderError) || !(await isRefunded(order.tradeNo))) throw error;
      }
      return { state: 'done', providerNo: refundNo };
    },
    // The refunded mark stands for the whole order, so it doesn't confirm a partial refund.
    async pollRefund(order, { refundNo, amount }) {
      const isMade = amount === order.amount && (await isRefunded(order.tradeNo));
      return isMade ? { state: 'done', providerNo: refundNo } : { state: 'unknown' };
    },
    listReportedRefunds: async ({ tradeNo, amount }) =>
      (await isRefunded(tradeNo)) ? { events: [], minAmount: amount } : NO_REPORTED_REFUNDS,
  };
}

/** Returns the MD5 of all non-empty parameters in the order of their names, followed by the key. */
export function signEpayParams(params: Iterable<readonly [string, string]>, key: string): string {
  const signed = [...params]
    .filter(([name, value]) => name !== 'sign' && name !== 'sign_type' && value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5').update(`${signed}${key}`).digest('hex');
}
