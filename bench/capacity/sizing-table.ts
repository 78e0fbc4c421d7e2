/** Requirements of each step from a hundred thousand requests a day to a thousand million, by the arithmetic. */
import { type Forecast, forecast } from './closed-form.ts';
import { type Installation, type Load, measuredCosts } from './costs-and-load.ts';

/** The busiest hour has twice the mean of the day, and bursts half as much again. */
const HOUR_PEAK = 2;
export const BURST = 1.5;
const BURST_MS = 2_000;
const BURST_EVERY_MS = 10_000;
/** The rest is reserved for the failure of a node, for costs outside of the model, and for short queues. */
export const NODE_FULL = 0.6;
export const DATABASE_FULL = 0.5;

const DAY_SECONDS = 86_400;
const MONTH_DAYS = 30;
const HOURS = 24;
/** From here on an installation survives the failure of a node. */
const SPARE_FROM = 1_000_000;
const REQUESTS_OF_A_USER = 1_000;
const USERS_LEAST = 100;
const USERS_MOST = 100_000;

export const PER_DAY = [1e5, 1e6, 1e7, 1e8, 1e9] as const;

export interface Step {
  perDay: number;
  /** At the peak. */
  load: Load;
  installation: Installation;
  forecast: Forecast;
  diskBytesPerMonth: number;
  logBytesPerDay: number;
}

/** Factor of the day's mean at that hour: a wave with its peak in the afternoon. */
export function timesOfHour(hour: number): number {
  return 1 + (HOUR_PEAK - 1) * Math.cos(((hour - 15) / HOURS) * 2 * Math.PI);
}

/** Factor of the hour's rate at a moment. */
export const timesOfBurst = (ms: number): number => (ms % BURST_EVERY_MS < BURST_MS ? BURST : 1);

export function loadOf(perDay: number, times: number): Load {
  return {
    requestsPerSecond: (perDay / DAY_SECONDS) * times,
    streamShare: 0.7,
    events: 200,
    upstreamMs: 10_000,
    users: Math.min(USERS_MOST, Math.max(USERS_LEAST, perDay / REQUESTS_OF_A_USER)),
    zipf: 1,
    channels: 50,
  };
}

/** Returns the minimum nodes and cores within the maximum utilisation. */
export function stepOf(perDay: number): Step {
  const costs = measuredCosts;
  const load = loadOf(perDay, HOUR_PEAK * BURST);
  const installation = { nodes: 1, databaseCores: 2 };
  const at = (): Forecast => forecast(load, costs, installation);
  while (at().nodeUtilisation > NODE_FULL) installation.nodes += Math.ceil(installation.nodes / 50);
  if (perDay >= SPARE_FROM) installation.nodes += 1;
  while (at().databaseUtilisation > DATABASE_FULL) installation.databaseCores *= 2;
  const mean = forecast(loadOf(perDay, 1), costs, installation);
  return {
    perDay,
    load,
    installation,
    forecast: at(),
    diskBytesPerMonth: perDay * MONTH_DAYS * costs.database.requestBytes,
    logBytesPerDay: mean.logBytesPerSecond * DAY_SECONDS,
  };
}

/** Returns a line of the table in docs/scaling.md, which has the same figures in each language. */
export function lineOf(step: Step): string {
  const { forecast: at, installation, load } = step;
  const cells = [
    `10${'⁰¹²³⁴⁵⁶⁷⁸⁹'[Math.round(Math.log10(step.perDay))] ?? ''}`,
    count(load.requestsPerSecond),
    `${count(installation.nodes)} (${percent(at.nodeUtilisation)})`,
    count(at.openStreams),
    `${count(at.nodeBytes / 1e6)} MB`,
    `${count(installation.databaseCores)} (${percent(at.databaseUtilisation)})`,
    count(at.connections),
    `${count(at.commitsPerSecond)} × ${count(at.movementsPerCommit)}`,
    percent(at.hotRowUtilisation),
    percent(at.redisUtilisation),
    bytes(step.logBytesPerDay),
    bytes(step.diskBytesPerMonth),
  ];
  return `| ${cells.join(' | ')} |`;
}

const count = (value: number): string =>
  value < 10 ? String(Number(value.toFixed(1))) : Math.round(value).toLocaleString('en');

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.095 ? 1 : 0)} %`;

const bytes = (value: number): string => (value < 1e12 ? `${count(value / 1e9)} GB` : `${count(value / 1e12)} TB`);
