/** Generates a month of calls: time, caller, model and result. Deterministic except for the time at which it ends. */
import { type DemoChannel, type DemoModel, demoModels } from './demo-data.ts';
import type { Random } from './random.ts';

export interface DemoCaller {
  userId: number;
  group: string;
  weight: number;
  keyIds: readonly number[];
  address: string;
}

export interface ActiveDemoChannel extends DemoChannel {
  id: number;
}

export interface DemoCall {
  /** UTC milliseconds. */
  at: number;
  caller: DemoCaller;
  keyId: number;
  model: DemoModel;
  /** Channels in the order of attempts. The last one succeeded unless `failed`. */
  channels: ActiveDemoChannel[];
  failed: boolean;
  stream: boolean;
  input: number;
  cached: number;
  output: number;
  firstByteMs: number;
  durationMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
const RETRY_SHARE = 0.04;
const ERROR_SHARE = 0.012;
/** Incident on one morning: its day before the end, its hours, and the share of failed calls. */
const INCIDENT = { daysBeforeEnd: 9, from: 9, to: 12, errorShare: 0.22 };

export function generateCalls(
  random: Random,
  options: { callers: readonly DemoCaller[]; channels: readonly ActiveDemoChannel[]; end: number; count: number },
): DemoCall[] {
  const { callers, channels, end, count } = options;
  const hours = Array.from({ length: DAYS * 24 }, (_, index) => end - (index + 1) * HOUR_MS);
  const calls = Array.from({ length: count }, () => {
    const hour = random.pick(hours, (start) => computeLoad(start, end));
    const at = Math.min(end - 1, hour + Math.floor(random.next() * HOUR_MS));
    const caller = random.pick(callers, ({ weight }) => weight);
    return generateCall(random, at, caller, channels, end);
  });
  return calls.toSorted((a, b) => a.at - b.at);
}

/** Returns the load of an hour: high in office hours, low at night and on weekends, and growing over the month. */
function computeLoad(start: number, end: number): number {
  const date = new Date(start);
  const hour = date.getHours() + 0.5;
  const office = Math.exp(-((hour - 11) ** 2) / 8) + 0.9 * Math.exp(-((hour - 15.5) ** 2) / 8);
  const weekend = date.getDay() === 0 || date.getDay() === 6 ? 0.3 : 1;
  const growth = 1 - (0.4 * (end - start)) / (DAYS * DAY_MS);
  return (0.12 + office * weekend) * growth;
}

function generateCall(
  random: Random,
  at: number,
  caller: DemoCaller,
  channels: readonly ActiveDemoChannel[],
  end: number,
): DemoCall {
  const model = random.pick(demoModels, ({ weight }) => weight);
  const failed = random.chance(isIncident(at, end) ? INCIDENT.errorShare : ERROR_SHARE);
  const tried = chooseChannels(random, model, caller.group, channels, failed);
  const input = random.around(model.inputTokens);
  const output = failed || model.outputTokens === 0 ? 0 : random.around(model.outputTokens);
  const slowness = tried.at(-1)?.slowness ?? 1;
  const firstByteMs = Math.round(random.around(model.firstTokenMs) * slowness);
  return {
    at,
    caller,
    keyId: random.pick(caller.keyIds),
    model,
    channels: tried,
    failed,
    stream: model.outputTokens > 0 && random.chance(0.65),
    input,
    cached: random.chance(model.cachedShare) ? Math.floor(input * 0.8) : 0,
    output,
    firstByteMs,
    durationMs: firstByteMs + Math.round((output / model.tokensPerSecond) * 1000 * slowness),
  };
}

function isIncident(at: number, end: number): boolean {
  const date = new Date(at);
  const day = Math.floor((end - at) / DAY_MS);
  return day === INCIDENT.daysBeforeEnd && date.getHours() >= INCIDENT.from && date.getHours() < INCIDENT.to;
}

function chooseChannels(
  random: Random,
  model: DemoModel,
  group: string,
  channels: readonly ActiveDemoChannel[],
  failed: boolean,
): ActiveDemoChannel[] {
  const able = channels.filter(
    ({ status, models, groups }) => status === 'enabled' && models.includes(model.name) && groups.includes(group),
  );
  const best = Math.max(...able.map(({ priority }) => priority));
  const first = random.pick(
    able.filter(({ priority }) => priority === best),
    ({ weight }) => weight,
  );
  const others = able.filter((channel) => channel !== first);
  if (others.length === 0 || !(failed || random.chance(RETRY_SHARE))) return [first];
  return [first, random.pick(others)];
}
