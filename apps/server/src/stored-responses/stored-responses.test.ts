import type { UserId } from '@switchyard/contract/ids';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { setOptions } from '../testing/set-options.ts';
import { useFeatureApp } from '../testing/start-feature-app.ts';
import {
  BACKGROUND_BYTES_MAX,
  findResponse,
  type RunWork,
  readConversationUpTo,
  removeExpiredResponses,
  removeResponse,
  STORED_BYTES_MAX,
  type StoredResponse,
  storeResponse,
  updateLargeResponse,
  updateResponse,
} from './stored-responses.ts';

const app = await useFeatureApp([]);
let alice: UserId;
let bob: UserId;
beforeEach(async () => {
  await app.ctx.db.writer.deleteFrom('stored_response').execute();
  await setOptions(app.ctx, { StoredResponseHours: '720' });
  alice = (await app.createUser('user')).id;
  bob = (await app.createUser('user')).id;
});

const turn = (id: string, previousId?: string, text = id): StoredResponse => ({
  id,
  previousId,
  channelId: undefined,
  input: [{ role: 'user', content: text }],
  response: { id, object: 'response', output: [] },
});
const HOUR = 3_600;

describe('a stored response', () => {
  it('finds a stored response for its owner only', async () => {
    await storeResponse(app.ctx, alice, turn('resp_1'));
    expect(await findResponse(app.ctx, alice, 'resp_1')).toEqual(turn('resp_1'));
    expect(await findResponse(app.ctx, bob, 'resp_1')).toBeUndefined();
    expect(await readConversationUpTo(app.ctx, bob, 'resp_1')).toBeUndefined();
    expect(await removeResponse(app.ctx, bob, 'resp_1')).toBe(false);
  });

  it('serializes its texts by the given runner, which paces long ones', async () => {
    const texts: unknown[] = [];
    const run: RunWork = async (work) => {
      const text = work();
      texts.push(text);
      return text;
    };
    const stored = turn('resp_1');
    await storeResponse(app.ctx, alice, stored, { run });
    expect(texts).toEqual([JSON.stringify(stored.input), JSON.stringify(stored.response)]);
    await updateResponse(app.ctx, alice, { ...stored.response, id: 'resp_1' }, { run });
    expect(texts).toHaveLength(3);
  });

  it('does not conflict with another user’s response of the same id', async () => {
    await storeResponse(app.ctx, alice, turn('resp_1', undefined, 'alice'));
    expect(await storeResponse(app.ctx, bob, turn('resp_1', undefined, 'bob'))).toBe(true);
    expect((await findResponse(app.ctx, alice, 'resp_1'))?.input).toEqual([{ role: 'user', content: 'alice' }]);
    expect((await findResponse(app.ctx, bob, 'resp_1'))?.input).toEqual([{ role: 'user', content: 'bob' }]);
  });

  it('deletes a response when its owner has ten thousand newer ones', async () => {
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
      insert into stored_response
      select 'old_' || i, ${alice}, null, null, i, 4102444800, '[]', '{}', null from n`.execute(app.ctx.db.writer);
    await storeResponse(app.ctx, alice, turn('resp_1'), { random: () => 0 });
    expect(await findResponse(app.ctx, alice, 'old_1')).toBeUndefined();
    expect(await findResponse(app.ctx, alice, 'old_2')).toBeDefined();
    expect(await findResponse(app.ctx, alice, 'resp_1')).toBeDefined();
  });

  it('does not make the next ones slow', async () => {
    const text = 'x'.repeat(STORED_BYTES_MAX / 2);
    for (let count = 0; count < 50; count++) await storeResponse(app.ctx, alice, turn(`${count}`, '', text));
    const readCpuMs = startCpuTimer();
    for (let count = 0; count < 10; count++) await storeResponse(app.ctx, alice, turn(`resp_${count}`));
    expect(readCpuMs()).toBeLessThan(500);
  });

  it('returns the whole conversation from its start', async () => {
    await storeResponse(app.ctx, alice, turn('resp_1'));
    await storeResponse(app.ctx, alice, turn('resp_2', 'resp_1'));
    await storeResponse(app.ctx, alice, turn('resp_3', 'resp_2'));
    const turns = await readConversationUpTo(app.ctx, alice, 'resp_3');
    expect(turns?.map(({ id }) => id)).toEqual(['resp_1', 'resp_2', 'resp_3']);
  });

  it('expires after its retention, which a continuation renews for all earlier responses', async () => {
    await setOptions(app.ctx, { StoredResponseHours: '2' });
    await storeResponse(app.ctx, alice, turn('resp_1'));
    await storeResponse(app.ctx, alice, turn('resp_2', 'resp_1'));
    app.clock.advance(HOUR);
    await readConversationUpTo(app.ctx, alice, 'resp_2');
    app.clock.advance(HOUR + 1);
    expect(await findResponse(app.ctx, alice, 'resp_1')).toBeDefined();
    app.clock.advance(HOUR);
    expect(await findResponse(app.ctx, alice, 'resp_1')).toBeUndefined();
    expect(await removeExpiredResponses(app.ctx)).toBe(2);
  });

  it('finds no conversation when a response continues a missing one or itself', async () => {
    await storeResponse(app.ctx, alice, turn('resp_2', 'resp_1'));
    expect(await readConversationUpTo(app.ctx, alice, 'resp_2')).toBeUndefined();
    await storeResponse(app.ctx, alice, turn('resp_3', 'resp_3'));
    expect(await readConversationUpTo(app.ctx, alice, 'resp_3')).toBeUndefined();
  });

  it('stores no response that is too large, and none while storage is off', async () => {
    expect(await storeResponse(app.ctx, alice, turn('resp_1', undefined, 'x'.repeat(STORED_BYTES_MAX)))).toBe(false);
    await setOptions(app.ctx, { StoredResponseHours: '0' });
    expect(await storeResponse(app.ctx, alice, turn('resp_2'))).toBe(false);
    expect(await findResponse(app.ctx, alice, 'resp_2')).toBeUndefined();
  });

  it('makes room by the oldest of the same user', async () => {
    const large = 'x'.repeat(3 * 1_048_576);
    await storeResponse(app.ctx, bob, turn('resp_bob'));
    for (let count = 0; count < 44; count += 1) {
      app.clock.advance(1);
      await storeResponse(app.ctx, alice, turn(`resp_${count}`, undefined, large));
    }
    expect(await findResponse(app.ctx, alice, 'resp_0')).toBeUndefined();
    expect(await findResponse(app.ctx, alice, 'resp_43')).toBeDefined();
    expect(await findResponse(app.ctx, bob, 'resp_bob')).toBeDefined();
  });

  it('replaces a background response by one that is larger than others may be', async () => {
    await storeResponse(app.ctx, alice, turn('resp_1'));
    const large = { id: 'resp_1', text: 'x'.repeat(STORED_BYTES_MAX) };
    expect(await updateResponse(app.ctx, alice, large)).toBe(false);
    const updateLarge = (userId: number, response: { id: string; text: string }) =>
      updateLargeResponse(app.ctx, userId, { id: response.id, response: JSON.stringify(response) });
    expect(await updateLarge(bob, large)).toBe(false);
    expect(await updateLarge(alice, { id: 'resp_1', text: 'x'.repeat(BACKGROUND_BYTES_MAX) })).toBe(false);
    expect(await findResponse(app.ctx, alice, 'resp_1')).toEqual(turn('resp_1'));
    expect(await updateLarge(alice, large)).toBe(true);
    expect((await findResponse(app.ctx, alice, 'resp_1'))?.response['text']).toHaveLength(STORED_BYTES_MAX);
  });

  it('makes room for a response that becomes large', async () => {
    const response = JSON.stringify({ text: 'x'.repeat(15 * 1_048_576) });
    for (let count = 0; count < 9; count += 1) {
      app.clock.advance(1);
      await storeResponse(app.ctx, alice, turn(`resp_${count}`));
      await updateLargeResponse(app.ctx, alice, { id: `resp_${count}`, response });
    }
    expect(await findResponse(app.ctx, alice, 'resp_0')).toBeUndefined();
    expect(await findResponse(app.ctx, alice, 'resp_1')).toBeDefined();
    expect(await findResponse(app.ctx, alice, 'resp_8')).toBeDefined();
  });

  it('looks for what to forget once in some megabytes, not with every answer', async () => {
    const large = 'x'.repeat(3 * 1_048_576);
    for (let count = 0; count < 44; count += 1) {
      app.clock.advance(1);
      await storeResponse(app.ctx, alice, turn(`resp_${count}`, undefined, large), { random: () => 1.6 });
    }
    app.clock.advance(1);
    await storeResponse(app.ctx, alice, turn('resp_small'), { random: () => 0.001 });
    expect(await findResponse(app.ctx, alice, 'resp_0')).toBeDefined();
    await storeResponse(app.ctx, alice, turn('resp_due'), { random: () => 0 });
    expect(await findResponse(app.ctx, alice, 'resp_0')).toBeUndefined();
    expect(await findResponse(app.ctx, alice, 'resp_due')).toBeDefined();
  });
});
