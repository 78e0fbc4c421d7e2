/** What a client may ask with its key apart from relayed calls: models and its own budget. */
import type { IncomingMessage } from 'node:http';
import { usableGroups } from './admit.ts';
import { type Answering, answerError } from './answer.ts';
import type { Principal } from './authenticate.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { RelayError } from './relay-error.ts';

const billing = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/;
const model = /^(?:\/claude)?\/v1\/models(?:\/(.+))?$/;

/** Clients expect a creation date; the models have none here. */
const MODEL_CREATED = 1_700_000_000;

export function isLookup(method: string | undefined, path: string): boolean {
  return method === 'GET' && (billing.test(path) || model.test(path));
}

export function answerLookup(
  parts: GatewayParts,
  identify: (message: IncomingMessage) => Principal,
  message: IncomingMessage,
  path: string,
  answering: Answering,
): void {
  try {
    const principal = identify(message);
    const asksBilling = billing.exec(path)?.[1];
    const answer =
      asksBilling === undefined
        ? models(parts, principal, model.exec(path)?.[1], message)
        : budget(parts, principal, asksBilling);
    answering.client.send(200, 'application/json; charset=utf-8', JSON.stringify(answer));
  } catch (error) {
    answerError(parts.log, answering, error);
  }
}

function models(
  parts: GatewayParts,
  principal: Principal,
  wanted: string | undefined,
  message: IncomingMessage,
): unknown {
  const allowed = principal.key?.models;
  const names = parts.choose
    .modelsOf(usableGroups(parts.snapshot, principal))
    .filter((name) => allowed === undefined || allowed.has(name));
  const isAnthropic = message.headers['anthropic-version'] !== undefined;
  if (wanted === undefined)
    return isAnthropic ? anthropicList(names) : { object: 'list', data: names.map(openaiModel) };
  const name = decoded(wanted);
  if (!names.includes(name))
    throw new RelayError('model_not_found', `The model ${name} does not exist or is not available to you.`, {
      param: 'model',
    });
  return isAnthropic ? anthropicModel(name) : openaiModel(name);
}

/** The text as it came where it is no encoding; no model is named so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const openaiModel = (id: string) => ({ id, object: 'model', created: MODEL_CREATED, owned_by: 'switchyard' });
const anthropicModel = (id: string) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(MODEL_CREATED * 1000).toISOString(),
});

function anthropicList(names: readonly string[]) {
  return {
    data: names.map(anthropicModel),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  };
}

/** The two answers that OpenAI's retired billing endpoints gave, which many clients still show. */
function budget(parts: GatewayParts, { user, key }: Principal, what: string): unknown {
  const { total, used } = parts.ledger.budgetOf(user.id, key?.limited === true ? key.id : undefined);
  const { displayInCurrency, quotaPerUnit } = parts.settings;
  const shown = (points: number): number => (displayInCurrency ? points / quotaPerUnit : points);
  if (what === 'usage') return { object: 'list', total_usage: shown(used) * 100 };
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: shown(total),
    hard_limit_usd: shown(total),
    system_hard_limit_usd: shown(total),
    access_until: key === undefined || key.expiredTime === -1 ? 0 : key.expiredTime,
  };
}
