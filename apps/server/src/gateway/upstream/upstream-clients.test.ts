import { Client } from 'undici';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../../../tests/conformance/seeded-random.ts';
import { type FreeClients, type UpstreamClient, UpstreamClients } from './upstream-clients.ts';

/** Connects only when a request is sent. */
const newClient = (): Client => new Client('http://127.0.0.1:9');
const MOST = 10;
const ORIGINS = 4;

/** A client that is in use, or free since the step of that number. */
interface Kept {
  client: UpstreamClient;
  origin: number;
  freeSince: number | undefined;
}

describe('UpstreamClients', () => {
  test('closes the connections that have been idle longest, regardless of the order of requests', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = new SeededRandom(seed);
      const clients = new UpstreamClients(MOST);
      const pools: FreeClients[] = [new Map(), new Map()];
      const poolOf = (origin: number): FreeClients => pools[origin % pools.length] ?? new Map();
      let kept: Kept[] = [];
      for (let step = 0; step < 150; step += 1) {
        const busy = kept.filter(({ freeSince }) => freeSince === undefined);
        const isRequest = busy.length === 0 || random.chance(0.5);
        if (isRequest) {
          const origin = random.below(ORIGINS);
          const free = kept.filter((one) => one.origin === origin && one.freeSince !== undefined);
          const last = free.toSorted((one, other) => (other.freeSince ?? 0) - (one.freeSince ?? 0)).at(0);
          const taken = clients.take(poolOf(origin), `${origin}`);
          expect(taken === last?.client, `step ${step} of seed ${seed}`).toBe(true);
          if (last !== undefined) last.freeSince = undefined;
          else {
            kept.push({ client: clients.add(poolOf(origin), `${origin}`, newClient()), origin, freeSince: undefined });
          }
        } else {
          const ended = random.pick(busy);
          ended.freeSince = step;
          clients.free(ended.client);
        }
        const open = kept.filter(({ client }) => !client.client.closed);
        const closed = kept.filter(({ client }) => client.client.closed);
        const free = open.flatMap(({ freeSince }) => freeSince ?? []);
        expect(closed.every(({ freeSince }) => freeSince !== undefined)).toBe(true);
        expect(open.length <= MOST || free.length === 0).toBe(true);
        // The one that ends while there are too many is closed itself.
        const older = closed.filter(({ freeSince }) => freeSince !== step);
        expect(Math.max(...older.map(({ freeSince }) => freeSince ?? 0))).toBeLessThan(
          Math.min(...free, Number.POSITIVE_INFINITY),
        );
        kept = open;
      }
    }
  });

  test('keeps at most 256 free connections to an origin', () => {
    const clients = new UpstreamClients(10_000);
    const pool: FreeClients = new Map();
    const all = Array.from({ length: 300 }, () => clients.add(pool, 'a', newClient()));
    for (const one of all) clients.free(one);
    expect(all.filter(({ client }) => !client.closed)).toEqual(all.slice(0, 256));
  });

  test('forgets an origin with its last free connection', () => {
    const clients = new UpstreamClients(MOST);
    const pool: FreeClients = new Map();
    for (let origin = 0; origin < 100; origin += 1) clients.free(clients.add(pool, `${origin}`, newClient()));
    expect([...pool.keys()]).toEqual(Array.from({ length: MOST }, (_, nth) => `${90 + nth}`));
    clients.take(pool, '99');
    expect(pool.has('99')).toBe(false);
    clients.closeFree();
    expect(pool.size).toBe(0);
  });

  test('closes all idle connections, and none in use', () => {
    const clients = new UpstreamClients(MOST);
    const pool: FreeClients = new Map();
    const free = ['a', 'a', 'b'].map((origin) => clients.add(pool, origin, newClient()));
    for (const one of free) clients.free(one);
    const used = clients.add(pool, 'a', newClient());
    clients.closeFree();
    expect([...free, used].map(({ client }) => client.closed)).toEqual([true, true, true, false]);
    expect(['a', 'b'].map((origin) => clients.take(pool, origin))).toEqual([undefined, undefined]);
  });

  test('gives out no connection that has been destroyed', async () => {
    const clients = new UpstreamClients(MOST);
    const pool: FreeClients = new Map();
    const [alive, dead] = [clients.add(pool, 'a', newClient()), clients.add(pool, 'a', newClient())];
    for (const one of [alive, dead]) clients.free(one);
    await dead.client.destroy();
    expect(clients.take(pool, 'a')).toBe(alive);
    expect(clients.take(pool, 'a')).toBeUndefined();
  });
});
