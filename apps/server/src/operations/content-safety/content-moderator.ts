/** Checks the texts of one request or response against the word lists. */

import { type ResponseCheck, redactPiece, type TextCheck } from '@switchyard/relay';
import type { LoadedRule, WordListMatcher } from './loaded-rules.ts';
import { WordScan } from './word-scan.ts';

type Range = readonly [start: number, end: number];

export class ContentModerator implements ResponseCheck {
  readonly #lists: WordListMatcher;
  readonly #onFound: (rule: LoadedRule) => void;
  readonly #found = new Set<LoadedRule>();
  #isRefused = false;

  /** @param onFound called once for each rule that matches */
  constructor(lists: WordListMatcher, onFound: (rule: LoadedRule) => void) {
    this.#lists = lists;
    this.#onFound = onFound;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  begin(isJson: boolean): TextCheck {
    const covered: Range[] = [];
    const scan = this.#scan(isJson, (range) => addRange(covered, range));
    return {
      push: (piece) => scan.scan(piece),
      end: () => scan.end(),
      get decidedLength() {
        return scan.settledOffset;
      },
      redactedRanges: covered,
    };
  }

  /**
   * Returns the masked texts. Each text is scanned alone, and all as one; what may be JSON is also scanned with its
   * escapes decoded.
   */
  change(texts: readonly string[]): string[] {
    const whole = texts.join('');
    const starts = computeOffsets(texts);
    const ranges: Range[] = [];
    for (const isJson of whole.includes('\\') ? [false, true] : [false]) {
      for (const [nth, text] of texts.entries()) this.#addRanges(ranges, text, starts[nth] ?? 0, isJson);
      if (texts.length > 1) this.#addRanges(ranges, whole, 0, isJson);
    }
    if (ranges.length === 0) return [...texts];
    const covered: Range[] = [];
    for (const range of ranges.toSorted(([, a], [, b]) => a - b)) addRange(covered, range);
    return texts.map((text, nth) => redactPiece(text, starts[nth] ?? 0, covered));
  }

  /** @param at offset of the text */
  #addRanges(ranges: Range[], text: string, at: number, isJson: boolean): void {
    const scan = this.#scan(isJson, ([start, end]) => ranges.push([at + start, at + end]));
    scan.scan(text);
    scan.end();
  }

  #scan(isJson: boolean, onCovered: (range: Range) => void): WordScan {
    const { matcher, rules } = this.#lists;
    return new WordScan(
      matcher,
      (lists, start, end) => {
        for (const [bit, rule] of rules.entries()) {
          if (rule === undefined || (lists & (1 << bit)) === 0) continue;
          this.#note(rule);
          if (rule.action === 'mask') onCovered([start, end]);
        }
      },
      isJson,
    );
  }

  #note(rule: LoadedRule): void {
    if (this.#found.has(rule)) return;
    this.#found.add(rule);
    if (rule.action === 'refuse') this.#isRefused = true;
    this.#onFound(rule);
  }
}

/** Returns the offset of each text in their concatenation. */
function computeOffsets(texts: readonly string[]): number[] {
  let at = 0;
  return texts.map(({ length }) => {
    const start = at;
    at += length;
    return start;
  });
}

/** Adds a range. Ranges arrive in the order of their ends; adjacent ones are merged. */
function addRange(covered: Range[], [start, end]: Range): void {
  let from = start;
  for (let last = covered.at(-1); last !== undefined && last[1] >= from; last = covered.at(-1)) {
    from = Math.min(from, last[0]);
    covered.pop();
  }
  covered.push([from, end]);
}
