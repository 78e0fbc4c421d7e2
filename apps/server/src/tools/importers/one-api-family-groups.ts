/** Reads groups of One API's family: from a table, or from options. */

import type { ImportReport } from './report.ts';
import {
  ONE,
  parseDecimal,
  type Row,
  readBoolean,
  readList,
  readNumber,
  readObject,
  readText,
  roundToUnit,
} from './row-values.ts';
import type { SourceGroup } from './source-installation.ts';

const MICROS = 1_000_000n;

/** Returns the ratio in millionths. An invalid ratio becomes 1, like a missing ratio in the source. */
function readRatio(value: unknown, which: string, report: ImportReport): number {
  const decimal = parseDecimal(value);
  const { whole, isExact } = roundToUnit(decimal ?? ONE, MICROS);
  const isUsable = decimal !== undefined && whole >= 0n && whole <= 1_000n * MICROS;
  if (!isUsable || !isExact)
    report.remark('group', 'the ratio is rounded or replaced by 1', `${which} (${readText(value)})`);
  return isUsable ? Number(whole) : Number(MICROS);
}

export function readGroup(row: Row, report: ImportReport): SourceGroup {
  const symbol = readText(row['symbol']);
  return {
    symbol,
    name: readText(row['name']) || symbol,
    ratioMicros: readRatio(row['ratio'] ?? '1', symbol, report),
    apiRate: readNumber(row['api_rate'], 600),
    isPublic: readBoolean(row['public']),
    enabled: readBoolean(row['enable'] ?? true),
    promotion: readBoolean(row['promotion'] ?? false),
    minUsd: readNumber(row['min']),
    maxUsd: readNumber(row['max']),
  };
}

/**
 * Adds a remark for each ratio that members of one group have in another, which New API charges instead of the other
 * group's ratio: https://github.com/QuantumNous/new-api/blob/main/setting/ratio_setting/group_ratio.go
 */
export function reportSpecialRatios(options: ReadonlyMap<string, string>, report: ImportReport): void {
  for (const [members, ratios] of Object.entries(readObject(options.get('GroupGroupRatio') ?? '')))
    for (const [group, ratio] of Object.entries(readObject(ratios)))
      report.remark(
        'group',
        'its members have a special ratio in another group, which is not imported; set it on their tokens',
        `${members} in ${group} (${readText(ratio)})`,
      );
}

/**
 * Adds a remark for each group whose members pay another price for top-ups in New API. 0 counts as 1:
 * https://github.com/QuantumNous/new-api/blob/main/controller/topup.go
 */
export function reportTopUpRatios(options: ReadonlyMap<string, string>, report: ImportReport): void {
  for (const [symbol, ratio] of Object.entries(readObject(options.get('TopupGroupRatio') ?? '')))
    if (!['0', '1'].includes(readText(ratio)))
      report.remark(
        'group',
        'the price of its members’ top-ups has a ratio, which is not imported',
        `${symbol} (${readText(ratio)})`,
      );
}

/** Requests per minute for each member of a group; 0: no limit. */
interface RequestRates {
  bySymbol: ReadonlyMap<string, number>;
  /** Limit of the groups that are not in `bySymbol`. */
  others: number;
}

/** Minutes, and successful requests in them, that apply in New API until an administrator saves the option. */
const RATE_LIMIT_MINUTES = 1;
const SUCCESSFUL_REQUESTS = 1_000;

/**
 * Reads New API's rate limits, as pairs of all requests and of successful ones; 0 means no limit. Here, the lower one
 * counts all requests: https://docs.newapi.pro/en/docs/guide/console/settings/rate-limit-settings and
 * https://github.com/QuantumNous/new-api/blob/main/middleware/model-rate-limit.go
 */
export function readRequestRates(options: ReadonlyMap<string, string>, report: ImportReport): RequestRates {
  if (!readBoolean(options.get('ModelRequestRateLimitEnabled'))) return { bySymbol: new Map(), others: 0 };
  const minutes = readNumber(options.get('ModelRequestRateLimitDurationMinutes'), RATE_LIMIT_MINUTES);
  const convert = (all: number, successful: number, which: string): number => {
    const limits = [all, successful].filter((limit) => limit > 0);
    if (limits.length === 0) return 0;
    const described = `${which} (${all} requests and ${successful} successful ones in ${minutes} min)`;
    if (minutes !== 1) {
      report.remark('group', 'its rate limit is not per minute and not imported; set one by hand', described);
      return 0;
    }
    const limit = Math.min(...limits);
    if (limit !== all) report.remark('group', 'its limit of successful requests counts all requests here', described);
    return limit;
  };
  const groups = Object.entries(readObject(options.get('ModelRequestRateLimitGroup') ?? ''));
  return {
    bySymbol: new Map(
      groups.map(([symbol, pair]) => {
        const [all = 0, successful = 0] = readList(pair).map((limit) => readNumber(limit));
        return [symbol, convert(all, successful, symbol)] as const;
      }),
    ),
    others: convert(
      readNumber(options.get('ModelRequestRateLimitCount')),
      readNumber(options.get('ModelRequestRateLimitSuccessCount'), SUCCESSFUL_REQUESTS),
      'all other groups',
    ),
  };
}

export function readGroupOptions(
  options: ReadonlyMap<string, string>,
  requestRates: RequestRates,
  report: ImportReport,
): SourceGroup[] {
  const ratios = new Map(Object.entries(readObject(options.get('GroupRatio') ?? '')));
  const usable = new Map(Object.entries(readObject(options.get('UserUsableGroups') ?? '')));
  return [...new Set([...ratios.keys(), ...usable.keys(), ...requestRates.bySymbol.keys()])].map((symbol) => ({
    symbol,
    name: readText(usable.get(symbol)) || symbol,
    ratioMicros: readRatio(ratios.get(symbol) ?? '1', symbol, report),
    apiRate: requestRates.bySymbol.get(symbol) ?? requestRates.others,
    isPublic: usable.has(symbol),
    enabled: true,
    promotion: false,
    minUsd: 0,
    maxUsd: 0,
  }));
}
