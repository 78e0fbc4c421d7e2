/** Responses of Stripe's API: https://docs.stripe.com/api */
import type { Reply, VendorRequest } from '../simulated-vendor.ts';
import type { ScriptedLedger } from './scripted-orders.ts';
import { buildDispute, buildIntent, buildRefund, buildSession, type StripeOrder } from './scripted-stripe-objects.ts';

export interface StripeState {
  ledger: ScriptedLedger;
  stripeOrders: StripeOrders;
  secretKey: string;
  /** Creates ids with a prefix. */
  number: (prefix: string) => string;
  /** UTC seconds. */
  seconds: () => number;
  /** Returns the address of its pages. */
  url: () => string;
  /** Endpoints that receive events. */
  endpoints: Map<string, { url: string; secret: string }>;
  webhookSecret: string;
}

export function createStripeApi(state: StripeState): (request: VendorRequest) => Reply {
  const post = createIdempotencyCache((path, form) => posts[path]?.(state, form) ?? endOrder(state, path));
  return (request) => {
    const { method, target, headers } = request;
    const path = target.replace(/\?.*$/, '');
    if (headers.authorization !== `Bearer ${state.secretKey}`)
      return errorReply(`Invalid API Key provided: ${headers.authorization}`, 401);
    if (method === 'POST') return post(path, request);
    if (method === 'DELETE') return { json: { deleted: state.endpoints.delete(path.split('/').at(-1) ?? '') } };
    return get(state, path, request.query) ?? missingObjectReply(path);
  };
}

/** Returns the first response for a repeated idempotency key, and rejects it with other parameters. */
function createIdempotencyCache(make: (path: string, form: StripeForm) => Reply) {
  const answers = new Map<string, { sent: string; reply: Reply }>();
  return (path: string, { body, headers }: VendorRequest): Reply => {
    const key = String(headers['idempotency-key'] ?? '');
    const known = answers.get(key);
    if (known !== undefined && known.sent !== path + body)
      return errorReply('Keys for idempotent requests can only be used once', 400, 'idempotency_error');
    const reply = known?.reply ?? make(path, parseStripeForm(new URLSearchParams(body)));
    answers.set(key, { sent: path + body, reply });
    return reply;
  };
}

const posts: Readonly<Record<string, (state: StripeState, form: StripeForm) => Reply>> = {
  '/v1/checkout/sessions': (state, form) => {
    const ahead = Number(getText(form, 'expires_at')) - state.seconds();
    if (ahead < 1800 || ahead > 86_400)
      return errorReply('The `expires_at` timestamp must be less than 24 hours and at least 30 minutes away.');
    if (getText(form, 'client_reference_id') !== getText(form, 'payment_intent_data.metadata.trade_no'))
      return errorReply('This test expects the same order in both places.');
    const price = 'line_items.0.price_data';
    return { json: buildSession(openOrder(state, form, 'checkout', price, 'success_url'), state.url()) };
  },
  '/v1/payment_intents': (state, form) => {
    const payType = getText(form, 'payment_method_data.type');
    if (getText(form, 'allowed_payment_method_types.0') !== payType || getText(form, 'confirm') !== 'true')
      return errorReply('This PaymentIntent cannot be confirmed.');
    if (payType !== 'alipay' && getText(form, 'payment_method_options.wechat_pay.client') !== 'web')
      return errorReply('You must provide a client for WeChat Pay.');
    const kind = payType === 'alipay' ? 'alipay' : 'wechat_pay';
    return { json: buildIntent(openOrder(state, form, kind, '', 'return_url'), state.url()) };
  },
  '/v1/refunds': ({ ledger, stripeOrders }, form) => {
    const order = stripeOrders.findBy(getText(form, 'payment_intent'));
    if (order === undefined) return missingObjectReply('payment_intent');
    const refund = ledger.refund(order.tradeNo, Number(getText(form, 'amount')), getText(form, 'metadata.refund_no'));
    if (refund === undefined) return errorReply('Refund amount is greater than unrefunded amount on charge');
    return { json: buildRefund(order, order.refunds.indexOf(refund)) };
  },
  '/v1/webhook_endpoints': ({ endpoints, number, webhookSecret: secret }, form) => {
    const id = number('we');
    endpoints.set(id, { url: getText(form, 'url'), secret });
    return { json: { id, object: 'webhook_endpoint', url: getText(form, 'url'), secret } };
  },
};

