/** Check for a newer version at the address that the operator chose; without one nothing is requested. */
import type { SystemState } from '@switchyard/contract/operations/system-info';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { version } from '../../platform/version.ts';

const TIMEOUT_MS = 10_000;

const versionText = z
  .string()
  .max(64)
  .regex(/^v?\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/);
/**
 * Response schema: a self-hosted file, or a release as GitHub lists it: https://docs.github.com/rest/releases/releases
 */
const answerSchema = z.union([
  z.object({ version: versionText }).transform(({ version: named }) => named),
  z.object({ tag_name: versionText }).transform(({ tag_name: named }) => named),
]);

interface Heard {
  address: string;
  version: string;
  askedAt: number;
}

/** Last result of each server of this process. Each server asks at its start, so that nothing needs to be stored. */
const heard = new WeakMap<Context, Heard>();

/** A job. @throws Error when the address names no version */
export async function checkVersion(ctx: Context, stopping: AbortSignal): Promise<void> {
  const address = ctx.settings.versionUrl;
  if (address === '') return;
  const { status, json } = await ctx.outbound.fetchJson({
    method: 'GET',
    url: address,
    headers: { accept: 'application/json', 'user-agent': `switchyard/${version}` },
    proxy: '',
    timeoutMs: TIMEOUT_MS,
    signal: stopping,
  });
  const named = answerSchema.safeParse(json);
  if (status !== 200 || !named.success)
    throw new Error(`The address for new versions returned status ${status} and no version`);
  heard.set(ctx, { address, version: named.data, askedAt: nowSeconds(ctx.clock) });
}

/** Null: nobody is asked, or nothing was heard yet. */
export function newestVersion(ctx: Context): SystemState['newest'] {
  const known = heard.get(ctx);
  if (known === undefined || known.address !== ctx.settings.versionUrl) return null;
  return {
    version: known.version,
    is_newer: isNewer(known.version, version),
    asked_at: known.askedAt,
  };
}

/** Compares versions by their three numbers; a pre-release is older than its release. */
export function isNewer(one: string, other: string): boolean {
  const [first, second] = [partsOf(one), partsOf(other)];
  const differing = first.findIndex((part, index) => part !== second[index]);
  return differing !== -1 && (first[differing] ?? 0) > (second[differing] ?? 0);
}

function partsOf(text: string): number[] {
  const [core = '', ...before] = text.replace(/^v/, '').split('+', 1)[0]?.split('-') ?? [];
  return [...core.split('.').map(Number), before.length === 0 ? 1 : 0];
}
