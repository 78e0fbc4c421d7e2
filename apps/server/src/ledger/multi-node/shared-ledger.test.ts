/** Behaviour of the ledger on PostgreSQL only; `tests/engines/ledger.test.ts` covers what both databases promise. */
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createConsumeRecord } from '../../../../../tests/faults/consume-record.ts';
import { type FaultyProxy, startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { createMigratedDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import { openTestLedger, type TestLedger } from '../../testing/test-ledger.ts';
import { waitUntilLocked } from '../../testing/wait-until-locked.ts';
import { readWrittenCharge } from './late-charge.ts';

const NO_RESPONSE = { status: null, content_type: null, body: null };
const JOURNAL = 'unwritten-ends.jsonl';
const DAMAGED = 'unwritten-ends.damaged.jsonl';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let place = '';
let books: TestLedger;
let other: TestLedger;
/** The clock of both nodes' machines. */
let machine: TestClock;

beforeAll(async () => {
  server = await sharedPostgres();
});
beforeEach(async (context) => {
  if (server === undefined) return context.skip('PostgreSQL is not installed here');
  place = await createMigratedDatabase(server);
  const clock = createTestClock(Date.parse('2026-11-20T14:00:00Z'));
  machine = createTestClock(0);
  books = await openTestLedger({ place, clock, machine });
  other = await openTestLedger({ place, clock, machine });
  await books.ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.openKeyAccount(7, 1, 1_000);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 10_000, note: '' });
  });
});
afterEach(async () => {
  await books.close();
  await other.close();
});

const holdOf = (requestId: string, amount: number, more = {}) => ({
  requestId,
  userId: 1,
  apiKeyId: null,
  limited: false,
  amount,
  ...more,
});

test('raises no hold that another node has ended', async () => {
  await books.ledger.hold(holdOf('a', 500));
  await other.db.writer.transaction().execute(async (trx) => {
    await trx.deleteFrom('hold').where('request_id', '=', 'a').execute();
    await trx.updateTable('user_account').set({ held: 0 }).execute();
  });
  await expect(books.ledger.hold(holdOf('a', 900))).rejects.toMatchObject({ code: 'unavailable' });
  expect(await other.ledger.readAvailable(1)).toBe(10_000);
  expect(await books.listDiscrepancies()).toEqual([]);
});

test('a hold that a task has since a commit of unknown outcome is not released by its request', async () => {
  await books.ledger.hold(holdOf('a', 500));
  await other.db.writer.updateTable('hold').set({ lasting: 1, node_id: null }).execute();
  books.ledger.release('a');
  await books.ledger.hold(holdOf('b', 100));
  expect(await other.db.writer.selectFrom('hold').select('request_id').orderBy('request_id').execute()).toEqual([
    { request_id: 'a' },
    { request_id: 'b' },
  ]);
  await other.ledger.settleLasting('a', createConsumeRecord('a', 1, null, 500), 500);
  expect(await books.ledger.readAvailable(1)).toBe(10_000 - 500 - 100);
});

test('ending holds on one node while tasks release theirs on another does not deadlock', async () => {
  for (let round = 0; round < 12; round += 1) {
    const ids = Array.from({ length: 8 }, (_, n) => `r${round}.${n}`);
    await Promise.all(ids.map((id) => books.ledger.hold(holdOf(id, 10, { apiKeyId: 7 }))));
    await Promise.all(ids.map((id) => books.ledger.transaction((_trx, moves) => moves.keepHold(id))));
    const ends = ids.map((id, n) =>
      n % 2 === 0
        ? other.ledger.settleLasting(id, createConsumeRecord(id, 1, 7, 1), 1)
        : other.ledger.settleLasting(id, createConsumeRecord(id, 1, 7, 0)),
    );
    const given = ids.map((id) => books.ledger.transaction((_trx, moves) => moves.releaseHold(id)));
    await Promise.all([...ends, ...given]);
  }
  expect(await books.listDiscrepancies()).toEqual([]);
  // A connection's counts are added at its end at the latest.
  await Promise.all([books.restart(), other.restart()]);
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(books.db.writer);
  expect(rows).toEqual([{ deadlocks: 0 }]);
});

