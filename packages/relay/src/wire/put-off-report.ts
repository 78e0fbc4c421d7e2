/**
 * Some vendors report all that was used with each event of a stream. Of events that report the same with other
 * numbers only the last one says something; it is kept until somebody asks.
 */
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;

const noEvent = Buffer.alloc(0);

export class PutOffReport {
  /** A copy: a part of what was read would keep all of it. */
  #event = noEvent;
  /** Where in the event the report begins. */
  #reportAt = 0;
  /** Where the event began in the present run; none of it when negative. */
  #start = -1;
  #isUnread = false;

  nextRun(): void {
    this.#start = -1;
  }

  /** The event is read at once. */
  dropFrom(start: number): void {
    if (start === this.#start) this.#isUnread = false;
  }

  take(): Buffer | undefined {
    if (!this.#isUnread) return undefined;
    this.#isUnread = false;
    return this.#event;
  }

  /**
   * Keeps an event to compare the next one with.
   * @param at where the report begins
   * @param isUnread it may be asked for
   */
  keep(run: Buffer, start: number, at: number, end: number, isUnread: boolean): void {
    this.#event = Buffer.from(run.subarray(start, end));
    this.#reportAt = at - start;
    this.#start = start;
    this.#isUnread = isUnread;
  }

  /**
   * Whether an event says the same as the one before from its report on.
   * @param text of the run, as Latin-1
   * @param at where the report begins
   */
  isRepeated(text: string, at: number, end: number): boolean {
    const event = this.#event;
    let known = this.#reportAt;
    let now = at;
    while (now < end && known < event.length) {
      const one = text.charCodeAt(now);
      const other = event[known] ?? 0;
      if (isDigit(one) && isDigit(other)) {
        while (isDigit(text.charCodeAt(now))) now++;
        while (isDigit(event[known] ?? 0)) known++;
      } else if (one === other) {
        now++;
        known++;
      } else return false;
    }
    return now === end && known === event.length;
  }
}

function isDigit(character: number): boolean {
  return character >= DIGIT_ZERO && character <= DIGIT_NINE;
}
