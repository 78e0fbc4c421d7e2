/** Turns an accepted submission into a task: its hold lasts until the task ends. */

import type { Settings } from '@switchyard/contract/operations/settings';
import {
  type AcceptedTask,
  type ClientTasks,
  getClientTasks,
  getPollLimits,
  type Meter,
  mergeWithOrigin,
  type TaskView,
} from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import { parseUrl } from '@switchyard/relay/parse-url';
import type { MissingRateRecorder } from '../../catalog/prices/prices.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import {
  insertTask,
  isTaskStored,
  newTaskId,
  serializeStatusUpdate,
  type TaskRow,
  type Tasks,
  type TaskTerms,
} from '../../tasks/tasks.ts';
import { createSettlement, type SettlementParts } from '../billing/charge-and-usage-record.ts';
import { estimateConsumption } from '../billing/determine-usage.ts';
import type { LoggedCall } from '../billing/logged-call.ts';
import { retryStorage } from '../billing/retry-while-storage-fails.ts';
import { findCostPrice } from '../routing/channel-cost.ts';
import type { PricedCandidate } from '../routing/price-candidate.ts';
import type { RunningCosts } from '../routing/running-costs-and-caps.ts';

export interface BeginTaskParts extends SettlementParts {
  ledger: Ledger;
  tasks: Tasks;
  missingRates: MissingRateRecorder;
  /** Estimated costs of running requests, for the spending caps of channels. */
  running: RunningCosts;
  readonly settings: Settings;
}

const FIRST_POLL_SECONDS = 3;
/** Maximum characters of a stored text field; images and videos that the client sent are longer. */
const TEXT_MAX = 4_000;
/** Maximum characters of all stored fields of a request. */
const STORED_MAX = 32_000;
/** Fields that a follow-up task needs for its price. Short values of these are always stored. */
const pricedFields: ReadonlySet<string> = new Set(
  'model model_name mode quality resolution seconds duration size width height sound'.split(' '),
);
/** Maximum characters of JSON of a field that is always stored; no valid value is longer. */
const PRICED_MAX = 300;
const PROMPT_MAX = 8_000;
const URL_MAX = 2_000;

interface SubmissionResult {
  acceptedTask: AcceptedTask;
  meter: Meter;
  /** Scheme and host by which the client reached the gateway. */
  site: string;
}

/**
 * Stores the task; durable when it resolves. If the vendor returns the id of the owner's existing task, that task is
 * returned and the new hold is released. A modal task that the request answers ends with it, unless the new task was
 * already paid for: then the modal task is returned.
 * @throws AppError `unavailable` when the storage fails
 */
export async function beginTask(
  parts: BeginTaskParts,
  call: LoggedCall,
  priced: PricedCandidate,
  ordered: SubmissionResult,
): Promise<TaskView> {
  const { task, spend } = buildTaskRow(parts, call, priced, ordered);
  const windowId = findModalTask(call, task);
  // The vendor has accepted the task: without its row it would never be polled, and a resubmission would run it
  // twice.
  const { known, handedOver, isRepeated } = await retryStorage(parts.clock, () =>
    parts.ledger.transaction(async (trx, moves) => {
      if (await isTaskStored(trx, task.id)) return { known: undefined, handedOver: undefined, isRepeated: true };
      const handedOver =
        windowId === undefined ? undefined : await parts.tasks.transferModalTask({ trx, moves }, windowId);
      const known = handedOver?.isPaid === true ? windowId : await insertTask(trx, task);
      if (known === undefined) await moves.keepHold(call.requestId);
      return { known, handedOver, isRepeated: false };
    }),
  );
  // Removes the hold from memory only; its row belongs to the task.
  if (isRepeated) parts.ledger.release(call.requestId);
  if (handedOver?.record !== undefined) parts.ledger.record(handedOver.record);
  if (known === undefined) {
    parts.running.continueAsTask(call.requestId, spend);
    return parts.tasks.present(task);
  }
  parts.ledger.release(call.requestId);
  const first = await parts.tasks.find(call.principal.user.id, known);
  return parts.tasks.present(first ?? task);
}

