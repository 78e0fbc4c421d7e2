/** Reads keys of a LiteLLM proxy. A limit that can't be imported disables the key, so that none becomes unlimited. */
import { NANO_POINTS_PER_POINT, RATE_OF_USD_PER_UNIT } from '@switchyard/contract/catalog/price-rates';
import type { ImportReport } from './report.ts';
import {
  type Decimal,
  parseDecimal,
  type Row,
  readBoolean,
  readList,
  readNumber,
  readObject,
  readText,
  readTime,
  roundToUnit,
} from './row-values.ts';
import type { SourceKey } from './source-installation.ts';

const POINTS_OF_USD = BigInt(RATE_OF_USD_PER_UNIT / NANO_POINTS_PER_POINT);
const BUDGET_MAX = BigInt(Number.MAX_SAFE_INTEGER);
/** User for keys without a user and a team. */
const PROXY_USER = 'proxy';

export const rateFields = ['rpm_limit', 'tpm_limit', 'max_parallel_requests'] as const;
/** Limits that a key takes from its budget if it has none of its own. */
const budgetFields = [...rateFields, 'max_budget', 'budget_duration'] as const;
/** Limits without an equivalent here. */
const perModelFields = ['model_max_budget', 'model_rpm_limit', 'model_tpm_limit'] as const;
/** Name of all routes that call models, in `allowed_routes`. */
const MODEL_ROUTES = 'llm_api_routes';

export const teamId = (id: string): string => `team:${id}`;

/**
 * Returns the id of the user who pays for a key. A team's key spends only the team's budget, although a person may be
 * named on it: https://docs.litellm.ai/docs/proxy/users
 */
function findOwnerId(row: Row): string {
  const team = readText(row['team_id']);
  return team === '' ? readText(row['user_id']) || PROXY_USER : teamId(team);
}

export function dollarsToPoints(dollars: Decimal | undefined): bigint {
  return dollars === undefined ? 0n : roundToUnit(dollars, POINTS_OF_USD).whole;
}

/** Returns the remaining budget; undefined if there is none, or it can't be read. */
export function computeRemaining(row: Row): bigint | undefined {
  const budget = parseDecimal(row['max_budget']);
  return budget === undefined ? undefined : dollarsToPoints(budget) - dollarsToPoints(parseDecimal(row['spend']));
}

const noBudgets = { day: null, week: null, month: null };
const budgetPeriods: Readonly<Record<string, 'day' | 'week' | 'month'>> = {
  '24h': 'day',
  '1d': 'day',
  '7d': 'week',
  '1w': 'week',
  '30d': 'month',
  '1mo': 'month',
};

/**
 * Returns the key; undefined if the proxy does not reveal its hash.
 * @param owners rows of users and teams
 */
