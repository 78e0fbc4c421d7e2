/**
 * Returns mutations of an authentic webhook of a payment (promise P4). None may be accepted as a payment, except
 * those with a reason why they change nothing, which may count as the same payment.
 */
import { createFormMutations } from './form-webhook-mutations.ts';
import { createJsonMutations, type WebhookMutation } from './json-webhook-mutations.ts';
import type { ScriptedProvider, WebhookFields } from './scripted-provider.ts';

/** @param tradeNo a paid order */
export function createWebhookMutations(vendor: ScriptedProvider, tradeNo: string): WebhookMutation[] {
  const [webhook] = vendor.buildWebhooks(tradeNo);
  if (webhook === undefined) throw new Error(`There is no webhook event of ${tradeNo}`);
  const isForm = vendor.type === 'epay' || vendor.type === 'alipay';
  return [
    ...(isForm ? createFormMutations(webhook) : createJsonMutations(webhook)),
    ...createForgeries(vendor, tradeNo),
  ];
}

/** Returns webhooks with another signature or another recipient, each with one field changed. */
function createForgeries(vendor: ScriptedProvider, tradeNo: string): WebhookMutation[] {
  const unchanged = (fields: WebhookFields): WebhookFields => fields;
  const fields: [string, (fields: WebhookFields) => WebhookFields][] = [['', unchanged]];
  vendor.forgeWebhook(tradeNo, (true_) => {
    for (const name of Object.keys(true_)) {
      fields.push([`${name} changed, `, (all) => ({ ...all, [name]: changeValue(all[name]) })]);
      fields.push([`${name} dropped, `, ({ [name]: _dropped, ...rest }) => rest]);
    }
    return true_;
  });
  const mutations = fields.flatMap(([what, change]): WebhookMutation[] => [
    { name: `${what}signed by another key`, webhook: vendor.forgeWebhook(tradeNo, change, 'other') },
    { name: `${what}signed with an empty secret`, webhook: vendor.forgeWebhook(tradeNo, change, 'empty') },
  ]);
  const foreign = foreignFields[vendor.type].map(
    ([name, value]): WebhookMutation => ({
      name: `${name} of somebody else, signed truly`,
      webhook: vendor.forgeWebhook(tradeNo, (all) => ({ ...all, [name]: value })),
    }),
  );
  return [...mutations, ...foreign];
}

/** Fields that name another recipient. */
const foreignFields: Readonly<Record<ScriptedProvider['type'], readonly [string, unknown][]>> = {
  epay: [
    ['pid', '1002'],
    ['pid', ''],
    ['pid', '01001'],
  ],
  alipay: [
    ['app_id', '2021000199990002'],
    ['app_id', ''],
    ['notify_type', 'dut_user_sign'],
  ],
  wxpay: [
    ['mchid', '1900000110'],
    ['appid', 'wx0000000000000000'],
    ['mchid', ''],
    ['trade_state', 'REFUND'],
  ],
  stripe: [
    ['livemode', true],
    ['livemode', null],
    ['livemode', 'false'],
    ['object', 'v2.core.event'],
  ],
  manual: [],
};

function changeValue(value: unknown): unknown {
  if (typeof value === 'string') return `${value}0`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return typeof value === 'object' && value !== null ? { ...value, changed: 1 } : 'changed';
}
