/**
 * Charges a realtime session. Each response and each transcription is charged separately when the upstream reports
 * its end, with a record of its own. One hold is always open for what comes next; it stores the cost so far of running
 * responses and transcriptions, and grows with that cost. While several responses are open, it covers each of them. If it
 * cannot grow, or no new hold can be opened, the session must end.
 */
import type { Settings } from '@switchyard/contract/operations/settings';
import type { MeteredUsage, ParallelResponses, SessionUsage } from '@switchyard/relay';
import { emptyUsage, promptTokens, type Usage } from '@switchyard/relay/usage';
import type { MissingRateRecorder } from '../../catalog/prices/prices.ts';
import { findMinimumUnit, type Hold, type Ledger, priceCall } from '../../ledger/ledger.ts';
import { createFailureRecord, createSettlement, type SettlementParts } from '../billing/charge-and-usage-record.ts';
import type { Consumption } from '../billing/determine-usage.ts';
import { createHoldRefusal } from '../billing/hold-refusal.ts';
import type { LoggedCall } from '../billing/logged-call.ts';
import { retryStorage } from '../billing/retry-while-storage-fails.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Booked } from '../routing/find-channel-or-explain.ts';
import { priceCandidate } from '../routing/price-candidate.ts';
import type { RunningCosts } from '../routing/running-costs-and-caps.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { refreshPrincipal } from './realtime-rights.ts';

export interface RealtimeBillingParts extends SettlementParts {
  snapshot: Snapshot;
  /** Estimated costs of running requests, for the spending caps of channels. */
  running: RunningCosts;
  ledger: Ledger;
  missingRates: MissingRateRecorder;
  readonly settings: Settings;
}

/** Usage that is held for the first response: half a minute of audio input, and half a minute of audio output. */
const FIRST_RESPONSE: Usage = { ...emptyUsage(), input: 500, audioInput: 300, output: 150, audioOutput: 600 };
/** A raised hold is this many times the needed amount. */
const HEADROOM_FACTOR = 2;
/** Maximum transcribers whose prices are remembered until the next charge. */
const TRANSCRIBERS_MAX = 16;

/** End of a charged response for the client. */
type Outcome = 'answered' | 'left' | 'failed';

type FindParallel = () => ParallelResponses | undefined;

export class RealtimeBilling {
  readonly #parts: RealtimeBillingParts;
  readonly #call: LoggedCall;
  #booked: Booked | undefined;
  /** Transcribers at the price of the next charge, by model. */
  readonly #transcribers = new Map<string, Booked>();
  /** Number of the next charge, which is the suffix of its request id. */
  #count = 1;
  #held = 0;
  /** Points of the last response: the next one reads at least as much. */
  #last = 0;
  #noted = 0;
  /** Earliest start of the next response, in UTC ms, as `log.now()` returns it. */
  #since: number;
  /** Serializes ledger operations: a hold must not be opened after the session's end. */
  #entries: Promise<unknown> = Promise.resolve();

  constructor(parts: RealtimeBillingParts, call: LoggedCall) {
    this.#parts = parts;
    this.#call = call;
    this.#since = call.log.startedAt;
  }

  /**
   * Ensures the hold before the upstream receives more.
   * @param added input by model that nothing has been charged for
   * @param parallel responses that may run at the same time
   * @returns the reason to refuse; undefined at once if enough is held
   */
  expect(added: readonly SessionUsage[], parallel?: ParallelResponses): Promise<RelayError | undefined> | undefined {
    const session = this.#booked;
    if (session === undefined) return undefined;
    const single = added.reduce((sum, share) => sum + this.#price(session, share), this.#last);
    const all = this.#priceParallel(session, parallel);
    return Math.max(single, all) <= this.#held ? undefined : this.#enter(() => this.#raise(single, all));
  }

  /**
   * Raises the hold to more than the points of a single response, so that not every event raises it; to the points
   * alone if more is refused. The points of parallel responses assume high usage already.
   * @returns the reason why it cannot be raised
   */
  async #raise(single: number, all: number): Promise<RelayError | undefined> {
    const refusal = await this.#holdFor(Math.max(single * HEADROOM_FACTOR, all));
    return refusal && this.#holdFor(Math.max(single, all));
  }

  /** Opens the hold before a channel is called. @returns the reason why it cannot */
  async hold(booked: Booked): Promise<RelayError | undefined> {
    this.#booked = booked;
    return this.#holdFor(this.#next(booked));
  }