function openOrder(
  { stripeOrders, number }: StripeState,
  form: StripeForm,
  payType: StripeOrder['payType'],
  price: string,
  back: string,
): StripeOrder {
  return stripeOrders.open({
    tradeNo: getText(form, 'metadata.trade_no'),
    amount: Number(getText(form, price === '' ? 'amount' : `${price}.unit_amount`)),
    currency: getText(form, price === '' ? 'currency' : `${price}.currency`),
    notifyUrl: '',
    returnUrl: getText(form, back),
    payType,
    sessionId: number('cs_test'),
    expiresAt: Number(getText(form, 'expires_at')),
  });
}

function endOrder(state: StripeState, path: string): Reply {
  const [, no = '', what] = /^\/v1\/(?:checkout\/sessions|payment_intents)\/(\w+)\/(expire|cancel)$/.exec(path) ?? [];
  const order = state.stripeOrders.findBy(no);
  if (order === undefined) return missingObjectReply(path);
  if (order.status !== 'open') return errorReply(`This is ${order.status} and cannot be ended`);
  state.ledger.find(order.tradeNo).status = 'closed';
  return showOrder(state, order.tradeNo, what === 'expire');
}

function get(state: StripeState, path: string, query: URLSearchParams): Reply | undefined {
  if (path === '/v1/balance') return { json: { object: 'balance', available: [], livemode: false } };
  if (path === '/v1/webhook_endpoints') return listReply([...state.endpoints].map(([id, { url }]) => ({ id, url })));
  if (path === '/v1/refunds') {
    const order = state.stripeOrders.findBy(query.get('payment_intent') ?? '');
    return listReply(order?.refunds.map((_refund, index) => buildRefund(order, index)) ?? []);
  }
  if (path === '/v1/disputes') {
    const order = state.stripeOrders.findBy(query.get('payment_intent') ?? '');
    return listReply(order?.disputes.map((dispute) => buildDispute(order, dispute)) ?? []);
  }
  const [, kind, no = ''] = /^\/v1\/(checkout\/sessions|payment_intents)\/(\w+)$/.exec(path) ?? [];
  const order = state.stripeOrders.findBy(no);
  return order === undefined ? undefined : showOrder(state, order.tradeNo, kind !== 'payment_intents');
}

function showOrder({ stripeOrders, url }: StripeState, tradeNo: string, session: boolean): Reply {
  const order = stripeOrders.find(tradeNo);
  return { json: session ? buildSession(order, url()) : buildIntent(order, url()) };
}

function listReply(data: readonly object[]): Reply {
  return { json: { object: 'list', data, has_more: false } };
}

function missingObjectReply(what: string): Reply {
  return errorReply(`No such ${what}`, 404);
}

function errorReply(message: string, status = 400, type = 'invalid_request_error'): Reply {
  return { status, json: { error: { type, message } } };
}

/** Parses `a[b][0]=c` to nested objects. */
interface StripeForm {
  [name: string]: StripeForm | string | undefined;
}

function parseStripeForm(encoded: URLSearchParams): StripeForm {
  const form: StripeForm = {};
  for (const [path, value] of encoded) {
    const names = path.split(/[[\]]+/).filter((name) => name !== '');
    let node = form;
    for (const name of names.slice(0, -1)) {
      const next = node[name];
      const inner: StripeForm = typeof next === 'object' ? next : {};
      node[name] = inner;
      node = inner;
    }
    node[names.at(-1) ?? ''] = value;
  }
  return form;
}

/** Returns the text at a path; empty if there is none. */
function getText(form: StripeForm, path: string): string {
  const value = path
    .split('.')
    .reduce<StripeForm | string | undefined>((node, name) => (typeof node === 'object' ? node[name] : undefined), form);
  return typeof value === 'string' ? value : '';
}

/** Data of orders that only Stripe has. */
interface StripeOrders {
  open(
    order: Parameters<ScriptedLedger['open']>[0] & Pick<StripeOrder, 'payType' | 'sessionId' | 'expiresAt'>,
  ): StripeOrder;
  find(tradeNo: string): StripeOrder;
  /** Finds an order by the id of its payment intent or its session. */
  findBy(no: string): StripeOrder | undefined;
}

export function createStripeOrders(ledger: ScriptedLedger): StripeOrders {
  const extras = new Map<string, Pick<StripeOrder, 'payType' | 'sessionId' | 'expiresAt'>>();
  const find = (tradeNo: string): StripeOrder => {
    const extra = extras.get(tradeNo);
    if (extra === undefined) throw new Error(`There is no order ${tradeNo}`);
    return { ...ledger.find(tradeNo), ...extra };
  };
  return {
    find,
    open({ payType, sessionId, expiresAt, ...order }) {
      ledger.open(order);
      extras.set(order.tradeNo, { payType, sessionId, expiresAt });
      return find(order.tradeNo);
    },
    findBy: (no) =>
      [...extras.keys()].map(find).find(({ paymentNo, sessionId }) => paymentNo === no || sessionId === no),
  };
}
