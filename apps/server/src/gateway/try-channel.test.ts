import { apiKeySetting } from '@switchyard/contract/api-keys';
import { afterEach, describe, expect, it } from 'vitest';
import { ANTHROPIC, type RelayScene, startRelayScene } from '../testing/relay-scene.ts';

let scene: RelayScene;
afterEach(() => scene.close());

const strict = { unlimited_quota: true, setting: apiKeySetting.parse({ strict_translation: true }) };

describe('what the dialect of a channel cannot carry', () => {
  it('is left out, and named to the client and in the record', async () => {
    scene = await startRelayScene();
    await scene.newChannel({ type: ANTHROPIC });
    const answer = await scene.chat('scripted', { seed: 7 });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-switchyard-dropped')).toBe('seed');
    await scene.settled();
    const [record] = await scene.records();
    expect(JSON.parse(record?.detail ?? '')).toMatchObject({ dropped: ['seed'] });
  });

  it('is refused for a token that wants nothing left out, and nothing is sent or charged', async () => {
    scene = await startRelayScene();
    await scene.newChannel({ type: ANTHROPIC });
    const key = await scene.newKey(strict);
    const before = await scene.balance();
    const answer = await scene.chat('scripted', { seed: 7 }, key);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: 'seed', type: 'invalid_request_error' } });
    await scene.settled();
    expect(scene.upstream.requests).toEqual([]);
    expect(await scene.balance()).toBe(before);
    expect((await scene.chat('scripted', {}, key)).status).toBe(200);
  });

  it('goes, for such a token, to a channel that can carry it', async () => {
    scene = await startRelayScene();
    await scene.newChannel({ type: ANTHROPIC, priority: 10 });
    await scene.newChannel({ name: 'native' });
    const key = await scene.newKey(strict);
    const answer = await scene.chat('scripted', { seed: 7 }, key);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-switchyard-dropped')).toBeNull();
    expect(scene.upstream.requests.map(({ json }) => json['seed'])).toEqual([7]);
    await scene.settled();
    const [record] = await scene.records();
    const { attempts } = JSON.parse(record?.detail ?? '') as { attempts: { outcome: string }[] };
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['untranslatable', 'answered']);
  });
});
