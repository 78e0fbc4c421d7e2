import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../../../tests/conformance/seeded-random.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { createSystemResolver, DnsQueueTimeoutError } from './system-resolver.ts';

const CONNECT_MS = 10_000;
/** Time between two events of a random history. */
const STEP_SECONDS = 0.1;
const at = (address: string): LookupAddress[] => [{ address, family: 4 }];
const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Scripted C library that responds when the test decides. */
function startScene() {
  const clock = createTestClock(0);
  const running: { host: string; settle: PromiseWithResolvers<LookupAddress[]> }[] = [];
  let requestCount = 0;
  const resolve = createSystemResolver(clock, (host) => {
    requestCount += 1;
    const settle = Promise.withResolvers<LookupAddress[]>();
    running.push({ host, settle });
    return settle.promise;
  });
  /** Lets everything happen that needs no time. */
  const settled = () => new Promise((done) => setImmediate(done));
  const answer = async (host: string, result: LookupAddress[] | Error) => {
    await settled();
    const index = running.findIndex((one) => one.host === host);
    const [found] = running.splice(index, 1);
    if (index === -1 || found === undefined) throw new Error(`${host} was not looked up`);
    if (result instanceof Error) found.settle.reject(result);
    else found.settle.resolve(result);
    await settled();
  };
  /** Makes a name known, by a lookup that takes no time. */
  const learn = async (host: string, address: string) => {
    const learned = resolve(host, CONNECT_MS);
    await answer(host, at(address));
    await learned;
  };
  const hosts = () => running.map(({ host }) => host);
  return { clock, resolve, answer, learn, settled, hosts, asked: () => requestCount };
}

