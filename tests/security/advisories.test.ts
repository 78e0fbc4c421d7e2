/**
 * Public advisories and reports until 2026 about similar gateways, each with the test here that would have caught the
 * same mistake.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');

interface Covered {
  ids: string;
  mistake: string;
  file: string;
  /** Name as written in the file. */
  name: string;
}

const at = (ids: string, mistake: string, file: string, name: string): Covered => ({ ids, mistake, file, name });

const covered: readonly Covered[] = [
  at(
    'GHSA-8r8v-xf7q-rcpr CVE-2026-71479',
    'an overflow made a charge negative',
    'tests/faults/price-property.test.ts',
    'charges and estimates equal big-number arithmetic for every price, ratio and usage',
  ),
  at(
    'sub2api#6066',
    'absurd usage of an upstream was accepted',
    'tests/faults/price-property.test.ts',
    'any usage object, read in any format, results in a charge from 0 to the maximum of a call',
  ),
  at(
    'GHSA-j6gc-4893-qwmp CVE-2026-64865',
    'saving a profile overwrote concurrent charges',
    'tests/faults/ledger-property.test.ts',
    'keeps balance = credits − charges, and never overspends, in any order of events',
  ),
  at(
    'GHSA-v828-m3pf-vq9q CVE-2026-64868',
    'bodies without limit, before any sign-in',
    'tests/security/bombs.test.ts',
    'that is announced is refused before it is sent',
  ),

  at(
    'CVE-2026-42208 GHSA-r75f-5x8p-qvmc',
    'SQL injection in the check of a key',
    'tests/security/primitives.test.ts',
    'SQL is a literal, or built with separate parameters',
  ),
  at(
    'CVE-2026-42208 GHSA-r75f-5x8p-qvmc',
    'SQL injection in the check of a key',
    'tests/security/hostile-credentials.test.ts',
    'hostile credentials identify no user, and none causes an error',
  ),
  at(
    'CVE-2026-35030',
    'a cache identified tokens by their prefix',
    'tests/security/lost-sessions.test.ts',
    'two different credentials are never confused, however similar they are',
  ),
  at(
    'CVE-2026-12772 CVE-2026-12796',
    'credentials were valid after their session',
    'tests/security/lost-sessions.test.ts',
    'after %s the very next request with each old credential is refused',
  ),
  at(
    'CVE-2026-47101',
    'a user created a credential with more rights than its creator',
    'tests/security/levels.test.ts',
    'for management never exceeds its creator’s rights, at any later time',
  ),
  at(
    'CVE-2026-39411 GHSA-5mwj-v5jw-5c97',
    'a credential was derived from public data',
    'tests/security/hostile-credentials.test.ts',
    'hostile credentials identify no user, and none causes an error',
  ),
  at(
    'GHSA-5353-f8fq-65vc CVE-2026-32879',
    'the second confirmation could be bypassed',
    'tests/security/step-up.test.ts',
    'after ${what} every sensitive route still requires a confirmation',
  ),
  at(
    'GHSA-p845-629j-rcj6 CVE-2026-64866',
    'administrators reset passkeys of equal and higher accounts',
    'tests/security/levels.test.ts',
    'no action on an equal or higher account succeeds, and every action on a lower one does',
  ),
  at(
    'GHSA-26v7-h57m-gh9m CVE-2026-44342',
    'a GET bound an identity',
    'tests/security/no-get-writes.test.ts',
    '%s changes nothing for any caller and any route',
  ),
  at(
    'GHSA-26v7-h57m-gh9m CVE-2026-44342',
    'a GET bound an identity',
    'tests/security/authorization.test.ts',
    '${name} is refused to a page of another site',
  ),
  at(
    'one-api: role in the cookie',
    'lost roles and statuses stayed valid',
    'tests/security/authorization.test.ts',
    'a session whose role was taken meanwhile',
  ),
  at(
    'Open WebUI: stale role on sockets',
    'a running stream continued after the loss',
    'tests/security/lost-rights.test.ts',
    'a running stream ends within a second when %s, and its delivered part is charged',
  ),

  at(
    'GHSA-6x2c-phff-wx57 CVE-2026-64859',
    'a list of users contained a token of root',
    'tests/security/canaries.test.ts',
    'no response to any caller contains a secret',
  ),
  at(
    'CVE-2026-45671 CVE-2026-45349 CVE-2026-54015',
    'other users’ objects were accessible by id',
    'tests/security/secrets.test.ts',
    "other users' objects return the same as missing ones",
  ),
  at(
    'one-hub 72aaa9de a18b887f 4112be85 7ab7cb7f',
    'a vendor’s error revealed key and address',
    'tests/security/canaries.test.ts',
    'hides the secrets that an upstream repeats',
  ),
  at(
    'octopus#208',
    'one way of writing skipped the encryption',
    'tests/security/secrets-at-rest.test.ts',
    'neither the database nor its log nor a backup contains a secret, in plain, base64 or hex',
  ),
  at(
    'CVE-2024-6587',
    'a client chose the host that received the key',
    'tests/security/client-fields.test.ts',
    "calls that name another host reach the channel's own with its own key",
  ),

  at(
    'GHSA-9f46-w24h-69w4 GHSA-v5c3-6wvc-pc2q GHSA-6qcr-qxgr-m7fv',
    'three ways bypassed an address filter',
    'tests/security/outbound.test.ts',
    'calls no internal address as %s',
  ),
  at(
    'CVE-2026-31943',
    'the filter knew only one notation of an address',
    'tests/security/outbound.test.ts',
    'there are at least 120 address forms, and allowed calls are detected',
  ),
  at(
    'CVE-2026-45400',
    'the checked address was not the called one',
    'tests/security/outbound.test.ts',
    'does not follow a name that resolves to an internal address after the check',
  ),
  at(
    'Portkey c171d83d',
    'a name was checked without resolving it',
    'tests/security/outbound.test.ts',
    'uses only the allowed addresses of a name',
  ),
  at(
    'GHSA-v4p8-mg3p-g94g',
    'a test of a connection ran a command',
    'tests/security/primitives.test.ts',
    'no line starts a process, and only listed modules start a thread',
  ),
  at(
    'CVE-2025-3801 GHSA-299v-8pq9-5gjq',
    'scripts in the home page and in Markdown',
    'tests/security/no-script.test.ts',
    'in the operator’s home, about, footer and notice',
  ),
  at(
    'CVE-2026-44568',
    'Markdown was sanitised before it was parsed',
    'tests/security/no-script.test.ts',
    'in these without the sanitiser, due to the policy alone',
  ),
  at(
    'GHSA-w6x6-9fp7-fqm4 CVE-2026-25591',
    'wildcards made a search endless',
    'tests/security/hostile-credentials.test.ts',
    'rows takes long, regardless of its text',
  ),
  at(
    'headroom#3284 OneUptime#3404 axonhub#1688',
    'bombs in compressed bodies',
    'tests/security/bombs.test.ts',
    'as %s is inflated by no route',
  ),
  at(
    'LiteLLM 1.82.7 and 1.82.8',
    'a compromised release was installed',
    'tests/security/supply-chain.test.ts',
    'every package comes from a registry with its hash, and the lock file names no host',
  ),
  at(
    'npm worms of 2025 and 2026',
    'packages ran code at installation',
    'tests/security/supply-chain.test.ts',
    'no package runs code at installation, except listed ones',
  ),
  at(
    'sub2api#5350 cp-oauth#27',
    'a shared mail address linked two accounts',
    'tests/security/third-party.test.ts',
    'same mail address',
  ),
  at(
    'CVE-2026-28288',
    'responses revealed who has an account',
    'tests/security/guessing.test.ts',
    'returns the same bytes with and without an account',
  ),
  at(
    'Dify: reset token',
    'a reset link was valid for other accounts',
    'tests/security/guessing.test.ts',
    'a password reset link has 256 bits, is unique, and is valid once for one account',
  ),
  at(
    'GHSA-xff3-5c9p-2mr4 CVE-2026-41432 new-api#4353',
    'a payment notice was accepted without a configured secret',
    'apps/server/src/billing/orders/webhooks.test.ts',
    'without its secret it is not there',
  ),
  at(
    'GHSA-xff3-5c9p-2mr4 CVE-2026-41432 new-api#4353',
    'an order of one provider was paid through another',
    'apps/server/src/billing/orders/orders.test.ts',
    'an order of one gateway cannot be paid through another',
  ),
  at(
    'new-api#4279 new-api#4350',
    'unsigned notices, or notices about less money, were credited',
    'apps/server/src/billing/orders/webhooks.test.ts',
    'credits nothing for a webhook event with a foreign or missing signature',
  ),
  at(
    'dujiao-next#340',
    'an order took invalid state transitions',
    'apps/server/src/billing/orders/order-states.test.ts',
    'an order is credited at most once, and a refund takes its share to the point',
  ),
  at(
    'sub2api#5187 sub2api#5191',
    'a repeated refund was paid twice, or reduced',
    'apps/server/src/billing/orders/refund-bookkeeping.test.ts',
    'a refund whose answer was lost is sent once and found out later',
  ),
  at(
    'CVE-2026-11465 GHSA-7v3v-cp44-vc8m one-api#2399 new-api#4302 Veloera#88',
    'one redemption code was credited to several users',
    'tests/faults/redeem.test.ts',
    'users at once: one is credited, all others get the error that the code is used',
  ),
  at(
    'GHSA-f35r-v9x5-r8mc CVE-2026-30886',
    'a video was accessible by another user’s task id',
    'apps/server/src/gateway/endpoints/video-endpoints.test.ts',
    'hides a video from other users, who can’t find, fetch, remix, delete or list it',
  ),
  at(
    'CVE-2026-31950',
    'another user’s running stream was accessible by its id',
    'apps/server/src/gateway/responses-api/background-responses.test.ts',
    'hides the stream from other users while it runs and afterwards',
  ),
];

