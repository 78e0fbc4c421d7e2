/**
 * Circuit breaker of one channel for one model. Closed: the channel is used. Open, after failures: it is in cooldown,
 * longer each time. Half-open, after the cooldown: one request at a time tries it, and only consecutive successes
 * close the breaker, so that a channel that fails half of the time doesn't flap. Pure: time and randomness are passed
 * in.
 */
export type CircuitState = 'closed' | 'open' | 'half-open';

/** Number of consecutive failures that open the breaker. */
const FAILURES_IN_ROW = 5;
/** Window of the last 10 to 20 outcomes, half of which must fail to open the breaker. */
const WINDOW_MS = 30_000;
const OUTCOMES_MIN = 10;
const OUTCOMES_MAX = 20;

/** Multiplied by the number of openings. */
const OPEN_MS = 30_000;
const OPEN_MAX_MS = 30 * 60_000;
/** Prevents that channels which failed together recover together. */
const JITTER = 0.1;
/** After this time another probe may begin, since a response may stream for minutes. */
const PROBE_MS = 10_000;
/** Multiplied by the number of openings. */
const SUCCESSES_TO_CLOSE = 5;
const SUCCESSES_TO_CLOSE_MAX = 20;
/** Time in the closed state after which earlier openings are forgotten. */
const RESET_AFTER_MS = 10 * 60_000;

export class CircuitBreaker {
  readonly #random: () => number;
  /** Increases with each opening and closing: the outcome of an attempt counts only in the term in which it began. */
  #term = 0;
  /** UTC ms; 0 when closed. */
  #openUntil = 0;
  #probeUntil = 0;
  #openings = 0;
  #closedAt = 0;
  #failuresInRow = 0;
  #answersInRow = 0;
  /** UTC ms of the last outcomes while closed; negative for failures. */
  #outcomes: number[] = [];

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  stateAt(now: number): CircuitState {
    if (this.#openUntil === 0) return 'closed';
    return now < this.#openUntil ? 'open' : 'half-open';
  }

  /** UTC ms; 0 when closed. */
  get openUntil(): number {
    return this.#openUntil;
  }

  get failuresInRow(): number {
    return this.#failuresInRow;
  }

  /** Returns whether no remembered failure exists. */
  get isUntried(): boolean {
    return this.#openUntil === 0 && this.#openings === 0 && this.#failuresInRow === 0;
  }

  /** Returns whether the breaker is closed, or half-open without a running probe. */
  allowsAttempt(now: number): boolean {
    return this.#openUntil === 0 || (now >= this.#openUntil && now >= this.#probeUntil);
  }

  /** Begins an attempt. @returns the term to pass back with its outcome */
  beginAttempt(now: number): number {
    if (this.stateAt(now) === 'half-open') this.#probeUntil = now + PROBE_MS;
    return this.#term;
  }

  recordSuccess(term: number, now: number): void {
    if (term !== this.#term) return;
    this.#failuresInRow = 0;
    if (this.#openUntil === 0) return this.#remember(now);
    this.#probeUntil = 0;
    this.#answersInRow += 1;
    if (this.#answersInRow >= Math.min(SUCCESSES_TO_CLOSE * this.#openings, SUCCESSES_TO_CLOSE_MAX)) this.close(now);
  }

  recordFailure(term: number, now: number): void {
    if (term !== this.#term) return;
    if (this.#openUntil === 0) this.#remember(-now);
    this.#fail(now, this.#failsHalf(now));
  }

  /** Records a transient failure, which counts only towards consecutive failures. */
  recordTransientFailure(term: number, now: number): void {
    if (term === this.#term) this.#fail(now, false);
  }

  /** Discards an attempt without a verdict: the client was at fault, or disconnected. */
  discardAttempt(term: number): void {
    if (term === this.#term) this.#probeUntil = 0;
  }

  /** Closes the breaker, after successes or by an operator's action. */
  close(now: number): void {
    this.#term += 1;
    this.#openUntil = 0;
    this.#probeUntil = 0;
    this.#failuresInRow = 0;
    this.#closedAt = now;
    this.#outcomes = [];
  }

  /** Opens the breaker until a time that another node reported. */
  forceOpen(until: number, now: number): void {
    if (until <= this.#openUntil) return;
    this.#open(now);
    this.#openUntil = until;
  }

  #fail(now: number, failsHalf: boolean): void {
    this.#failuresInRow += 1;
    const state = this.stateAt(now);
    if (state === 'half-open') this.#open(now);
    else if (state === 'open') this.#answersInRow = 0;
    else if (failsHalf || this.#failuresInRow >= FAILURES_IN_ROW) this.#open(now);
  }

  #open(now: number): void {
    if (this.#openUntil === 0 && now - this.#closedAt > RESET_AFTER_MS) this.#openings = 0;
    this.#openings += 1;
    this.#term += 1;
    this.#probeUntil = 0;
    this.#answersInRow = 0;
    const spread = 1 - JITTER + 2 * JITTER * this.#random();
    this.#openUntil = now + Math.min(OPEN_MS * this.#openings * spread, OPEN_MAX_MS);
  }

  /** Keeps successes only after a failure, so that a healthy channel costs nothing. */
  #remember(outcome: number): void {
    if (outcome > 0 && this.#outcomes.length === 0) return;
    this.#outcomes.push(outcome);
    if (this.#outcomes.length > OUTCOMES_MAX) this.#outcomes.shift();
  }

  #failsHalf(now: number): boolean {
    this.#outcomes = this.#outcomes.filter((outcome) => Math.abs(outcome) > now - WINDOW_MS);
    const failures = this.#outcomes.filter((outcome) => outcome < 0).length;
    return this.#outcomes.length >= OUTCOMES_MIN && failures * 2 >= this.#outcomes.length;
  }
}