test('a limit that is set while another node charges the key loses nothing of the charge', async () => {
  const charging = new Client({ connectionString: place });
  await charging.connect();
  await charging.query('begin; update key_account set remaining = remaining - 300 where api_key_id = 7');
  await charging.query(`insert into ledger_entry (created_at, kind, ref, user_id, api_key_id, user_amount, key_amount, note)
    values (1, 'charge', 'a', 1, 7, 0, -300, '')`);
  const set = books.ledger.transaction((_trx, moves) => moves.setKeyRemaining(7, 1, 5_000));
  await waitUntilLocked(place);
  await charging.query('commit');
  await charging.end();
  await set;
  const { rows } = await sql<{ remaining: number; computed: number }>`
    select remaining, (select sum(key_amount) from ledger_entry where api_key_id = 7) as computed
    from key_account where api_key_id = 7`.execute(books.db.writer);
  expect(rows).toEqual([{ remaining: 5_000, computed: 5_000 }]);
});

test('a charge or a failure that is written long after its call belongs to the hour in which it is written', async () => {
  const now = Date.parse('2026-11-20T14:00:00Z') / 1000;
  for (const [id, age] of [
    ['soon', 200],
    ['late', 4_000],
  ] as const) {
    await books.ledger.hold(holdOf(id, 100));
    await books.ledger.settle(id, 50, { ...createConsumeRecord(id, 1, null, 50), created_at: now - age });
  }
  await books.ledger.hold(holdOf('failed', 100));
  books.ledger.release('failed', {
    ...createConsumeRecord('failed', 1, null, 0),
    type: 'error',
    created_at: now - 4_000,
  });
  await books.ledger.transaction(async () => {});
  const records = await books.db.writer
    .selectFrom('usage_record')
    .select(['request_id', 'created_at'])
    .where('type', 'in', ['consume', 'error'])
    .orderBy('id')
    .execute();
  expect(records).toEqual([
    { request_id: 'soon', created_at: now - 200 },
    { request_id: 'late', created_at: now },
    { request_id: 'failed', created_at: now },
  ]);
  expect(await books.listDiscrepancies()).toEqual([]);
});

test('settles the holds of a dead node by the last checkpoint, or releases them', async () => {
  await other.ledger.hold(holdOf('seen', 500));
  await other.ledger.hold(holdOf('unseen', 500));
  other.ledger.checkpoint('seen', 120, createConsumeRecord('seen', 1, null, 120));
  const { writer } = books.db;
  await expect
    .poll(() => writer.selectFrom('hold').select('checkpoint').where('checkpoint', 'is not', null).execute())
    .toHaveLength(1);
  const held = await writer.selectFrom('hold').select('node_id').executeTakeFirstOrThrow();
  await writer
    .updateTable('node')
    .set({ lease_until: 0 })
    .where('id', '=', held.node_id ?? 0)
    .execute();
  const chargeLater = (): Promise<number | undefined> => {
    machine.advance(1);
    return books.ledger.readCharge('seen');
  };
  await expect.poll(chargeLater, { interval: 10 }).toBe(120);
  await expect.poll(() => books.ledger.readAvailable(1)).toBe(9_880);
  // It may have changed rows that the others have in memory, and been killed before the notification.
  await expect
    .poll(() => writer.selectFrom('change_version').select('version').where('topic', '=', 'api-keys').execute())
    .toHaveLength(1);
  expect(await books.listDiscrepancies()).toEqual([]);
});

