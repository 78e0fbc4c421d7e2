/** Planning of tests: the tests that a selection results in. */
import { TESTS_MAX, type TestPlan, type TestProbe } from '@switchyard/contract/channels/channel-tests';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import type { ClientRequest } from '@switchyard/relay';
import { emptyUsage, type Usage } from '@switchyard/relay/usage';
import { loadPriceLookup } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';
import { priceCall, RATIO_ONE } from '../../ledger/ledger.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { getTestModel, type LoadedChannel, listChannelIds, loadChannel } from '../registry/registry.ts';
import type { PaidKind } from './free-probes.ts';

export const MICRO_USD_PER_POINT = 1_000_000 / POINTS_PER_USD;
/** Estimate for tokens that are single letters or JSON punctuation. */
const BYTES_PER_TOKEN = 4;
/** Tokens of a small image, whatever its bytes. */
const IMAGE_TOKENS = 300;

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

const atList = { group: RATIO_ONE, key: RATIO_ONE };
/** Output tokens of typical models; reasoning models write more. */
const typicalOutputTokens: Readonly<Record<PaidKind, number>> = {
  short: 16,
  stream: 30,
  answer: 10,
  refusal: 0,
  image: 10,
  json: 30,
  tool: 40,
  pieces: 30,
  identity: 16,
};

export interface TestCosts {
  /** Returns micro-USD; null if the model has no price. */
  compute(model: string, usage: Usage): number | null;
}

export async function loadTestCosts(ctx: Context): Promise<TestCosts> {
  const priceOf = await loadPriceLookup(ctx);
  return {
    compute(model, usage) {
      const price = priceOf(model);
      return price === undefined ? null : priceCall(price, atList, usage).points * MICRO_USD_PER_POINT;
    },
  };
}

/** Returns the expected usage of a test before it is made. */
export function estimateUsage(kind: PaidKind, { operation, body }: ClientRequest): Usage {
  const usage = emptyUsage();
  if (kind === 'refusal') return usage;
  if (operation === 'images') return { ...usage, image: 1 };
  const input = kind === 'image' ? IMAGE_TOKENS : Math.ceil(body.length / BYTES_PER_TOKEN);
  if (operation === 'speech') return { ...usage, input, character: 2 };
  const writes = operation === 'chat' || operation === 'completions';
  return { ...usage, input, output: writes ? typicalOutputTokens[kind] : 0 };
}
