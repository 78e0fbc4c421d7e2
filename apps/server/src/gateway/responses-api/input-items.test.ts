import type { UserId } from '@switchyard/contract/ids';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CursorPage } from '../../db/paging.ts';
import { readConversationUpTo, storeResponse } from '../../stored-responses/stored-responses.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { createPacedExecutor, createPacedRunner } from '../limits/paced-executor.ts';
import { listInputItems } from './input-items.ts';

const app = await useFeatureApp([]);
const machine = createTestClock(0);
const spaced = createPacedExecutor(machine);
/** A turn as large as may be stored is parsed in about 10 ms. */
const TURN_MAX_MS = 50;
const LARGE_TURNS = 8;
let userId: UserId;
/** Bytes that requests count now. */
let held = 0;
const slot = { grow: (bytes: number) => void (held += bytes) };

beforeAll(async () => {
  userId = (await app.createUser('user')).id;
});

interface List {
  data: { id: string }[];
  last_id: string | null;
  has_more: boolean;
}

async function list(id: string, page: Partial<CursorPage>): Promise<List> {
  const body = { userId, id, slot, page: { limit: 20, after: undefined, isAscending: false, ...page } };
  const text = await advanceWhile(machine, 1, listInputItems(app.ctx, spaced, body));
  return JSON.parse(text ?? 'null') as List;
}

async function store(id: string, previousId: string | undefined, input: unknown[], output: unknown[]) {
  const response = { id, object: 'response', output };
  await storeResponse(app.ctx, userId, { id, previousId, channelId: undefined, input, response });
}

describe('the items of a conversation of three turns', () => {
  beforeAll(async () => {
    await store(
      'a',
      undefined,
      [
        { role: 'user', content: '1' },
        { id: 'named', content: '2' },
      ],
      [{ content: '3' }],
    );
    await store('b', 'a', [{ content: '4' }], [{ content: '5' }, { content: '6' }]);
    await store('c', 'b', [{ content: '7' }, { content: '8' }], [{ content: 'the response' }]);
  });
  const all = ['1', '2', '3', '4', '5', '6', '7', '8'];
  const ids = ['item_0_0', 'named', 'item_0_2', 'item_1_0', 'item_1_1', 'item_1_2', 'item_2_0', 'item_2_1'];

  test.each([1, 2, 3, 7, 8, 20])('are listed in both orders by pages of %i', async (limit) => {
    for (const isAscending of [true, false]) {
      const shown: { id: string; content?: unknown }[] = [];
      for (let after: string | undefined; ; ) {
        const page = await list('c', { limit, isAscending, after });
        expect(page.data.length).toBeLessThanOrEqual(limit);
        shown.push(...page.data);
        after = page.last_id ?? undefined;
        if (!page.has_more) break;
      }
      const inOrder = isAscending ? shown : shown.toReversed();
      expect(inOrder.map(({ content }) => content)).toEqual(all);
      expect(inOrder.map(({ id }) => id)).toEqual(ids);
    }
  });

  test('restarts the page after an unknown item', async () => {
    expect((await list('c', { limit: 2, after: 'none', isAscending: true })).data.map(({ id }) => id)).toEqual(
      ids.slice(0, 2),
    );
  });
});

test.each([true, false])(
  'lists an item that was sent in three turns three times, ascending: %s',
  async (isAscending) => {
    const again = { id: 'again', content: 'x' };
    await store('twice-1', undefined, [again, { content: '1' }], []);
    await store('twice-2', 'twice-1', [again, { content: '2' }], []);
    await store('twice-3', 'twice-2', [again, { content: '3' }], []);
    const shown: string[] = [];
    for (let after: string | undefined, pages = 0; pages < 10; pages += 1) {
      const { data, last_id, has_more } = await list('twice-3', { limit: 1, isAscending, after });
      shown.push(...data.map(({ id }) => id));
      after = last_id ?? undefined;
      if (!has_more) break;
    }
    const ascending = ['again', 'item_0_1', 'again_2', 'item_1_1', 'again_3', 'item_2_1'];
    const descending = ['item_2_1', 'again', 'item_1_1', 'again_2', 'item_0_1', 'again_3'];
    expect(shown).toEqual(isAscending ? ascending : descending);
  },
);

test('lists two hundred thousand items of one id in a moment', async () => {
  const input = Array.from({ length: 200_000 }, (_, nth) => (nth % 2 === 0 ? { id: 'x' } : { id: `x_${nth}` }));
  await store('same', undefined, input, []);
  const readCpuMs = startCpuTimer();
  const { data } = await list('same', { limit: 2, after: 'none', isAscending: true });
  expect(data.map(({ id }) => id)).toEqual(['x', 'x_1']);
  expect(readCpuMs()).toBeLessThan(3_000);
});

describe(`a conversation of ${LARGE_TURNS} turns as large as may be stored`, () => {
  beforeAll(async () => {
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'é"\\n word '.repeat(100) }] };
    const input = Array.from({ length: Math.floor(3_700_000 / JSON.stringify(item).length) }, () => item);
    for (let nth = 0; nth < LARGE_TURNS; nth += 1)
      await store(`large-${nth}`, nth === 0 ? undefined : `large-${nth - 1}`, input, []);
  });
  const last = `large-${LARGE_TURNS - 1}`;

  test.each([
    ['its newest item', { limit: 1 }],
    ['its oldest item', { limit: 1, isAscending: true }],
    ['all of its turns, because of an item that does not exist', { limit: 1, after: 'none' }],
  ])('is listed in turns that let others run: %s', async (_what, page) => {
    const turn = await measureLongestBlockRepeatedly(async () => {
      held = 0;
      expect((await list(last, page)).data).toHaveLength(1);
    });
    expect(turn).toBeLessThan(TURN_MAX_MS);
    // Turns that aren't shown don't count any more.
    expect(held).toBeLessThan(3 * 4_000_000);
  });

  test('reads a conversation in turns that let others run when a request continues it', async () => {
    const reading = { reserveBytes: () => {}, runPaced: createPacedRunner(spaced, userId) };
    const turn = await measureLongestBlockRepeatedly(async () => {
      const turns = await advanceWhile(machine, 1, readConversationUpTo(app.ctx, userId, last, reading));
      expect(turns).toHaveLength(LARGE_TURNS);
    });
    expect(turn).toBeLessThan(TURN_MAX_MS);
  });

  test('renews a conversation once in a hundredth of its lifetime, not with every request', async () => {
    const expiries = () =>
      app.ctx.db.writer.selectFrom('stored_response').select('expires_time').where('id', 'like', 'large-%').execute();
    const before = await expiries();
    app.clock.jump(600);
    await readConversationUpTo(app.ctx, userId, last);
    expect(await expiries()).toEqual(before);
    app.clock.jump(3_600);
    await readConversationUpTo(app.ctx, userId, last);
    expect(await expiries()).not.toEqual(before);
  });
});
