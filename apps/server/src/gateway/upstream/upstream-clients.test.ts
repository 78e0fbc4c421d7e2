import { Client } from 'undici';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../../../tests/conformance/seeded-random.ts';
import { type UpstreamClient, UpstreamClients } from './upstream-clients.ts';

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
  test('closes the connections that have been free longest, whatever the order of requests', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = new SeededRandom(seed);
      const clients = new UpstreamClients(MOST);
      const origins = Array.from({ length: ORIGINS }, () => clients.addOrigin());
      let kept: Kept[] = [];
      for (let step = 0; step < 150; step += 1) {
        const busy = kept.filter(({ freeSince }) => freeSince === undefined);
        const isRequest = busy.length === 0 || random.chance(0.5);
        if (isRequest) {
          const origin = random.below(ORIGINS);
          const free = kept.filter((one) => one.origin === origin && one.freeSince !== undefined);
          const last = free.toSorted((one, other) => (other.freeSince ?? 0) - (one.freeSince ?? 0)).at(0);
          const taken = clients.take(origins[origin] ?? clients.addOrigin());
          expect(taken === last?.client, `step ${step} of seed ${seed}`).toBe(true);
          if (last !== undefined) last.freeSince = undefined;
          else {
            kept.push({ client: clients.add(newClient()), origin, freeSince: undefined });
          }
        } else {
          const ended = random.pick(busy);
          ended.freeSince = step;
          clients.free(origins[ended.origin] ?? clients.addOrigin(), ended.client);
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
    const origin = clients.addOrigin();
    const all = Array.from({ length: 300 }, () => clients.add(newClient()));
    for (const one of all) clients.free(origin, one);
    expect(all.filter(({ client }) => !client.closed)).toEqual(all.slice(0, 256));
  });

  test('closes all free connections, and none in use', () => {
    const clients = new UpstreamClients(MOST);
    const origins = [clients.addOrigin(), clients.addOrigin()];
    const free = origins.map((origin) => {
      const one = clients.add(newClient());
      clients.free(origin, one);
      return one;
    });
    const used = clients.add(newClient());
    clients.closeFree();
    expect([...free, used].map(({ client }) => client.closed)).toEqual([true, true, false]);
    expect(origins.map((origin) => clients.take(origin))).toEqual([undefined, undefined]);
  });

  test('gives out no connection that has been destroyed', async () => {
    const clients = new UpstreamClients(MOST);
    const origin = clients.addOrigin();
    const [alive, dead] = [clients.add(newClient()), clients.add(newClient())];
    for (const one of [alive, dead]) clients.free(origin, one);
    await dead.client.destroy();
    expect(clients.take(origin)).toBe(alive);
    expect(clients.take(origin)).toBeUndefined();
  });
});
