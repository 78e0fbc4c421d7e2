/** Server with one payment gateway, a simulated provider, a root user and buyers. */

import { profile } from '@switchyard/contract/accounts/profile';
import { orders } from '@switchyard/contract/billing/orders';
import type { PaymentProviderType } from '@switchyard/contract/billing/payment-provider-types';
import { type PaymentProvider, paymentProviders } from '@switchyard/contract/billing/payment-providers';
import type { OrderId } from '@switchyard/contract/ids';
import { profileRoutes } from '../accounts/profile/routes.ts';
import type { OrderRow } from '../billing/orders/order-rows.ts';
import { orderRoutes } from '../billing/orders/routes.ts';
import { serveWebhooks } from '../billing/orders/webhooks.ts';
import { paymentProviderRoutes } from '../billing/payment-providers/routes.ts';
import type { SignedInUser } from './create-user.ts';
import type { ScriptedProvider } from './scripted-payment-providers/scripted-provider.ts';
import { startScriptedProvider } from './scripted-payment-providers/start-scripted-provider.ts';
import { setOptions } from './set-options.ts';
import {
  type FeatureApp,
  type FeatureAppOptions,
  type Part,
  serveRoutes,
  startFeatureApp,
} from './start-feature-app.ts';

/** Server of a scene: a feature app, or the whole server. */
type SceneApp = Omit<FeatureApp, 'server'>;

export interface MoneyScene extends SceneApp {
  vendor: ScriptedProvider;
  gateway: PaymentProvider;
  root: SignedInUser;
  /** Creates an order of `amount` USD. @returns the order's row after it */
  order(buyer: SignedInUser, amount?: number): Promise<OrderRow>;
  /** Creates an order that the provider considers paid, without a webhook. */
  paidOrder(buyer: SignedInUser, amount?: number): Promise<OrderRow>;
  row(order: { id: number }): Promise<OrderRow>;
  /** Returns the events of an order as text. */
  events(order: { id: number }): Promise<string[]>;
  /** Returns the available points. */
  balance(user: SignedInUser): Promise<number>;
}

export const toOrderId = ({ id }: { id: number }): OrderId => id as OrderId;

/** Header with the address from which a test sends a webhook event. */
export const ADDRESS_HEADER = 'x-address';

const webhookPart: Part = (server, ctx) => {
  serveWebhooks(server.app, ctx, ({ headers }) => String(headers[ADDRESS_HEADER] ?? '127.0.0.1'));
  return undefined;
};
const routes = [
  serveRoutes(orders, orderRoutes),
  serveRoutes(paymentProviders, paymentProviderRoutes),
  serveRoutes(profile, profileRoutes),
  webhookPart,
];

/**
 * @param type of the provider, which has the order as soon as it is created
 * @param parts further routes of the server
 * @param start starts the server; absent: one with the routes of payments and `parts` only
 */
export async function startMoneyScene(
  type: Exclude<PaymentProviderType, 'manual'> = 'epay',
  options: FeatureAppOptions = {},
  parts: readonly Part[] = [],
  start: (options: FeatureAppOptions) => Promise<SceneApp> = (all) => startFeatureApp([...routes, ...parts], all),
): Promise<MoneyScene> {
  let now = Date.now;
  const vendor = await startScriptedProvider(type, { now: () => now() });
  const app = await start({ ...options, originOverrides: vendor.originOverrides });
  now = () => app.clock.now();
  await setOptions(app.ctx, { ServerAddress: app.url });
  const root = await app.createUser('root');
  await root.api(profile).stepUp({ body: { password: root.password } });
  const gateway = await root
    .api(paymentProviders)
    .create({
      body: { type, name: `Pay by ${type}`, currency: vendor.currency, sandbox: vendor.sandbox, config: vendor.config },
    });
  vendor.setNotifyUrl(gateway.notify_url);
  const row = ({ id }: { id: number }): Promise<OrderRow> =>
    app.ctx.db.writer.selectFrom('payment_order').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const visit = (address: string, method: 'GET' | 'POST', form: URLSearchParams): Promise<Response> => {
    const url = new URL(address);
    const target = (vendor.originOverrides[url.origin] ?? url.origin) + url.pathname + url.search;
    if (method === 'POST') return fetch(target, { method: 'POST', body: form });
    return fetch(form.size === 0 ? target : `${target}?${form.toString()}`);
  };
  const order = async (buyer: SignedInUser, amount = 10): Promise<OrderRow> => {
    const created = await buyer.api(orders).create({ body: { uuid: gateway.uuid, amount } });
    const { url, method = 'GET', params = {} } = created.data;
    // The buyer's browser opens the page, which is when some providers first receive the order.
    if (created.type === 'page') await visit(url, method, new URLSearchParams(params));
    return app.ctx.db.writer
      .selectFrom('payment_order')
      .selectAll()
      .where('trade_no', '=', created.trade_no)
      .executeTakeFirstOrThrow();
  };
  return {
    ...app,
    // Only those who change payment providers may use test mode.
    createUser: (role, options) => app.createUser(role === 'user' && vendor.sandbox ? 'admin' : role, options),
    vendor,
    gateway,
    root,
    order,
    async paidOrder(buyer, amount) {
      const created = await order(buyer, amount);
      vendor.pay(created.trade_no);
      return created;
    },
    row,
    async events({ id }) {
      const rows = await app.ctx.db.writer
        .selectFrom('order_event')
        .select('event')
        .where('order_id', '=', id)
        .orderBy('id')
        .execute();
      return rows.map(({ event }) => event);
    },
    balance: (user) => app.ctx.ledger.readAvailable(user.id),
    async close() {
      await vendor.close();
      await app.close();
    },
  };
}
