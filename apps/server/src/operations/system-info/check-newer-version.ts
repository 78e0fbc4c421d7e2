/** Checks for a newer version at the operator's chosen address; without one nothing is requested. */

import type { SystemState } from '@switchyard/contract/operations/system-info';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { version } from '../../platform/version.ts';

const TIMEOUT_MS = 10_000;
/** Maximum bytes of a release with its notes, as code hosts return it. */
const ANSWER_MAX_BYTES = 1_048_576;

const versionText = z
  .string()
  .max(64)
  .regex(/^v?\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/);
/**
 * Response schema: a self-hosted file, or a release as GitHub lists it:
 * https://docs.github.com/rest/releases/releases
 */
const versionResponse = z.union([
  z.object({ version: versionText }).transform(({ version: named }) => named),
  z.object({ tag_name: versionText }).transform(({ tag_name: named }) => named),
]);

interface VersionCheck {
  address: string;
  version: string;
  askedAt: number;
}

/** Last result of each server of this process. Each server checks at its start, so nothing is stored. */
const lastVersionChecks = new WeakMap<Context, VersionCheck>();

/** Job. @throws Error when the response contains no version */
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
    maxBytes: ANSWER_MAX_BYTES,
  });
  const named = versionResponse.safeParse(json);
  if (status !== 200 || !named.success)
    throw new Error(`The address for new versions returned status ${status} and no version`);
  lastVersionChecks.set(ctx, { address, version: named.data, askedAt: nowSeconds(ctx.clock) });
}

/** Returns null without an address, or before the first result. */
export function readNewestVersion(ctx: Context): SystemState['newest'] {
  const known = lastVersionChecks.get(ctx);
  if (known === undefined || known.address !== ctx.settings.versionUrl) return null;
  return { version: known.version, is_newer: isNewer(known.version, version), asked_at: known.askedAt };
}

/** Compares versions by their three numbers; a pre-release is older than its release. */
export function isNewer(one: string, other: string): boolean {
  const [first, second] = [parseVersion(one), parseVersion(other)];
  const differing = first.findIndex((part, index) => part !== second[index]);
  return differing !== -1 && (first[differing] ?? 0) > (second[differing] ?? 0);
}

function parseVersion(text: string): number[] {
  const [core = '', ...before] = text.replace(/^v/, '').split('+', 1)[0]?.split('-') ?? [];
  return [...core.split('.').map(Number), before.length === 0 ? 1 : 0];
}
