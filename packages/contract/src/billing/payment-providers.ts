/** Payment providers as the operator configures them; screens call them payment gateways. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { boundedRecord } from '../bounded-record.ts';
import { paymentProviderId } from '../ids.ts';
import { emptyData, LARGE_BODY_BYTES, listQuery, paged, routes } from '../route.ts';
import { paymentProviderTypes } from './payment-provider-types.ts';
import { currency, micros } from './top-up-cost-and-currencies.ts';

export const paymentProviderType = z.enum(paymentProviderTypes);

const httpAddress = z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(1024)]);
const fieldText = z.string().trim().max(10_000);

const shared = {
  type: paymentProviderType,
  name: z.string().trim().min(1).max(64),
  /** Address of an image; empty: the type's default. */
  icon: httpAddress,
  /** Origin of the webhook URL, when it differs from the site's. */
  notify_domain: httpAddress,
  /** USD. */
  fixed_fee: micros,
  /** Share of the amount; 0.05 is five per cent. */
  percent_fee: micros.refine((value) => value <= 1_000_000, 'must be at most 1'),
  currency,
  /** Units of the currency per USD; 0: the rate in the settings. */
  exchange_rate: micros,
  /** Position; larger values come first. */
  sort: z.int().min(0).max(1_000_000),
  enable: z.boolean(),
  /** Uses the provider's test system. */
  sandbox: z.boolean(),
};

export const paymentProvider = z.object({
  ...shared,
  id: paymentProviderId,
  uuid: z.string(),
  created_at: seconds,
  /** Fields that are not secrets. */
  config: z.record(z.string(), z.string()),
  /** Last characters of the secret fields that are set. */
  secrets: z.record(z.string(), z.string()),
  /**
   * Address to which the payment provider must send its webhook events. Empty while the site's public URL is not set.
   */
  notify_url: z.string(),
});
export type PaymentProvider = z.output<typeof paymentProvider>;

/** A secret that is left out or empty does not change. */
const config = boundedRecord(z.string().max(64), fieldText, 32);

export const paymentProviderForm = z.object({
  type: paymentProviderType,
  name: shared.name,
  icon: httpAddress.default(''),
  notify_domain: httpAddress.default(''),
  fixed_fee: shared.fixed_fee.default(0),
  percent_fee: shared.percent_fee.default(0),
  currency,
  exchange_rate: micros.default(0),
  sort: shared.sort.default(0),
  enable: z.boolean().default(true),
  sandbox: z.boolean().default(false),
  config: config.default({}),
});
export type PaymentProviderForm = z.output<typeof paymentProviderForm>;

const byId = z.object({ id: paymentProviderId });

export const paymentProviders = routes({
  list: {
    method: 'GET',
    path: '/api/payment/',
    access: 'processors.read',
    summary: 'List the payment providers, without secrets',
    query: listQuery(['id', 'uuid', 'name', 'type', 'sort', 'enable', 'created_at'], {
      type: paymentProviderType.optional(),
      /** Prefix of the name. */
      name: z.string().max(64).optional(),
      uuid: z.string().max(64).optional(),
      currency: currency.optional(),
    }),
    answer: paged(paymentProvider),
  },
  get: {
    method: 'GET',
    path: '/api/payment/:id',
    access: 'processors.read',
    summary: 'Retrieve a payment provider',
    params: byId,
    answer: paymentProvider,
  },
  create: {
    method: 'POST',
    path: '/api/payment/',
    access: 'processors.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    stepUp: true,
    summary: 'Create a payment provider',
    body: paymentProviderForm,
    answer: paymentProvider,
  },
  update: {
    method: 'PUT',
    path: '/api/payment/',
    access: 'processors.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    stepUp: true,
    summary: 'Update the fields that are sent; the type cannot be changed',
    body: z.object({
      id: paymentProviderId,
      name: shared.name.optional(),
      icon: httpAddress.optional(),
      notify_domain: httpAddress.optional(),
      fixed_fee: shared.fixed_fee.optional(),
      percent_fee: shared.percent_fee.optional(),
      currency: currency.optional(),
      exchange_rate: micros.optional(),
      sort: shared.sort.optional(),
      enable: z.boolean().optional(),
      sandbox: z.boolean().optional(),
      config: config.optional(),
    }),
    answer: paymentProvider,
  },
  test: {
    method: 'POST',
    path: '/api/payment/:id/test',
    access: 'processors.write',
    summary: 'Test the configuration of a payment provider with a read-only request',
    params: byId,
    answer: z.object({
      ok: z.boolean(),
      /** Reason in the payment provider's words, without secrets; empty when it works. */
      reason: z.string(),
    }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/payment/:id',
    access: 'processors.write',
    stepUp: true,
    summary: 'Delete a payment provider; its orders are kept, and pending payments are still credited',
    params: byId,
    answer: emptyData,
  },
});
