/**
 * Some vendors report all that was used with each event of a stream. Of events that report the same with growing
 * numbers only the last one says something; it is kept until somebody asks.
 */
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;

export class DeferredUsageChunk {
  /** Text between the numbers of the last report that was read, and of all reports deferred since. */
  #wording: readonly string[] = [];
  /** The numbers of the report that came last. */
  #numbers: readonly string[] = [];
  #event: Buffer | undefined;
  /** Position of the event's start in the current run; negative if it has none there. */
  #start = -1;

  nextRun(): void {
    this.#start = -1;
  }

  /** @param report Latin-1, to the end of its event */
  recordReport(report: string): void {
    this.#wording = report.split(/\d+/);
    this.#numbers = report.match(/\d+/g) ?? [];
  }

  /** Returns whether an event repeats the one before, from its report on, with no smaller number. */
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

  /** Defers an event in place of the previous one. @param event copied: a part of what was read would keep all of it */
  defer(event: Buffer, start: number): void {
    this.#event = Buffer.from(event);
    this.#start = start;
  }

  /** An event of this run is read at once. */
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