const textOf = (file: string): string => readFileSync(join(repository, file), 'utf8');

describe('mistakes of other gateways', () => {
  test.each(covered)('$ids: $mistake', ({ file, name }) => {
    expect(existsSync(join(repository, file)), file).toBe(true);
    expect(textOf(file)).toContain(name);
  });

  test('every collected advisory is listed', () => {
    const known = new Set(covered.flatMap(({ ids }) => ids.match(/GHSA-[\w-]+|CVE-\d+-\d+/g) ?? []));
    expect(collected.filter((id) => !known.has(id))).toEqual([]);
    console.log(`${covered.length} rows, ${known.size} advisories`);
  });
});

/** All advisories of the list from which this file was made. */
const collected = [
  'GHSA-xff3-5c9p-2mr4',
  'CVE-2026-41432',
  'CVE-2026-11465',
  'GHSA-7v3v-cp44-vc8m',
  'GHSA-8r8v-xf7q-rcpr',
  'CVE-2026-71479',
  'GHSA-j6gc-4893-qwmp',
  'CVE-2026-64865',
  'GHSA-v828-m3pf-vq9q',
  'CVE-2026-64868',
  'CVE-2026-42208',
  'GHSA-r75f-5x8p-qvmc',
  'CVE-2026-35030',
  'CVE-2026-12772',
  'CVE-2026-12796',
  'CVE-2026-47101',
  'CVE-2026-39411',
  'GHSA-5mwj-v5jw-5c97',
  'GHSA-5353-f8fq-65vc',
  'CVE-2026-32879',
  'GHSA-p845-629j-rcj6',
  'CVE-2026-64866',
  'GHSA-26v7-h57m-gh9m',
  'CVE-2026-44342',
  'CVE-2026-28288',
  'GHSA-6x2c-phff-wx57',
  'CVE-2026-64859',
  'GHSA-f35r-v9x5-r8mc',
  'CVE-2026-30886',
  'CVE-2026-31950',
  'CVE-2026-45671',
  'CVE-2026-45349',
  'CVE-2026-54015',
  'CVE-2024-6587',
  'GHSA-9f46-w24h-69w4',
  'GHSA-v5c3-6wvc-pc2q',
  'GHSA-6qcr-qxgr-m7fv',
  'CVE-2026-31943',
  'CVE-2026-45400',
  'GHSA-v4p8-mg3p-g94g',
  'CVE-2025-3801',
  'GHSA-299v-8pq9-5gjq',
  'CVE-2026-44568',
  'GHSA-w6x6-9fp7-fqm4',
  'CVE-2026-25591',
];