describe('createSystemResolver', () => {
  test('shares one lookup among concurrent callers', async () => {
    const { resolve, answer, asked } = startScene();
    const all = ['vendor.test', 'vendor.test', 'Vendor.test'].map((host) => resolve(host, CONNECT_MS));
    await answer('vendor.test', at('192.0.2.1'));
    expect(await Promise.all(all)).toEqual([at('192.0.2.1'), at('192.0.2.1'), at('192.0.2.1')]);
    expect(asked()).toBe(1);
  });

  test('repeats a lookup whose result took no time', async () => {
    const { clock, resolve, learn, answer } = startScene();
    await learn('vendor.test', '192.0.2.1');
    clock.advance(0.001);
    const again = resolve('vendor.test', CONNECT_MS);
    await answer('vendor.test', at('192.0.2.2'));
    expect(await again).toEqual(at('192.0.2.2'));
  });

  test('resolves a known name while other names are not resolved', async () => {
    const { clock, resolve, learn, answer, settled, hosts } = startScene();
    await learn('vendor.test', '192.0.2.1');
    clock.advance(0.001);
    const dead = Array.from({ length: 10 }, (_, nth) => resolve(`dead-${nth}.test`, CONNECT_MS));
    for (const one of dead) one.catch(() => {});
    await settled();
    const known = resolve('vendor.test', CONNECT_MS);
    await answer('vendor.test', at('192.0.2.2'));
    expect(await known).toEqual(at('192.0.2.2'));
    expect(hosts()).toEqual(['dead-0.test']);
  });

  test.each(['EAI_AGAIN', 'EAI_FAIL', 'EMFILE'])('uses the last known addresses after %s', async (code) => {
    const { clock, resolve, learn, answer } = startScene();
    await learn('vendor.test', '192.0.2.1');
    clock.advance(3_599);
    const later = resolve('vendor.test', CONNECT_MS);
    await answer('vendor.test', failure(code));
    expect(await later).toEqual(at('192.0.2.1'));
    clock.advance(2);
    const tooLate = resolve('vendor.test', CONNECT_MS);
    tooLate.catch(() => {});
    await answer('vendor.test', failure(code));
    await expect(tooLate).rejects.toMatchObject({ code });
  });

  test('forgets the addresses of a name that no longer exists', async () => {
    const { clock, resolve, learn, answer } = startScene();
    await learn('vendor.test', '192.0.2.1');
    for (const code of ['ENOTFOUND', 'EAI_AGAIN']) {
      clock.advance(0.001);
      const gone = resolve('vendor.test', CONNECT_MS);
      gone.catch(() => {});
      await answer('vendor.test', failure(code));
      await expect(gone).rejects.toMatchObject({ code });
    }
  });

  test.each([
    [10_000, 1.8],
    [1_000, 0.5],
  ])('waits for a known name no longer than the connection can, of %i ms', async (connectMs, seconds) => {
    const { clock, resolve, learn, settled } = startScene();
    await learn('vendor.test', '192.0.2.1');
    clock.advance(0.001);
    let resolved = false;
    const first = resolve('vendor.test', connectMs).finally(() => (resolved = true));
    await settled();
    clock.advance(seconds - 0.001);
    await settled();
    expect(resolved).toBe(false);
    clock.advance(0.001);
    expect(await first).toEqual(at('192.0.2.1'));
    // The lookup is late for all callers; the next one does not wait.
    expect(await resolve('vendor.test', connectMs)).toEqual(at('192.0.2.1'));
  });

  test('fails without a lookup after it was queued for half of the connection’s time limit', async () => {
    const { clock, resolve, answer, settled, hosts } = startScene();
    resolve('dead.test', CONNECT_MS).catch(() => {});
    const waiting = ['one.test', 'two.test'].map((host) => resolve(host, CONNECT_MS));
    for (const one of waiting) one.catch(() => {});
    await settled();
    clock.advance(5);
    for (const one of waiting) await expect(one).rejects.toBeInstanceOf(DnsQueueTimeoutError);
    const patient = resolve('two.test', CONNECT_MS);
    await answer('dead.test', failure('EAI_AGAIN'));
    expect(hosts()).toEqual(['two.test']);
    await answer('two.test', at('192.0.2.2'));
    expect(await patient).toEqual(at('192.0.2.2'));
  });

  test('looks up a new name before names that failed', async () => {
    const { clock, resolve, answer, settled, hosts } = startScene();
    const ask = (host: string): void => void resolve(host, CONNECT_MS).catch(() => {});
    const dead = ['dead-0.test', 'dead-1.test', 'dead-2.test'];
    for (const host of dead) {
      ask(host);
      await answer(host, failure('EAI_AGAIN'));
    }
    clock.advance(0.001);
    for (const host of dead) ask(host);
    await settled();
    ask('new.test');
    expect(hosts()).toEqual(['dead-0.test']);
    await answer('dead-0.test', failure('EAI_AGAIN'));
    expect(hosts()).toEqual(['new.test']);
  });

  test.each([
    [1, 3],
    [5, 15],
    [20, 30],
  ])('reuses the result of a lookup of %i s', async (tookSeconds, holdsSeconds) => {
    const { clock, resolve, answer, settled, asked } = startScene();
    const first = resolve('dead.test', CONNECT_MS);
    first.catch(() => {});
    await settled();
    clock.advance(tookSeconds);
    await answer('dead.test', failure('EAI_AGAIN'));
    clock.advance(holdsSeconds - 0.001);
    await expect(resolve('dead.test', CONNECT_MS)).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    expect(asked()).toBe(1);
    clock.advance(0.001);
    resolve('dead.test', CONNECT_MS).catch(() => {});
    await settled();
    expect(asked()).toBe(2);
  });

  test('runs at most two lookups, and never delays a known name', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = new SeededRandom(seed);
      const { clock, resolve, learn, answer, settled, hosts } = startScene();
      for (let nth = 0; nth < 5; nth += 1) await learn(`known-${nth}.test`, `192.0.2.${nth}`);
      let slowestMs = 0;
      let open = 0;
      for (let step = 0; step < 200; step += 1) {
        const isKnown = random.chance(0.5);
        const host = `${isKnown ? 'known' : 'dead'}-${random.below(5)}.test`;
        const askedAt = clock.elapsed();
        open += isKnown ? 1 : 0;
        resolve(host, CONNECT_MS).then(
          () => {
            open -= 1;
            slowestMs = Math.max(slowestMs, clock.elapsed() - askedAt);
          },
          () => {},
        );
        await settled();
        expect(hosts().length).toBeLessThanOrEqual(2);
        if (hosts().length > 0 && random.chance(0.05)) await answer(random.pick(hosts()), failure('EAI_AGAIN'));
        clock.advance(STEP_SECONDS);
      }
      for (let passed = 0; passed < 1.8; passed += STEP_SECONDS) {
        clock.advance(STEP_SECONDS);
        await settled();
      }
      expect({ seed, open }).toEqual({ seed, open: 0 });
      expect(slowestMs).toBeLessThanOrEqual(1_800 + STEP_SECONDS * 1_000);
    }
  });
});
