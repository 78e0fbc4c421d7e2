/** Planning of tests: the tests that a selection results in. */
import { TESTS_MAX, type TestPlan, type TestProbe } from '@switchyard/contract/channels/channel-tests';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { getTestModel, type LoadedChannel, listChannelIds, loadChannel } from '../registry/registry.ts';

export interface PlannedTest {
  model: string;
  kind: TestProbe;
}

export interface PlannedChannel {
  id: number;
  /** Undefined when its stored secrets cannot be decrypted. */
  channel: LoadedChannel | undefined;
  tests: PlannedTest[];
}

/** Plans tests, ignoring unknown channels and those without a testable model. @throws AppError `too-large` */
export async function planTests(ctx: Context, { channels, models, kinds }: TestPlan): Promise<PlannedChannel[]> {
  const ids = 'ids' in channels ? [...new Set<number>(channels.ids)] : await listChannelIds(ctx, channels.filter);
  const planned: PlannedChannel[] = [];
  let count = 0;
  for (const id of ids) {
    const channel = await loadIfPresent(ctx, id);
    if (channel === 'gone') continue;
    const names = channel === undefined ? [''] : selectModelNames(channel, models);
    const tests = names.flatMap((model) => [...new Set(kinds)].map((kind) => ({ model, kind })));
    count += tests.length;
    if (count > TESTS_MAX) throw new AppError('too-large', `At most ${TESTS_MAX} tests can run at once`);
    if (tests.length > 0) planned.push({ id, channel, tests });
  }
  return planned;
}

async function loadIfPresent(ctx: Context, id: number): Promise<LoadedChannel | 'gone' | undefined> {
  try {
    return await loadChannel(ctx, id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-found') return 'gone';
    ctx.log.error({ err: error, channel: id }, 'a stored channel cannot be tested');
    return undefined;
  }
}

function selectModelNames(channel: LoadedChannel, models: TestPlan['models']): string[] {
  if (Array.isArray(models)) return [...new Set(models)];
  if (models === 'all') return channel.models.filter((model) => !model.endsWith('*'));
  return [getTestModel(channel)].filter((model) => model !== '');
}
