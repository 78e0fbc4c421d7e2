/**
 * Hostile input never stops the service: requests to every route, generated from its schema and then broken, without a
 * session and as user, administrator and root. `SEED=… FIRST=… npx vitest …` repeats a failure, which reports both.
 */
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSession } from '../../apps/server/src/accounts/authentication/authentication.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { createRandom } from '../../apps/server/src/tools/demo/random.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { pick, printSeed, reportMeasurement, seed } from '../tier.ts';
import { collectGarbage } from './collect-garbage.ts';
import { generateHostileRequest, type HostileRequest, managementTargets, relayTargets } from './hostile-requests.ts';

const REQUESTS = pick(3_000, 50_000, 2_000_000);
const AT_ONCE = 32;
const WARM_UP = REQUESTS / 5;
/** A replay begins with this request and makes few. */
const first = Number(process.env['FIRST'] ?? 0);
const MEMORY_SLACK_BYTES = 32 * 1024 * 1024;

interface Actor {
  id: number | undefined;
  headers: Record<string, string>;
}

let scene: RelayScene;
let actors: Actor[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', onRejection);
  scene = await startRelayScene();
  await removeRateLimits(scene.admin);
  await keepTheWay(await scene.newChannel({}));
  const [user, admin] = [await scene.createUser('user'), await scene.createUser('admin')];
  actors = [
    { id: undefined, headers: {} },
    { id: user.id, headers: user.identity },
    { id: admin.id, headers: admin.identity },
    { id: scene.admin.id, headers: scene.admin.identity },
  ].map((actor) => ({ ...actor, headers: { ...actor.headers, origin: scene.url } }));
});
afterAll(async () => {
  process.off('unhandledRejection', onRejection);
  agent.destroy();
  await scene.close();
});

/** Restores an actor's rights in the database, because its own requests may have removed them. */
async function revive(actor: Actor): Promise<void> {
  if (actor.id === undefined) return;
  await scene.ctx.db.writer
    .updateTable('user')
    .set({ status: 'enabled', deleted_time: null, group_symbol: 'default' })
    .where('id', '=', actor.id)
    .execute();
  const client = { address: '', userAgent: '', secure: false, method: 'password' } as const;
  actor.headers['cookie'] = (await startSession(scene.ctx, actor.id, client)).split(';', 1)[0] ?? '';
}

/** Restores channel, group and settings, so that relayed calls still reach an upstream. */
let openTheWay: () => Promise<void>;

async function keepTheWay(channel: number): Promise<void> {
  const { writer } = scene.ctx.db;
  const row = await writer.selectFrom('channel').selectAll().where('id', '=', channel).executeTakeFirstOrThrow();
  const group = await writer
    .selectFrom('user_group')
    .selectAll()
    .where('symbol', '=', 'default')
    .executeTakeFirstOrThrow();
  const settings = await writer.selectFrom('setting').selectAll().execute();
  openTheWay = async () => {
    await writer.updateTable('channel').set(row).where('id', '=', channel).execute();
    await writer.updateTable('user_group').set(group).where('id', '=', group.id).execute();
    await writer.transaction().execute(async (trx) => {
      await trx.deleteFrom('setting').execute();
      await trx.insertInto('setting').values(settings).execute();
    });
    for (const topic of ['channels', 'user-groups', 'settings'] as const) await scene.ctx.changes.publish({ topic });
  };
}

interface Answer {
  status: number;
  text: string;
}

/** The live log streams for a minute; a client must not wait for its end. */
const ENDLESS = 'systemInfo.followLog';

/** @param leaves whether to disconnect when a stream begins */
function send({ method, path, headers, body }: HostileRequest, leaves: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': body.length };
    const sent = request(
      { agent, host: '127.0.0.1', port: new URL(scene.url).port, method, path, headers: { ...headers, ...length } },
      (response) => {
        const status = response.statusCode ?? 0;
        if (leaves && status === 200) {
          response.destroy();
          resolve({ status, text: '' });
          return;
        }
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status, text: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject).end(body);
  });
}

/**
 * Responses of 5xx that are no fault of the server: unreachable vendors at addresses from forms, and channels that
 * earlier requests have disabled or capped. Not every dialect carries the code.
 */
const faultless = [
  /"(?:code|reason)":"(?:upstream[-_]\w+|server_is_overloaded|no_available_channel|channel_cap_reached)"/i,
  /No channel (?:offers|for)|All channels for|Channel \d+ is disabled/,
  /The mail server is not configured/,
];

function isFailure({ status, text }: Answer): boolean {
  return status >= 500 && !faultless.some((answer) => answer.test(text));
}

const statuses = new Map<number, number>();
const failures: string[] = [];

async function fuzz(index: number): Promise<void> {
  const random = createRandom(seed + index * 7919);
  const actor = random.pick(actors);
  const target = random.pick(random.chance(0.25) ? relayTargets : managementTargets);
  const isRelay = ['/v1', '/claude', '/gemini'].some((prefix) => target.path.startsWith(prefix));
  const headers = isRelay && random.chance(0.9) ? { authorization: `Bearer ${scene.key}` } : { ...actor.headers };
  const sent = generateHostileRequest(target, headers, random);
  const answer = await send(sent, target.name === ENDLESS).catch((error: unknown) => ({
    // Another request has ended the session of a running download.
    status: target.isDownload === true && String(error) === 'Error: aborted' ? 401 : 599,
    text: String(error),
  }));
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  if (answer.status === 401 && !isRelay) await revive(actor);
  if (answer.status === 503 || (isRelay && answer.status === 429)) await openTheWay();
  if (isFailure(answer))
    failures.push(
      `SEED=${seed} FIRST=${index} ${target.name}: ${answer.status} ${answer.text.slice(0, 200)}\n  ${sent.method} ${sent.path.slice(0, 200)} ${JSON.stringify(sent.headers).slice(0, 300)}\n  ${sent.body?.toString().slice(0, 300)}`,
    );
}

/** Fewer than the anonymous rate limit of an address in a minute. */
const RATES_RENEWED_AFTER = 500;

async function fuzzRange(from: number, to: number): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to && failures.length < 20) {
      next += 1;
      // The rate limits of the address are reset, so that requests reach their routes.
      if (next % RATES_RENEWED_AFTER === 0) scene.clock.advance(61);
      await fuzz(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function heapAfterCollection(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test(`${REQUESTS} hostile requests cause no failure and no unhandled rejection, and take no memory`, async () => {
  printSeed();
  const started = performance.now();
  await fuzzRange(first, first + WARM_UP);
  const before = heapAfterCollection();
  if (process.env['FIRST'] === undefined) await fuzzRange(WARM_UP, REQUESTS);
  await scene.waitUntilSettled();
  const after = heapAfterCollection();
  expect(failures.join('\n')).toBe('');
  expect(rejections).toEqual([]);
  expect((await fetch(`${scene.url}/api/status`)).status).toBe(200);
  const seconds = Math.round((performance.now() - started) / 1000);
  const growth = Math.round((after - before) / 1024 / 1024);
  reportMeasurement(
    'P17',
    `${REQUESTS} requests in ${seconds} s, heap ${growth} MB, ${JSON.stringify(Object.fromEntries(statuses))}`,
  );
  expect(after).toBeLessThan(before * 1.1 + MEMORY_SLACK_BYTES);
}, 7_200_000);
