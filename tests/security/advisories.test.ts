/**
 * Advisories and reports about gateways of this kind, as far as they were public in 2026, each with the test here that
 * would have caught the same mistake.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');

interface Covered {
  ids: string;
  mistake: string;
  file: string;
  /** As the file writes it. */
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
    'absurd usage of an upstream was believed',
    'tests/faults/price-property.test.ts',
    'any usage object, read by any format, ends in a whole charge from 0 to the most a call can cost',
  ),
  at(
    'GHSA-j6gc-4893-qwmp CVE-2026-64865',
    'saving a profile undid charges that came meanwhile',
    'tests/faults/ledger-property.test.ts',
    'keeps balance = what came in − what was charged, and never lends, in any order of events',
  ),
  at(
    'GHSA-v828-m3pf-vq9q CVE-2026-64868',
    'bodies without limit, before any sign-in',
    'tests/security/bombs.test.ts',
    'that is announced is refused before it is sent',
  ),

  at(
    'CVE-2026-42208 GHSA-r75f-5x8p-qvmc',
    'SQL in the check of a key',
    'tests/security/primitives.test.ts',
    'SQL is written out, or built with its parameters apart',
  ),
  at(
    'CVE-2026-42208 GHSA-r75f-5x8p-qvmc',
    'SQL in the check of a key',
    'tests/security/hostile-credentials.test.ts',
    'hostile credentials identify no user, and none causes an error',
  ),
  at(
    'CVE-2026-35030',
    'a cache that knew tokens by their beginning',
    'tests/security/lost-sessions.test.ts',
    'two different credentials are never taken for one another, however much they have in common',
  ),
  at(
    'CVE-2026-12772 CVE-2026-12796',
    'credentials outlived their session',
    'tests/security/lost-sessions.test.ts',
    'after %s the very next request with each old credential is refused',
  ),
  at(
    'CVE-2026-47101',
    'a user made a credential that could do more than its maker',
    'tests/security/levels.test.ts',
    'for management never does more than who made it may, at any later time',
  ),
  at(
    'CVE-2026-39411 GHSA-5mwj-v5jw-5c97',
    'a credential made of what is public',
    'tests/security/hostile-credentials.test.ts',
    'hostile credentials identify no user, and none causes an error',
  ),
  at(
    'GHSA-5353-f8fq-65vc CVE-2026-32879',
    'the second confirmation could be left out',
    'tests/security/step-up.test.ts',
    'after ${what} every sensitive route still asks',
  ),
  at(
    'GHSA-p845-629j-rcj6 CVE-2026-64866',
    'administrators reset passkeys of equal and higher accounts',
    'tests/security/levels.test.ts',
    'no action on an equal or higher account, every action on a lower one',
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
    '${name} is refused to the page of another site',
  ),
  at(
    'one-api: role in the cookie',
    'role and status outlived their loss',
    'tests/security/authorization.test.ts',
    'a session whose role was taken meanwhile',
  ),
  at(
    'Open WebUI: stale role on sockets',
    'a running stream outlived the loss',
    'tests/security/lost-rights.test.ts',
    'a running stream ends within a second when %s, and what came is charged',
  ),

  at(
    'GHSA-6x2c-phff-wx57 CVE-2026-64859',
    'a list of users held a token of root',
    'tests/security/canaries.test.ts',
    'no answer to anybody holds a secret',
  ),
  at(
    'CVE-2026-45671 CVE-2026-45349 CVE-2026-54015',
    'other people’s things by their ids',
    'tests/security/secrets.test.ts',
    "somebody else's things answer like things that do not exist",
  ),
  at(
    'one-hub 72aaa9de a18b887f 4112be85 7ab7cb7f',
    'a vendor’s error told key and address',
    'tests/security/canaries.test.ts',
    'hides the secrets that an upstream repeats',
  ),
  at(
    'octopus#208',
    'encryption that a way of writing left out',
    'tests/security/secrets-at-rest.test.ts',
    'neither the database, nor its log, nor a backup holds a secret, in plain, base64 or hex',
  ),
  at(
    'CVE-2024-6587',
    'a client chose the host that gets the key',
    'tests/security/client-fields.test.ts',
    "calls that ask for another host reach the channel's own, with its own key",
  ),

  at(
    'GHSA-9f46-w24h-69w4 GHSA-v5c3-6wvc-pc2q GHSA-6qcr-qxgr-m7fv',
    'three ways past one filter of addresses',
    'tests/security/outbound.test.ts',
    'calls no address inside as %s',
  ),
  at(
    'CVE-2026-31943',
    'the filter knew only one way to write an address',
    'tests/security/outbound.test.ts',
    'there are at least 120 forms of address, and the canary sees calls that are allowed',
  ),
  at(
    'CVE-2026-45400',
    'what was checked was not what was called',
    'tests/security/outbound.test.ts',
    'does not follow a name that moves inside after it was checked',
  ),
  at(
    'Portkey c171d83d',
    'a name was checked as text alone',
    'tests/security/outbound.test.ts',
    'takes only those answers of a name that are allowed',
  ),
  at(
    'GHSA-v4p8-mg3p-g94g',
    'a test of a connection ran a command',
    'tests/security/primitives.test.ts',
    'nothing starts a process, and only named modules start a thread',
  ),
  at(
    'CVE-2025-3801 GHSA-299v-8pq9-5gjq',
    'scripts in the home page and in Markdown',
    'tests/security/no-script.test.ts',
    'in what the operator writes: home, about, footer, notice',
  ),
  at(
    'CVE-2026-44568',
    'sanitised before it was parsed',
    'tests/security/no-script.test.ts',
    'in the same with the sanitiser taken away, by the policy alone',
  ),
  at(
    'GHSA-w6x6-9fp7-fqm4 CVE-2026-25591',
    'wildcards made a search endless',
    'tests/security/hostile-credentials.test.ts',
    'rows takes long, whatever is sought',
  ),
  at(
    'headroom#3284 OneUptime#3404 axonhub#1688',
    'bombs in compressed bodies',
    'tests/security/bombs.test.ts',
    'as %s is inflated by no route',
  ),
  at(
    'LiteLLM 1.82.7 and 1.82.8',
    'a release that was not ours',
    'tests/security/supply-chain.test.ts',
    'every package comes from a registry with its hash, and the lock file names no host',
  ),
  at(
    'npm worms of 2025 and 2026',
    'packages that run when they are installed',
    'tests/security/supply-chain.test.ts',
    'nothing runs when it is installed, besides what is listed',
  ),
  at(
    'sub2api#5350 cp-oauth#27',
    'an address that two accounts share linked them',
    'tests/security/third-party.test.ts',
    'same mail address',
  ),
  at(
    'CVE-2026-28288',
    'answers told who has an account',
    'tests/security/guessing.test.ts',
    'answers the same bytes for who has an account and who has none',
  ),
  at(
    'Dify: reset token',
    'a reset in the hands of others',
    'tests/security/guessing.test.ts',
    'a link for a new password is 256 bits, one of a kind, good once, and not good for another account',
  ),
  at(
    'GHSA-xff3-5c9p-2mr4 CVE-2026-41432 new-api#4353',
    'a notice was believed although no secret was set',
    'apps/server/src/billing/orders/webhooks.test.ts',
    'without its secret it is not there',
  ),
  at(
    'GHSA-xff3-5c9p-2mr4 CVE-2026-41432 new-api#4353',
    'an order of one gateway was paid through another',
    'apps/server/src/billing/orders/orders.test.ts',
    'an order of one gateway cannot be paid through another',
  ),
  at(
    'new-api#4279 new-api#4350',
    'notices that nobody signed, or about less money, were credited',
    'apps/server/src/billing/orders/webhooks.test.ts',
    'credits nothing for a webhook event with a foreign or missing signature',
  ),
  at(
    'dujiao-next#340',
    'states of an order that cannot follow each other',
    'apps/server/src/billing/orders/order-states.test.ts',
    'an order is credited at most once, and what was taken back is its share to the point',
  ),
  at(
    'sub2api#5187 sub2api#5191',
    'a refund that was repeated was paid twice, or shrank',
    'apps/server/src/billing/orders/refunds.test.ts',
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
    'a film was shown to whoever named another user’s task',
    'apps/server/src/gateway/endpoints/video-endpoints.test.ts',
    'hides a video from other users, who can’t find, fetch, remix, delete or list it',
  ),
  at(
    'CVE-2026-31950',
    'a running stream could be joined by its id',
    'apps/server/src/gateway/responses/background-responses.test.ts',
    'hides the stream from other users while it runs and afterwards',
  ),
];

const textOf = (file: string): string => readFileSync(join(repository, file), 'utf8');

describe('what others got wrong', () => {
  test.each(covered)('$ids: $mistake', ({ file, name }) => {
    expect(existsSync(join(repository, file)), file).toBe(true);
    expect(textOf(file)).toContain(name);
  });

  test('none of the advisories that were collected is missing', () => {
    const known = new Set(covered.flatMap(({ ids }) => ids.match(/GHSA-[\w-]+|CVE-\d+-\d+/g) ?? []));
    expect(collected.filter((id) => !known.has(id))).toEqual([]);
    console.log(`${covered.length} rows, ${known.size} advisories`);
  });
});

/** Every advisory of the list that this file was made from. */
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