export function readLiteLlmKey(
  given: Row,
  owners: ReadonlyMap<string, Row>,
  report: ImportReport,
): SourceKey | undefined {
  const row = addBudgetLimits(given);
  const sha256 = readText(row['token']).toLowerCase();
  const name = readText(row['key_alias']) || readText(row['key_name']);
  if (!/^[0-9a-f]{64}$/.test(sha256)) {
    report.count('key', 'read');
    report.skip('key', 'the proxy does not reveal its hash', name);
    return undefined;
  }
  const isImportable = reportLimits(row, name, report);
  // A team's own remark names its organization.
  if (readText(row['team_id']) === '') reportOrganization('key', row['organization_id'] ?? row['org_id'], name, report);
  // A budget that can't be read is used up.
  const left = (row['max_budget'] ?? null) === null ? undefined : (computeRemaining(row) ?? 0n);
  const duration = readText(row['budget_duration']);
  const period = Object.hasOwn(budgetPeriods, duration) ? budgetPeriods[duration] : undefined;
  if (duration !== '' && period === undefined)
    report.remark(
      'key',
      'its budget resets in the source; here it is a quota that does not reset',
      `${name} (${duration})`,
    );
  const ownerId = findOwnerId(row);
  const owner = owners.get(ownerId) ?? {};
  // The proxy refuses every key of a blocked team. The team may be known here from a run before it was blocked.
  const isOwnerBlocked = readBoolean(owner['blocked'] ?? false);
  if (isOwnerBlocked) report.remark('key', 'its team is blocked; the token is disabled', name);
  const [requestsPerMinute = 0, tokensPerMinute = 0, concurrency = 0] = rateFields.map((field) =>
    readLimit(row[field]),
  );
  return {
    // The full hash would be a secret of the other installation.
    id: sha256.slice(0, 16),
    userId: ownerId,
    name,
    secret: { sha256 },
    enabled: isImportable && !isOwnerBlocked && !readBoolean(row['blocked'] ?? false),
    createdTime: readTime(row['created_at']),
    accessedTime: 0,
    // An unreadable time has passed.
    expiredTime: (row['expires'] ?? '') === '' ? -1 : Math.max(1, readTime(row['expires'])),
    remaining: period === undefined ? (left ?? 0n) : 0n,
    unlimited: left === undefined || period !== undefined,
    used: dollarsToPoints(parseDecimal(row['spend'])),
    group: '',
    backupGroup: '',
    models: readModels(row) ?? readModels(owner),
    addresses: undefined,
    heartbeatSeconds: undefined,
    ...(period === undefined || left === undefined
      ? {}
      : { budgets: { ...noBudgets, [period]: clampBudget(dollarsToPoints(parseDecimal(row['max_budget']))) } }),
    requestsPerMinute,
    tokensPerMinute,
    concurrency,
  };
}

/**
 * Adds a remark if a team or key belongs to an organization, whose budget and rate limits apply to all of its teams and
 * keys together: https://docs.litellm.ai/docs/proxy/multi_tenant_architecture
 */
export function reportOrganization(kind: 'user' | 'key', id: unknown, name: string, report: ImportReport): void {
  if (readText(id) === '') return;
  report.remark(kind, 'the budget and rate limits of its organization are not imported', `${name} in ${readText(id)}`);
}

function addBudgetLimits(row: Row): Row {
  const budget = readObject(row['litellm_budget_table']);
  return { ...row, ...Object.fromEntries(budgetFields.map((field) => [field, row[field] ?? budget[field]])) };
}

/** Reports the limits that can't be imported. @returns false if the key would have more rights than in the source */
function reportLimits(row: Row, name: string, report: ImportReport): boolean {
  const hasValue = (field: string): boolean => (row[field] ?? null) !== null;
  const disabling: string[] = rateFields.filter((field) => readLimit(row[field]) === undefined);
  if (hasValue('max_budget') && parseDecimal(row['max_budget']) === undefined) disabling.push('max_budget');
  if (hasValue('budget_id') && budgetFields.every((field) => !hasValue(field))) disabling.push('budget_id');
  const routes = readList(row['allowed_routes']);
  if (routes.length > 0 && !routes.includes(MODEL_ROUTES)) disabling.push('allowed_routes');
  for (const field of disabling)
    report.remark('key', `the limit ${field} cannot be imported; the token is disabled`, name);
  const metadata = readObject(row['metadata']);
  for (const field of perModelFields)
    if (Object.keys(readObject(row[field] ?? metadata[field])).length > 0)
      report.remark('key', `the limit ${field} is not supported`, name);
  return disabling.length === 0;
}

/** Returns a limit; 0 without one; undefined for one that can't be read, or lets nothing pass. */
function readLimit(value: unknown): number | undefined {
  if ((value ?? null) === null) return 0;
  const limit = readNumber(value);
  return limit > 0 ? limit : undefined;
}

function clampBudget(points: bigint): number {
  return Number(points < 0n ? 0n : points > BUDGET_MAX ? BUDGET_MAX : points);
}

/** Returns the allowed models; undefined for all. Special names stand for all models of the owner, or for none. */
function readModels(row: Row): readonly string[] | undefined {
  const value = row['models'] ?? '';
  const models = readList(value).map((name) => readText(name));
  if (models.some((name) => /^all-(team|proxy)-models$/.test(name))) return undefined;
  if (models.length > 0) return models.filter((name) => name !== 'no-default-models');
  return Array.isArray(value) || value === '' ? undefined : [];
}
