/** What Stripe's API answers: https://docs.stripe.com/api */
import type { Reply, VendorRequest } from '../vendor.ts';
import type { Books } from './books.ts';
import type { StripeBooks } from './stripe-books.ts';
import { type StripeForm, stripeForm, textAt } from './stripe-form.ts';
import { disputeJson, intentJson, refundJson, type StripeOrder, sessionJson } from './stripe-objects.ts';

export interface StripeWorld {
  books: Books;
  own: StripeBooks;
  secretKey: string;
  /** Makes numbers of things. */
  number: (prefix: string) => string;
  /** UTC seconds. */
  seconds: () => number;
  /** Of its pages. */
  url: () => string;
  /** Whom events are sent to. */
  endpoints: Map<string, { url: string; secret: string }>;
  webhookSecret: string;
}

export function stripeApi(world: StripeWorld): (request: VendorRequest) => Reply {
  const post = idempotent((path, form) => posts[path]?.(world, form) ?? endOrder(world, path));
  return (request) => {
    const { method, target, headers } = request;
    const path = target.replace(/\?.*$/, '');
    if (headers.authorization !== `Bearer ${world.secretKey}`)
      return refusal(`Invalid API Key provided: ${headers.authorization}`, 401);
    if (method === 'POST') return post(path, request);
    if (method === 'DELETE')
      return { json: { deleted: world.endpoints.delete(path.split('/').at(-1) ?? '') } };
    return get(world, path, request.query) ?? noSuchObject(path);
  };
}

/** The same key again has the same answer; with other parameters it is refused. */
function idempotent(make: (path: string, form: StripeForm) => Reply) {
  const answers = new Map<string, { sent: string; reply: Reply }>();
  return (path: string, { body, headers }: VendorRequest): Reply => {
    const key = String(headers['idempotency-key'] ?? '');
    const known = answers.get(key);
    if (known !== undefined && known.sent !== path + body)
      return refusal('Keys for idempotent requests can only be used once', 400, 'idempotency_error');
    const reply = known?.reply ?? make(path, stripeForm(new URLSearchParams(body)));
    answers.set(key, { sent: path + body, reply });
    return reply;
  };
}

const posts: Readonly<Record<string, (world: StripeWorld, form: StripeForm) => Reply>> = {
  '/v1/checkout/sessions': (world, form) => {
    const ahead = Number(textAt(form, 'expires_at')) - world.seconds();
    if (ahead < 1800 || ahead > 86_400)
      return refusal('The `expires_at` timestamp must be less than 24 hours and at least 30 minutes away.');
    if (textAt(form, 'client_reference_id') !== textAt(form, 'payment_intent_data.metadata.trade_no'))
      return refusal('This test expects the same order in both places.');
    const price = 'line_items.0.price_data';
    return { json: sessionJson(opened(world, form, 'checkout', price, 'success_url'), world.url()) };
  },
  '/v1/payment_intents': (world, form) => {
    const payType = textAt(form, 'payment_method_data.type');
    if (textAt(form, 'allowed_payment_method_types.0') !== payType || textAt(form, 'confirm') !== 'true')
      return refusal('This PaymentIntent cannot be confirmed.');
    if (payType !== 'alipay' && textAt(form, 'payment_method_options.wechat_pay.client') !== 'web')
      return refusal('You must provide a client for WeChat Pay.');
    const kind = payType === 'alipay' ? 'alipay' : 'wechat_pay';
    return { json: intentJson(opened(world, form, kind, '', 'return_url'), world.url()) };
  },
  '/v1/refunds': ({ books, own }, form) => {
    const order = own.findBy(textAt(form, 'payment_intent'));
    if (order === undefined) return noSuchObject('payment_intent');
    const made = books.refund(
      order.tradeNo,
      Number(textAt(form, 'amount')),
      textAt(form, 'metadata.refund_no'),
    );
    if (made === undefined) return refusal('Refund amount is greater than unrefunded amount on charge');
    return { json: refundJson(order, order.refunds.indexOf(made)) };
  },
  '/v1/webhook_endpoints': ({ endpoints, number, webhookSecret: secret }, form) => {
    const id = number('we');
    endpoints.set(id, { url: textAt(form, 'url'), secret });
    return { json: { id, object: 'webhook_endpoint', url: textAt(form, 'url'), secret } };
  },
};

function opened(
  { own, number }: StripeWorld,
  form: StripeForm,
  payType: StripeOrder['payType'],
  price: string,
  back: string,
): StripeOrder {
  return own.open({
    tradeNo: textAt(form, 'metadata.trade_no'),
    amount: Number(textAt(form, price === '' ? 'amount' : `${price}.unit_amount`)),
    currency: textAt(form, price === '' ? 'currency' : `${price}.currency`),
    notifyUrl: '',
    returnUrl: textAt(form, back),
    payType,
    sessionId: number('cs_test'),
    expiresAt: Number(textAt(form, 'expires_at')),
  });
}

function endOrder(world: StripeWorld, path: string): Reply {
  const [, no = '', what] =
    /^\/v1\/(?:checkout\/sessions|payment_intents)\/(\w+)\/(expire|cancel)$/.exec(path) ?? [];
  const order = world.own.findBy(no);
  if (order === undefined) return noSuchObject(path);
  if (order.status !== 'open') return refusal(`This is ${order.status} and cannot be ended`);
  world.books.find(order.tradeNo).status = 'closed';
  return shown(world, order.tradeNo, what === 'expire');
}

function get(world: StripeWorld, path: string, query: URLSearchParams): Reply | undefined {
  if (path === '/v1/balance') return { json: { object: 'balance', available: [], livemode: false } };
  if (path === '/v1/webhook_endpoints')
    return list([...world.endpoints].map(([id, { url }]) => ({ id, url })));
  if (path === '/v1/refunds') {
    const order = world.own.findBy(query.get('payment_intent') ?? '');
    return list(order?.refunds.map((_refund, index) => refundJson(order, index)) ?? []);
  }
  if (path === '/v1/disputes') {
    const order = world.own.findBy(query.get('payment_intent') ?? '');
    return list(order?.disputes.map((dispute) => disputeJson(order, dispute)) ?? []);
  }
  const [, kind, no = ''] = /^\/v1\/(checkout\/sessions|payment_intents)\/(\w+)$/.exec(path) ?? [];
  const order = world.own.findBy(no);
  return order === undefined ? undefined : shown(world, order.tradeNo, kind !== 'payment_intents');
}

function shown({ own, url }: StripeWorld, tradeNo: string, session: boolean): Reply {
  const order = own.find(tradeNo);
  return { json: session ? sessionJson(order, url()) : intentJson(order, url()) };
}

function list(data: readonly object[]): Reply {
  return { json: { object: 'list', data, has_more: false } };
}

function noSuchObject(what: string): Reply {
  return refusal(`No such ${what}`, 404);
}

function refusal(message: string, status = 400, type = 'invalid_request_error'): Reply {
  return { status, json: { error: { type, message } } };
}
