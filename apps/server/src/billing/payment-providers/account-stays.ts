/** A gateway stays with the account that its secrets and its open orders belong to. */
import {
  isSecretField,
  type ProcessorType,
  processorTypeFacts,
} from '@switchyard/contract/billing/payment-provider-types';
import type { Context } from '../../context.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import type { ProcessorConfig } from '../payments/payments.ts';

/**
 * Requires the secrets again when a payment provider's address changes: users who may edit it may not read its secrets,
 * with which they could sign payments.
 * @throws AppError that names the secret which must be entered again before it may go to the new address
 */
export function checkSecretsStay(type: ProcessorType, stored: ProcessorConfig, sent: ProcessorConfig): void {
  const { fields } = processorTypeFacts[type];
  const moves = fields.some(
    ({ kind, name }) => kind === 'address' && originOf(sent[name] ?? stored[name]) !== originOf(stored[name]),
  );
  const kept = fields.find(
    (field) => isSecretField(field) && (sent[field.name] ?? '') === '' && stored[field.name] !== undefined,
  );
  if (moves && kept !== undefined)
    throw fieldError(
      `config.${kept.name}`,
      'needed-again',
      'Enter it again. The stored value is not sent to another address.',
    );
}

/**
 * Another account knows nothing of the orders that are open: their payments would be refused, and their buyers get nothing.
 * @throws AppError `conflict`
 */
export async function checkAccountStays(
  ctx: Context,
  { id, type }: { id: number; type: ProcessorType },
  before: ProcessorConfig & { sandbox: string },
  after: ProcessorConfig & { sandbox: string },
): Promise<void> {
  const { fields } = processorTypeFacts[type];
  const names = ['sandbox', ...fields.filter(({ account }) => account === true).map(({ name }) => name)];
  if (names.every((name) => (before[name] ?? '') === (after[name] ?? ''))) return;
  const open = await ctx.db.writer
    .selectFrom('payment_order')
    .select('id')
    .where('processor_id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  if (open !== undefined)
    throw new AppError(
      'conflict',
      'This account has open orders. Disable the payment provider and wait until they end, or create another one.',
    );
}

function originOf(address = ''): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}