/** Returns the id of the modal task that this request answers, if its provider continues it under the same name. */
function findModalTask({ request: { submission } }: LoggedCall, { upstream_id }: TaskRow): string | undefined {
  if (submission?.action !== 'modal' || submission.origin?.upstreamId !== upstream_id) return undefined;
  return submission.originId;
}

/** @returns the row, and the expected cost to the operator in points */
function buildTaskRow(
  parts: BeginTaskParts,
  call: LoggedCall,
  priced: PricedCandidate,
  ordered: SubmissionResult,
): { task: TaskRow; spend: number } {
  const { acceptedTask, meter, site } = ordered;
  const { principal, request, requestId } = call;
  const { format, submission: asked, json } = request;
  const { channel, group, key, model, upstreamModel, price } = priced;
  const consumption = estimateConsumption(request, meter, price.rule);
  const { usage } = consumption;
  const { charge, record, unrated } = createSettlement(parts, call, priced, consumption, {
    outcome: 'answered',
    firstContentAt: 0,
  });
  parts.missingRates.add(unrated);
  const { rule, ratios } = price;
  const terms: TaskTerms = {
    price: { rule, ratios },
    cost: findCostPrice(channel.cost, upstreamModel, price.rule),
    usage,
    record,
    ...(request.facts.expected?.isCounted === true ? { isExact: true } : {}),
    ...(asked?.isModal === true ? { isWindow: true } : {}),
  };
  const now = nowSeconds(parts.clock);
  const client = getClientTasks(format);
  const notifyUrl = readCallbackUrl(parts, client, json);
  const task: TaskRow = {
    id: newTaskId(client.idPrefix),
    request_id: requestId,
    user_id: principal.user.id,
    api_key_id: principal.key?.id ?? null,
    channel_id: channel.id,
    channel_key_id: key.id,
    group_symbol: group.symbol,
    client_format: format,
    upstream_format: acceptedTask.format,
    upstream_id: acceptedTask.id,
    origin_id: asked?.originId ?? null,
    action: asked?.action ?? '',
    model,
    upstream_model: upstreamModel,
    status: acceptedTask.status === 'running' ? 'running' : 'queued',
    progress: 0,
    prompt: client.readPrompt(json).slice(0, PROMPT_MAX),
    request: JSON.stringify(selectStoredFields(mergeWithOrigin(request))),
    news: serializeStatusUpdate(acceptedTask),
    failure: '',
    expected: charge,
    charge: null,
    terms: JSON.stringify(terms),
    notify_url: notifyUrl,
    notify_site: notifyUrl === '' ? '' : site,
    notify_at: null,
    notify_tries: 0,
    created_at: now,
    started_at: acceptedTask.status === 'running' ? now : null,
    ended_at: null,
    deadline_at: now + getPollLimits(acceptedTask.format).expirySeconds,
    next_look_at: now + FIRST_POLL_SECONDS,
    failed_looks: 0,
  };
  return { task, spend: record.spend ?? charge };
}

/** Returns an empty string without a callback. */
function readCallbackUrl({ settings }: BeginTaskParts, client: ClientTasks, json: Record<string, unknown>): string {
  const url = settings.taskCallbacks ? (client.readCallbackUrl?.(json) ?? '') : '';
  return url.length <= URL_MAX && parseUrl(url) !== undefined ? url : '';
}

/**
 * Returns the fields of a request to store. Fields that determine a price come first, then the prompt; another field
 * that does not fit is omitted. Otherwise, ignored fields of the client could displace those of a follow-up's price.
 */
function selectStoredFields(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  let room = STORED_MAX;
  const rank = (name: string) => (pricedFields.has(name) ? 2 : Number(name === 'prompt'));
  for (const [name, value] of Object.entries(body).toSorted(([a], [b]) => rank(b) - rank(a))) {
    const short = stripBinaries(value);
    const size = name.length + (JSON.stringify(short)?.length ?? 0);
    if (size > (pricedFields.has(name) ? PRICED_MAX : room)) continue;
    kept[name] = short;
    room -= size;
  }
  return kept;
}

function stripBinaries(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= TEXT_MAX ? value : `${value.slice(0, 100)}…`;
  if (Array.isArray(value)) return value.map(stripBinaries);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, stripBinaries(inner)]));
}