  /**
   * Charges metered usage in any case.
   * @param outcome not `answered`: the session has ended for the client, maybe because nothing more could be held
   * @param findParallel finds the responses that run at the same time once the next hold is opened
   * @returns the reason why the session must end
   */
  charge(
    metered: MeteredUsage,
    outcome: Outcome = 'answered',
    findParallel: FindParallel = () => undefined,
  ): Promise<RelayError | undefined> {
    return this.#enter(() => this.#charge(metered, outcome, findParallel));
  }

  async #charge(metered: MeteredUsage, outcome: Outcome, findParallel: FindParallel): Promise<RelayError | undefined> {
    const session = this.#booked;
    if (session === undefined) return undefined;
    const { model, source } = metered;
    const booked = this.#bookedFor(session, model);
    const { charge, record, unrated } = createSettlement(
      this.#parts,
      this.#logged(),
      booked,
      { ...toBilledUsage(metered, booked), source },
      { outcome, firstContentAt: 0 },
    );
    this.#parts.missingRates.add(unrated);
    if (outcome !== 'answered') await this.#holdOwed();
    const settled = this.#parts.ledger.settle(this.#id, charge, record);
    if (model === undefined) this.#last = charge;
    this.#count += 1;
    this.#held = 0;
    this.#noted = 0;
    this.#since = this.#call.log.now();
    this.#booked = this.#pricedNow(session);
    this.#transcribers.clear();
    if (this.#parts.running.isCapReached(session.channel)) {
      await settled;
      return new RelayError(
        'channel_cap_reached',
        'The channel of this session has reached its spending cap. Open a new session.',
      );
    }
    const next = Math.max(this.#next(this.#booked), this.#priceParallel(this.#booked, findParallel()));
    const [refusal] = await Promise.all([this.#holdFor(next), settled]);
    return refusal;
  }

  /**
   * Records the cost so far of running responses and transcriptions.
   * @param pending what they have delivered, by model
   * @returns the reason why the session must end: the hold cannot grow further
   */
  recordProgress(pending: readonly SessionUsage[]): Promise<RelayError | undefined> {
    return this.#enter(() => this.#note(pending));
  }

  async #note(pending: readonly SessionUsage[]): Promise<RelayError | undefined> {
    if (this.#booked === undefined) return undefined;
    const { charge, record } = this.#soFar(this.#booked, pending, 'left');
    if (charge === this.#noted) return undefined;
    this.#noted = charge;
    this.#parts.ledger.checkpoint(this.#id, charge, record);
    if (charge * HEADROOM_FACTOR <= this.#held) return undefined;
    const refusal = await this.#holdFor(charge * HEADROOM_FACTOR);
    return charge > this.#held ? refusal : undefined;
  }

  /**
   * Ends the session's billing. @param pending usage by model that unfinished responses and transcriptions have
   * delivered, which is one charge. @param failure error message
   */
  end(pending: readonly SessionUsage[], outcome: 'left' | 'failed', failure: string | undefined): Promise<void> {
    return this.#enter(() => this.#end(pending, outcome, failure));
  }

  async #end(pending: readonly SessionUsage[], outcome: 'left' | 'failed', failure: string | undefined): Promise<void> {
    const { ledger } = this.#parts;
    const booked = this.#booked;
    this.#booked = undefined;
    if (booked !== undefined && pending.length > 0) {
      const { charge, record } = this.#soFar(booked, pending, outcome);
      await this.#holdOwed();
      return ledger.settle(this.#id, charge, record);
    }
    ledger.release(
      this.#id,
      failure === undefined ? undefined : createFailureRecord(this.#parts, this.#logged(), failure),
    );
  }

  /**
   * Ensures an open hold: there is none when the next one was refused, and the usage delivered meanwhile is owed, even
   * if the balance, the token's quota or a budget is negative.
   */
  async #holdOwed(): Promise<void> {
    await retryStorage(this.#parts.clock, () => this.#holdFor(0, true));
  }

  #enter<T>(work: () => Promise<T>): Promise<T> {
    const entry = this.#entries.then(work);
    this.#entries = entry.catch(() => {});
    return entry;
  }

  get #id(): string {
    return `${this.#call.requestId}-${this.#count}`;
  }

  /** Returns the settlement of usage that is not charged yet, in one record: the first model's, with the others. */
  #soFar(session: Booked, pending: readonly SessionUsage[], outcome: 'left' | 'failed') {
    const [first = { booked: session, billed: { usage: emptyUsage() } }, ...others] = pending.map((one) => {
      const booked = this.#bookedFor(session, one.model);
      return { booked, billed: toBilledUsage(one, booked) };
    });
    const shares = others.map(({ booked, billed }) => ({
      model: booked.billedModel,
      usage: billed.usage,
      isChosenHere: true as const,
    }));
    const { usage: own } = first.billed;
    const usage = shares.length === 0 ? own : { ...own, others: shares };
    const consumption = { ...first.billed, usage, source: 'estimated' } as const;
    return createSettlement(this.#parts, this.#logged(), first.booked, consumption, { outcome, firstContentAt: 0 });
  }

  /** Returns the points of one model's usage. */
  #price(session: Booked, share: SessionUsage): number {
    const booked = this.#bookedFor(session, share.model);
    const { rule, ratios } = booked.price;
    return priceCall(rule, ratios, toBilledUsage(share, booked).usage).points;
  }

  #priceParallel(session: Booked, parallel: ParallelResponses | undefined): number {
    if (parallel === undefined) return 0;
    return parallel.count * this.#price(session, { usage: parallel.usage, model: undefined });
  }

  /** The first record contains the attempts. */
  #logged(): LoggedCall {
    const { log } = this.#call;
    const attempts = this.#count === 1 ? log.attempts : [];
    return { ...this.#call, requestId: this.#id, log: { ...log, startedAt: this.#since, attempts } };
  }

  /**
   * Returns the points to hold for the next response: the cost of the last one, and an estimate of new input and
   * output.
   */
  #next(session: Booked): number {
    const points = this.#last + this.#price(session, { usage: FIRST_RESPONSE, model: undefined });
    return points === 0 ? 0 : Math.max(points, this.#parts.settings.preConsumedQuota);
  }

  async #holdFor(amount: number, isOwed = false): Promise<RelayError | undefined> {
    const { ledger, snapshot, running } = this.#parts;
    // The token's limits may have changed since the session began.
    const { user, key } = refreshPrincipal(snapshot, this.#call.principal);
    const hold: Hold = {
      requestId: this.#id,
      userId: user.id,
      apiKeyId: key?.id ?? null,
      limited: key?.limited ?? false,
      budgets: key?.budgets,
      amount,
      isOwed,
    };
    const { requestId } = this.#call;
    const channel = this.#booked?.channel;
    const answer = await (channel === undefined
      ? ledger.hold(hold)
      : running.setDuring({ requestId, userId: user.id, channel, points: amount, hasUnknownCost: false }, () =>
          ledger.hold(hold),
        ));
    if (!answer.held) return createHoldRefusal(this.#parts, answer, { key, amount, format: 'openai-realtime' });
    this.#held = Math.max(this.#held, amount);
    return undefined;
  }

  /** @param model transcriber; undefined: the session's own model */
  #bookedFor(session: Booked, model: string | undefined): Booked {
    if (model === undefined) return session;
    const known = this.#transcribers.get(model);
    if (known !== undefined) return known;
    const booked = this.#pricedNow({ ...session, model, upstreamModel: model, billedModel: model });
    if (this.#transcribers.size >= TRANSCRIBERS_MAX) this.#transcribers.clear();
    this.#transcribers.set(model, booked);
    return booked;
  }

  /** Returns the current price: each response is charged separately, and prices may change during a session. */
  #pricedNow(booked: Booked): Booked {
    const { snapshot } = this.#parts;
    const group = snapshot.group(booked.group.symbol) ?? booked.group;
    return {
      ...booked,
      ...priceCandidate(snapshot, refreshPrincipal(snapshot, this.#call.principal), { ...booked, group }),
    };
  }
}

/** Returns the usage with at least one unit for each response if the price has rates for units alone, as for a chat. */
function toBilledUsage({ usage, responses = 1 }: SessionUsage, booked: Booked): Omit<Consumption, 'source'> {
  const counted = addSeconds(usage, booked);
  const minimumUnit = findMinimumUnit(booked.price.rule, counted);
  return minimumUnit === undefined
    ? { usage: counted }
    : { usage: { ...counted, [minimumUnit]: responses }, minimumUnit };
}

/** OpenAI's rule for a transcriber that reports a duration while its price is per token. */
const TOKENS_PER_SECOND = 10;

function addSeconds(usage: Usage, { price: { rule } }: Booked): Usage {
  const isPriced = rule.type === 'times' || (rule.rates.second ?? 0) > 0;
  if (isPriced || usage.second === 0 || promptTokens(usage) > 0) return usage;
  return { ...usage, audioInput: usage.second * TOKENS_PER_SECOND };
}
