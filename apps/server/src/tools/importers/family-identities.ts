/**
 * Reads third-party accounts whose owner is certain from the row and the settings. Skipped are GitHub names, which
 * others can take over; Lark's ids, whose app is unknown; and mail addresses.
 */
import type { SourceIdentity } from './installation.ts';
import type { ProductName } from './product-names.ts';
import { type Row, readInteger, readText } from './row-values.ts';

const WELL_KNOWN = '/.well-known/openid-configuration';

export function readFamilyIdentities(
  row: Row,
  product: ProductName,
  options: ReadonlyMap<string, string>,
): SourceIdentity[] {
  const found: SourceIdentity[] = [];
  const add = (provider: SourceIdentity['provider'], issuer: string, subject: string): void => {
    if (issuer !== '' && subject !== '' && subject.length <= 255) found.push({ provider, issuer, subject });
  };
  add('github', 'https://github.com', readPositiveId(row['github_id_new']));
  add('telegram', 'https://telegram.org', readPositiveId(row['telegram_id']));
  add('wechat', readText(options.get('WeChatServerAddress')).replace(/\/+$/, ''), readText(row['wechat_id']));
  add('oidc', resolveIssuer(product, options), readText(row['oidc_id']));
  return found;
}

/** Returns the issuer as in its tokens: One Hub checks it, and New API has the address that begins with it. */
function resolveIssuer(product: ProductName, options: ReadonlyMap<string, string>): string {
  if (product === 'one-api') return '';
  if (product !== 'new-api') return readText(options.get('OIDCIssuer'));
  const address = readText(options.get('oidc.well_known'));
  return address.endsWith(WELL_KNOWN) ? address.slice(0, -WELL_KNOWN.length) : '';
}

function readPositiveId(value: unknown): string {
  const whole = readInteger(value) ?? 0n;
  return whole > 0n ? String(whole) : '';
}
