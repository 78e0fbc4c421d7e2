/**
 * Deferred usage chunk. Some vendors report the total usage with each event of a stream; of events that differ only
 * by growing numbers, the last one is kept until it is requested.
 */
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;

export class DeferredUsageChunk {
  /** Text between the numbers, common to the last report that was read and to all reports deferred since. */
  #wording: readonly string[] = [];
  /** Numbers of the last report. */
  #numbers: readonly string[] = [];
  #event: Buffer | undefined;
  /** Position of the event's start in the current run; negative if it is not in the run. */
  #start = -1;

  nextRun(): void {
    this.#start = -1;
  }

  /** @param report Latin-1 text, to the end of its event */
  recordReport(report: string): void {
    this.#wording = report.split(/\d+/);
    this.#numbers = report.match(/\d+/g) ?? [];
  }

  /** Returns whether an event repeats the preceding one from its report on, with no smaller number. */
  isRepeated(text: string, from: number, end: number): boolean {
    const numbers: string[] = [];
    let at = from;
    for (const [index, words] of this.#wording.entries()) {
      if (index > 0) {
        const start = at;
        while (isDigit(text, at)) at++;
        const number = text.slice(start, at);
        if (number === '' || isSmaller(number, this.#numbers[index - 1] ?? '')) return false;
        numbers.push(number);
      }
      if (!text.startsWith(words, at)) return false;
      at += words.length;
    }
    if (at !== end) return false;
    this.#numbers = numbers;
    return true;
  }

  /**
   * Defers an event, which replaces the previous one. @param event copied, because a slice would keep the whole run
   * in memory
   */
  defer(event: Buffer, start: number): void {
    this.#event = Buffer.from(event);
    this.#start = start;
  }

  /** Discards a deferred event of this run, which is read immediately. */
  discardFrom(start: number): void {
    if (start === this.#start) this.#event = undefined;
  }

  take(): Buffer | undefined {
    const event = this.#event;
    this.#event = undefined;
    return event;
  }
}

function isDigit(text: string, at: number): boolean {
  const character = text.charCodeAt(at);
  return character >= DIGIT_ZERO && character <= DIGIT_NINE;
}

/** Compares two whole numbers without leading zeros. */
function isSmaller(number: string, other: string): boolean {
  return number.length === other.length ? number < other : number.length < other.length;
}
