/** Gateway with a channel to each of the four scripted vendors. */
import { type RelayScene, startRelayScene } from '../../../apps/server/src/testing/relay-scene.ts';
import { type DialectName, dialectNames } from './scenario.ts';
import { startUpstreams, type Upstreams } from './upstreams.ts';

export interface MatrixScene extends Pick<RelayScene, 'url' | 'key' | 'close'> {
  upstreams: Upstreams;
}

/** Channel types in the public API, each for one dialect. */
const channels: Readonly<Record<DialectName, { type: number; api?: string }>> = {
  'openai-chat': { type: 1, api: 'chat' },
  'openai-responses': { type: 1, api: 'responses' },
  'anthropic-messages': { type: 14 },
  gemini: { type: 25 },
};

export async function startMatrixScene(): Promise<MatrixScene> {
  const upstreams = await startUpstreams();
  const scene = await startRelayScene();
  await scene.ctx.db.writer.updateTable('user_group').set({ api_rate: 0 }).execute();
  await scene.ctx.changes.publish({ topic: 'user-groups' });
  for (const dialect of dialectNames) {
    const { type, api } = channels[dialect];
    await scene.newChannel({
      name: dialect,
      type,
      base_url: upstreams.url,
      key: 'sk-upstream',
      models: [`${dialect}--*`],
      ...(api !== undefined && { options: { api } }),
    });
  }
  return {
    url: scene.url,
    key: scene.key,
    upstreams,
    async close() {
      await scene.close();
      await upstreams.close();
    },
  };
}
