/** Replacement of redacted text. */
export const REDACTION = '***';

/** Parts that are joined at once: a string that grows by each part takes ten times the memory of its text. */
const PARTS_MAX = 1_000;

const nothing = new Uint8Array(0);

/**
 * Text of which ranges are redacted. Holds a byte for each character that is not yet read, because a list of ranges
 * takes many times the memory of a text in which every other word is redacted.
 */
export class RedactedText {
  /** Non-zero for each redacted character, from `#start`. */
  #marks: Uint8Array = nothing;
  /** Position of the next piece. */
  #start = 0;
  /** True if the character before `#start` is redacted. */
  #isRedacted = false;

  /** Redacts a range, in UTF-16 code units from the text's start. Ranges may overlap. */
  add(start: number, end: number): void {
    const length = end - this.#start;
    if (length > this.#marks.length) {
      const marks = new Uint8Array(Math.max(length, 2 * this.#marks.length));
      marks.set(this.#marks);
      this.#marks = marks;
    }
    this.#marks.fill(1, Math.max(0, start - this.#start), Math.max(0, length));
  }

  /**
   * Returns the next piece of the text with its redacted ranges replaced. A range over several pieces is replaced in
   * the first one, and removed from the others.
   * @param piece piece after those that were passed before
   */
  redactNext(piece: string): string {
    const marks = this.#marks.subarray(0, piece.length);
    this.#marks = this.#marks.length > piece.length ? this.#marks.subarray(piece.length) : nothing;
    this.#start += piece.length;
    const whole: string[] = [];
    let parts: string[] = [];
    let at = 0;
    for (let from = marks.indexOf(1); from !== -1; from = marks.indexOf(1, at)) {
      const continues = from === 0 && this.#isRedacted;
      parts.push(piece.slice(at, from), continues ? '' : REDACTION);
      const end = marks.indexOf(0, from);
      at = end === -1 ? marks.length : end;
      if (parts.length < PARTS_MAX) continue;
      whole.push(parts.join(''));
      parts = [];
    }
    if (piece !== '') this.#isRedacted = at === piece.length;
    return at === 0 ? piece : [...whole, ...parts, piece.slice(at)].join('');
  }
}
