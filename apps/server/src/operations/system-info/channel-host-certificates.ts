/**
 * Checks the expiry of the certificates of hosts that channels call: once a day, and once an hour while there is a
 * problem.
 */
import { CERTIFICATE_WARN_DAYS, type Certificate } from '@switchyard/contract/operations/system-info';
import { loadChannels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { cacheUntilChanged } from '../../platform/caches.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AddressNotAllowedError } from '../../platform/outbound/outbound-guard.ts';
import type { HostCertificateTable } from './table.ts';

const HOSTS_MAX = 500;
const HOST_CONCURRENCY = 4;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const DAY_SECONDS = 86_400;

interface CalledHost {
  /** Host with its port, unless it is 443; the whole origin if it is not HTTPS. */
  name: string;
  url: URL;
  /** Proxy of one of its channels. */
  proxy: string;
  channels: number;
}

/**
 * Lists the hosts that enabled channels call. A host behind a proxy is checked through it, as its channel calls it.
 */
const listCalledHosts = cacheUntilChanged(['channels'], async (ctx: Context): Promise<CalledHost[]> => {
  const hosts = new Map<string, CalledHost>();
  for (const { target, proxy } of await loadChannels(ctx)) {
    if (!URL.canParse(target.baseUrl)) continue;
    const url = new URL(target.baseUrl);
    const name = url.protocol === 'https:' ? url.host : url.origin;
    const known = hosts.get(name);
    if (known !== undefined) known.channels += 1;
    else if (hosts.size < HOSTS_MAX) hosts.set(name, { name, url, proxy, channels: 1 });
  }
  return [...hosts.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
});

/** Job: checks the due hosts. Rows of hosts that no channel calls any more are removed. */
export async function checkCertificates(ctx: Context, stopping: AbortSignal): Promise<void> {
  const hosts = await listCalledHosts(ctx);
  const known = await readStoredCertificates(ctx);
  const waiting = hosts.filter(({ name }) => isDue(ctx, known.get(name)));
  const work = async (): Promise<void> => {
    for (let host = waiting.shift(); host !== undefined && !stopping.aborted; host = waiting.shift())
      await storeCertificate(ctx, await fetchCertificate(ctx, host, stopping));
  };
  await Promise.all(Array.from({ length: HOST_CONCURRENCY }, work));
  const names = hosts.map(({ name }) => name);
  await ctx.db.writer.deleteFrom('host_certificate').where('host', 'not in', names).execute();
}

function isDue({ clock }: Context, row: HostCertificateTable | undefined): boolean {
  const now = nowSeconds(clock);
  if (row === undefined || row.problem !== '') return true;
  const isFresh = row.checked_time > now - DAY_SECONDS;
  return !isFresh || (row.valid_until ?? 0) < now + CERTIFICATE_WARN_DAYS * DAY_SECONDS;
}

async function fetchCertificate(
  ctx: Context,
  { name: host, url, proxy }: CalledHost,
  stopping: AbortSignal,
): Promise<HostCertificateTable> {
  const answer = { host, issuer: '', valid_until: null, checked_time: nowSeconds(ctx.clock) };
  if (url.protocol !== 'https:') return { ...answer, problem: 'plain-http' };
  // SOCKS is not supported here.
  if (/^socks/i.test(proxy)) return { ...answer, problem: 'behind-proxy' };
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(HANDSHAKE_TIMEOUT_MS)]);
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 443) };
  try {
    const { issuer, validUntil, trusted } = await ctx.outbound.fetchCertificate(target, proxy, signal);
    return { ...answer, issuer, valid_until: validUntil, problem: trusted ? '' : 'not-trusted' };
  } catch (error) {
    ctx.log.info({ host, err: error }, 'the certificate of a host could not be read');
    return { ...answer, problem: isOutboundRefused(error) ? 'not-allowed' : 'no-answer' };
  }
}

function isOutboundRefused(error: unknown): boolean {
  return error instanceof AddressNotAllowedError || (error instanceof Error && isOutboundRefused(error.cause));
}

async function storeCertificate(ctx: Context, row: HostCertificateTable): Promise<void> {
  await ctx.db.writer
    .insertInto('host_certificate')
    .values(row)
    .onConflict((conflict) => conflict.column('host').doUpdateSet(row))
    .execute();
}

async function readStoredCertificates({ db }: Context): Promise<Map<string, HostCertificateTable>> {
  const rows = await db.writer.selectFrom('host_certificate').selectAll().execute();
  return new Map(rows.map((row) => [row.host, row]));
}

/** Lists the hosts whose certificates expire soon; a host that is no longer called stays for up to an hour. */
export function filterExpiring({ db, clock }: Context): Promise<{ host: string; valid_until: number | null }[]> {
  return db.writer
    .selectFrom('host_certificate')
    .select(['host', 'valid_until'])
    .where('valid_until', '<', nowSeconds(clock) + CERTIFICATE_WARN_DAYS * DAY_SECONDS)
    .orderBy('valid_until')
    .execute();
}

export async function listCertificates(ctx: Context): Promise<Certificate[]> {
  const byHost = await readStoredCertificates(ctx);
  return (await listCalledHosts(ctx)).map(({ name, channels }) => {
    const row = byHost.get(name);
    return {
      host: name,
      channels,
      problem: row?.problem ?? '',
      issuer: row?.issuer ?? '',
      valid_until: row?.valid_until ?? null,
      checked_at: row?.checked_time ?? null,
    };
  });
}
