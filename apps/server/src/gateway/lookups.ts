/** What a client may ask with its key apart from relayed calls: models and its own budget. */
import type { IncomingMessage } from 'node:http';
import { usableGroups } from './admit.ts';
import { type Answering, answerError } from './answer.ts';
import type { Principal } from './authenticate.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { KEY_USAGE_PATH, queryOf } from './inbound.ts';
import type { ListDialect } from './listed-model.ts';
import { type ListQuestion, presentModels } from './model-lists.ts';

const billing = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/;
const model = /^(\/v1|\/claude\/v1|(?:\/gemini)?\/v1beta)\/models(?:\/(.+))?$/;

export function isLookup(method: string | undefined, path: string): boolean {
  return method === 'GET' && (path === KEY_USAGE_PATH || billing.test(path) || model.test(path));
}

export async function answerLookup(
  parts: GatewayParts,
  identify: (message: IncomingMessage) => Principal,
  message: IncomingMessage,
  path: string,
  answering: Answering,
): Promise<void> {
  const [, prefix = '', wanted] = model.exec(path) ?? [];
  const dialect = dialectOf(prefix, message);
  if (prefix !== '' && dialect === 'anthropic') answering.route = { format: 'anthropic-messages' };
  try {
    const principal = identify(message);
    const answer = await answerTo(parts, principal, {
      path,
      dialect,
      wanted,
      query: queryOf(message.url ?? ''),
    });
    answering.client.send(200, 'application/json; charset=utf-8', JSON.stringify(answer));
  } catch (error) {
    answerError(parts.log, answering, error);
  }
}

async function answerTo(
  parts: GatewayParts,
  principal: Principal,
  { path, ...question }: Omit<ListQuestion, 'factsOf'> & { path: string },
): Promise<unknown> {
  if (path === KEY_USAGE_PATH) return keyUsage(parts, principal);
  const asksBilling = billing.exec(path)?.[1];
  if (asksBilling !== undefined) return budget(parts, principal, asksBilling);
  return presentModels(modelsOf(parts, principal), { factsOf: await parts.findFacts(), ...question });
}

/** Of the key's groups, as far as the key may use them. */
function modelsOf({ choose, snapshot }: GatewayParts, principal: Principal): string[] {
  const allowed = principal.key?.models;
  const names = choose.modelsOf(usableGroups(snapshot, principal));
  return names.filter((name) => allowed === undefined || allowed.has(name));
}

/** The paths of Anthropic and OpenAI are the same; their clients differ in the headers that they send. */
function dialectOf(prefix: string, { headers }: IncomingMessage): ListDialect {
  if (prefix === '/claude/v1') return 'anthropic';
  if (prefix !== '/v1') return 'gemini';
  if (headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined) return 'anthropic';
  return headers['x-goog-api-key'] === undefined ? 'openai' : 'gemini';
}

/** The two answers that OpenAI's retired billing endpoints gave, which many clients still show. */
async function budget(parts: GatewayParts, { user, key }: Principal, what: string): Promise<unknown> {
  const { total, used } = await parts.ledger.budgetOf(user.id, key?.limited === true ? key.id : undefined);
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

/**
 * In points, 500,000 of which are 1 USD, as the clients of such gateways count. A key without a limit of its own spends its
 * owner's balance, so that none is unlimited.
 */
async function keyUsage({ ledger }: GatewayParts, { user, key }: Principal): Promise<unknown> {
  const { total, used } = await ledger.budgetOf(user.id, key?.limited === true ? key.id : undefined);
  const models = key?.models;
  return {
    code: true,
    message: 'ok',
    data: {
      object: 'token_usage',
      name: key?.name ?? '',
      total_granted: total,
      total_used: used,
      total_available: total - used,
      unlimited_quota: false,
      model_limits: Object.fromEntries([...(models ?? [])].map((name) => [name, true])),
      model_limits_enabled: models !== undefined,
      expires_at: key === undefined || key.expiredTime === -1 ? 0 : key.expiredTime,
    },
  };
}