describe('after the holds of a living node were ended by another one', () => {
  const giveUpNode = async (): Promise<void> => {
    const held = await books.db.writer.selectFrom('hold').select('node_id').executeTakeFirstOrThrow();
    await books.db.writer
      .updateTable('node')
      .set({ lease_until: 0 })
      .where('id', '=', held.node_id ?? 0)
      .execute();
    await expect
      .poll(
        () => {
          machine.advance(1);
          return books.db.writer.selectFrom('hold').selectAll().execute();
        },
        { interval: 10 },
      )
      .toEqual([]);
  };
  const settle = (id: string, charge: number, on = other) =>
    on.ledger.settle(id, charge, createConsumeRecord(id, 1, null, charge));
  const recorded = () =>
    books.db.writer
      .selectFrom('usage_record')
      .select(['request_id', 'quota'])
      .where('type', '=', 'consume')
      .orderBy('id')
      .execute();

  test.each([
    { already: undefined, charge: 400, records: [['a', 400]] },
    {
      already: 120,
      charge: 400,
      records: [
        ['a', 120],
        ['a-late', 280],
      ],
    },
    { already: 120, charge: 120, records: [['a', 120]] },
    { already: undefined, charge: 10_300, records: [['a', 10_300]] },
  ])('charges $charge points in all for a response that was charged $already', async (row) => {
    await other.ledger.hold(holdOf('a', 500));
    if (row.already !== undefined) {
      other.ledger.checkpoint('a', row.already, createConsumeRecord('a', 1, null, row.already));
      await other.ledger.transaction(async () => {});
    }
    await giveUpNode();
    expect(await books.ledger.readCharge('a')).toBe(row.already);
    await settle('a', row.charge);
    expect(await books.ledger.readCharge('a')).toBe(row.charge);
    expect(await other.ledger.readAvailable(1)).toBe(10_000 - row.charge);
    expect((await recorded()).map(({ request_id, quota }) => [request_id, quota])).toEqual(row.records);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('a late response to a request that another node sends again is not charged', async () => {
    await other.ledger.hold(holdOf('a', 500, { isSentAgain: true }));
    await giveUpNode();
    await settle('a', 400);
    expect(await other.ledger.readAvailable(1)).toBe(10_000);
    expect(await recorded()).toEqual([]);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('a late response that no client has received is not charged, unless its hold is still open', async () => {
    const settleUnreceived = (id: string, on: TestLedger) =>
      on.ledger.settle(id, 400, createConsumeRecord(id, 1, null, 400), false);
    await other.ledger.hold(holdOf('a', 500));
    await giveUpNode();
    await settleUnreceived('a', other);
    expect(await books.ledger.readCharge('a')).toBeUndefined();
    await books.ledger.hold(holdOf('b', 500));
    await settleUnreceived('b', books);
    expect(await books.ledger.readCharge('b')).toBe(400);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('an accepted task is reserved again, beyond the balance too, and is charged once', async () => {
    await other.ledger.hold(holdOf('a', 500, { apiKeyId: 7, limited: true }));
    await giveUpNode();
    await books.ledger.hold(holdOf('b', 9_900));
    await settle('b', 9_900, books);
    await other.ledger.transaction((_trx, moves) => moves.keepHold('a'));
    expect(await books.ledger.readAvailable(1)).toBe(100 - 500);
    expect(other.ledger.openHolds).toBe(0);
    other.ledger.release('a');
    for (const on of [books, other]) {
      const record = createConsumeRecord('a', 1, 7, 400);
      expect(await on.ledger.settleLasting('a', record, 400)).toBe(400);
    }
    expect(await books.ledger.readAvailable(1)).toBe(100 - 400);
    expect(await books.ledger.readBudget(1, 7)).toEqual({ total: 1_000, used: 400 });
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('a request that another node sends again keeps no hold for a task', async () => {
    await other.ledger.hold(holdOf('a', 500, { isSentAgain: true }));
    await giveUpNode();
    const kept = other.ledger.transaction((_trx, moves) => moves.keepHold('a'));
    await expect(kept).rejects.toThrow('a hold that does not exist');
    expect(await books.ledger.readAvailable(1)).toBe(10_000);
  });

  describe('a late response to a request with an Idempotency-Key', () => {
    const idempotencyKey = { scope: 'relay 1 7', key: 'k' };
    const claim = (requestId: string) =>
      books.db.writer
        .insertInto('idempotency_key')
        .values({
          ...idempotencyKey,
          request_id: requestId,
          user_id: 1,
          fingerprint: '',
          created_at: 0,
          ...NO_RESPONSE,
        })
        .execute();

    test.each([
      { keptBy: 'this request', holder: 'a', charge: 400 },
      { keptBy: 'a repeated request', holder: 'b', charge: undefined },
      { keptBy: 'no request', holder: undefined, charge: undefined },
    ])('takes $charge points if its key is kept by $keptBy', async ({ holder, charge }) => {
      if (holder !== undefined) await claim(holder);
      await other.ledger.hold(holdOf('a', 500, { idempotencyKey }));
      await giveUpNode();
      await settle('a', 400);
      expect(await books.ledger.readCharge('a')).toBe(charge);
      expect(await other.ledger.readAvailable(1)).toBe(10_000 - (charge ?? 0));
      expect(await books.listDiscrepancies()).toEqual([]);
    });

    test.each([
      { keptBy: 'this request', holder: 'a', available: 9_500 },
      { keptBy: 'a repeated request', holder: 'b', available: 10_000 },
    ])('leaves $available points when it is a task and its key is kept by $keptBy', async ({ holder, available }) => {
      await claim(holder);
      await other.ledger.hold(holdOf('a', 500, { idempotencyKey }));
      await giveUpNode();
      const kept = other.ledger.transaction((_trx, moves) => moves.keepHold('a'));
      if (holder === 'a') await kept;
      else await expect(kept).rejects.toThrow('a repeated request has replaced this one');
      expect(await books.ledger.readAvailable(1)).toBe(available);
      expect(await books.listDiscrepancies()).toEqual([]);
    });

    test('takes nothing while another node releases its key', async () => {
      await claim('a');
      await other.ledger.hold(holdOf('a', 500, { idempotencyKey }));
      await giveUpNode();
      let settled: Promise<void> | undefined;
      await books.db.writer.transaction().execute(async (trx) => {
        await trx.deleteFrom('idempotency_key').execute();
        settled = settle('a', 400);
        await waitUntilLocked(place);
        expect(await readWrittenCharge(trx, 'a')).toBeUndefined();
      });
      await settled;
      expect(await books.ledger.readCharge('a')).toBeUndefined();
    });

    test('keeps its key when it is charged while another node releases the key', async () => {
      await claim('a');
      await other.ledger.hold(holdOf('a', 500, { idempotencyKey }));
      await giveUpNode();
      const entries = new Client({ connectionString: place });
      await entries.connect();
      // The late charge has locked the key and waits to be written.
      await entries.query('begin; lock table ledger_entry in exclusive mode');
      const settled = settle('a', 400);
      await waitUntilLocked(place);
      const released = books.db.writer.transaction().execute(async (trx) => {
        await trx.deleteFrom('idempotency_key').execute();
        expect(await readWrittenCharge(trx, 'a')).toBe(400);
      });
      await waitUntilLocked(place, 2);
      await entries.query('commit');
      await Promise.all([settled, released]);
      await entries.end();
    });
  });

  test('a late response is charged once, although the commit is repeated', async () => {
    const line = await startFaultyProxy(place);
    const clock = createTestClock(undefined);
    const cutOff = await openTestLedger({ place: line.url, clock, machine });
    await cutOff.ledger.hold(holdOf('a', 500));
    await giveUpNode();
    line.cut();
    await settle('a', 300, cutOff);
    line.restore();
    for (let tries = 0; tries < 3; tries += 1) {
      clock.advance(1);
      await cutOff.ledger.transaction(async () => {}).catch(() => {});
    }
    await expect.poll(() => books.ledger.readCharge('a')).toBe(300);
    await cutOff.close();
    await line.close();
    expect(await recorded()).toHaveLength(1);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('a hold that outlives its request is never charged a second time', async () => {
    await other.ledger.hold(holdOf('a', 500, { lasting: true }));
    await books.ledger.settleLasting('a', createConsumeRecord('a', 1, null, 0));
    await other.ledger.settleLasting('a', createConsumeRecord('a', 1, null, 300), 300);
    expect(await books.ledger.readAvailable(1)).toBe(10_000);
    expect((await recorded()).map(({ quota }) => quota)).toEqual([0]);
  });

  test('the node is notified, and holds again under a new lease', async () => {
    let calls = 0;
    other.ledger.onLeaseLost(() => {
      calls += 1;
    });
    await other.ledger.hold(holdOf('a', 500));
    await giveUpNode();
    const holdAgain = (): Promise<unknown> => {
      machine.advance(1);
      return other.ledger.hold(holdOf('b', 500)).catch(() => undefined);
    };
    await expect.poll(holdAgain, { interval: 10 }).toEqual({ held: true });
    await expect.poll(() => calls, { interval: 10 }).toBe(1);
    await settle('b', 10);
    expect(await books.listDiscrepancies()).toEqual([]);
  });
});

describe('while the database is away', () => {
  let line: FaultyProxy;
  let dataDir: string;
  let cutOff: TestLedger;
  let clock: TestClock;
  let next: TestLedger | undefined;

  beforeEach(async () => {
    line = await startFaultyProxy(place);
    dataDir = mkdtempSync(join(tmpdir(), 'switchyard-cut-off-'));
    clock = createTestClock(undefined);
    cutOff = await openTestLedger({ place: line.url, dataDir, clock });
    await cutOff.ledger.hold(holdOf('a', 500));
  });
  afterEach(async () => {
    await (next ?? cutOff).close();
    next = undefined;
    await line.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A second later, by when what could not be written is tried again. */
  const chargeLater = (): Promise<number | undefined> => {
    clock.advance(1);
    return books.ledger.readCharge('a');
  };

  test('no hold is accepted, and settlements are charged when it is back', async () => {
    line.cut();
    await expect(cutOff.ledger.hold(holdOf('b', 500))).rejects.toMatchObject({ code: 'unavailable' });
    await cutOff.ledger.settle('a', 300, createConsumeRecord('a', 1, null, 300));
    expect(await cutOff.ledger.readCharge('a')).toBe(300);
    expect(await books.ledger.readCharge('a')).toBeUndefined();
    line.restore();
    await expect.poll(chargeLater).toBe(300);
    await expect.poll(() => books.ledger.readAvailable(1)).toBe(9_700);
    await expect.poll(() => readdirSync(dataDir)).toEqual([]);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('settlements are charged once by the next process if this one is killed before', async () => {
    line.cut();
    await cutOff.ledger.settle('a', 300, createConsumeRecord('a', 1, null, 300));
    await cutOff.close();
    line.restore();
    next = await openTestLedger({ place, dataDir });
    await expect.poll(chargeLater).toBe(300);
    await expect.poll(() => readdirSync(dataDir)).toEqual([]);
    await next.restart();
    expect(await books.ledger.readAvailable(1)).toBe(9_700);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('a request whose hold could not grow is charged for its delivered part', async () => {
    line.cut();
    for (const amount of [900, 1_000])
      await expect(cutOff.ledger.hold(holdOf('a', amount))).rejects.toMatchObject({ code: 'unavailable' });
    await cutOff.ledger.settle('a', 300, createConsumeRecord('a', 1, null, 300));
    line.restore();
    await expect.poll(chargeLater).toBe(300);
    await expect.poll(() => books.ledger.readAvailable(1)).toBe(9_700);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('a full disk stops nothing: settlements are charged when the database is back', async () => {
    mkdirSync(join(dataDir, JOURNAL));
    line.cut();
    await cutOff.ledger.settle('a', 300, createConsumeRecord('a', 1, null, 300));
    rmSync(join(dataDir, JOURNAL), { recursive: true });
    line.restore();
    await expect.poll(chargeLater).toBe(300);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('a line that a full disk cut short takes no other with it', async () => {
    appendFileSync(join(dataDir, JOURNAL), '{"type":"settle","hold":{"requestId":"lost');
    line.cut();
    await cutOff.ledger.settle('a', 300, createConsumeRecord('a', 1, null, 300));
    await cutOff.close();
    line.restore();
    next = await openTestLedger({ place, dataDir });
    await expect.poll(chargeLater).toBe(300);
    await expect.poll(() => readdirSync(dataDir)).toEqual([]);
    expect(await books.listDiscrepancies()).toEqual([]);
  });

  test('an unreadable outbox is kept beside earlier ones, and delays nothing', async () => {
    const damaged = ['first', 'second'].map((id) => `{"type":"settle","hold":{"requestId":"${id}`);
    await cutOff.close();
    next = undefined;
    for (const text of damaged) {
      appendFileSync(join(dataDir, JOURNAL), `${text}\n`);
      cutOff = await openTestLedger({ place, dataDir });
      expect(readdirSync(dataDir)).toEqual([DAMAGED]);
      await cutOff.close();
    }
    appendFileSync(join(dataDir, JOURNAL), '{"type":"set');
    cutOff = await openTestLedger({ place, dataDir });
    expect(readFileSync(join(dataDir, DAMAGED), 'utf8')).toBe(`${damaged.join('\n')}\n`);
    expect(readdirSync(dataDir)).toEqual([DAMAGED]);
  });
});
